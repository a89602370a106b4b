"""What a run needs of a machine, looked at one by one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from bench import registry
from bench.errors import BenchError
from bench.run import store
from bench.run.manifest import ENGINE
from bench.services.prices import PriceList
from bench.services.tokens import VOCABULARIES, Tokens

OURS = ("bench", "strategies", "scenarios")  #: packages that other distributions claim as well


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; ``said`` names the remedy where it is not fine."""

    name: str
    fine: bool
    said: str


def checks(root: Path = store.ROOT) -> Iterator[Check]:
    """Everything that commonly goes wrong."""
    yield _packages()
    yield _tokenizers()
    yield _prices()
    yield _terminal()
    yield from _runs(root)


def _packages() -> Check:
    owners = packages_distributions()
    foreign = {
        name: [owner for owner in owners.get(name, ()) if owner != "compaction-bench"]
        for name in OURS
    }
    clashes = [f"{name} also belongs to {', '.join(who)}" for name, who in foreign.items() if who]
    if clashes:
        return Check("packages", False, f"{'; '.join(clashes)}; use a separate environment")
    try:
        count = len(registry.names())
    except BenchError as error:
        return Check("packages", False, str(error))
    return Check("packages", True, f"{count} strategies beside {ENGINE}")


def _tokenizers() -> Check:
    try:
        found = [Tokens(encoding).fingerprint for encoding in VOCABULARIES]
    except BenchError as error:
        return Check("tokenizers", False, str(error))
    return Check("tokenizers", True, ", ".join(found))


def _prices() -> Check:
    try:
        source = PriceList.load().source
    except BenchError as error:
        return Check("prices", False, str(error))
    return Check("prices", True, f"litellm {source['litellm']}, sha256 {source['sha256'][:12]}")


def _terminal() -> Check:
    columns = shutil.get_terminal_size().columns
    encoding = sys.stdout.encoding
    fine = columns >= 80
    advice = "" if fine else "; tables need 80"
    return Check("terminal", fine, f"{columns} columns, {encoding}{advice}")


def _runs(root: Path) -> Iterator[Check]:
    for folder in sorted(root.glob("*/")):
        try:
            store.manifest(folder)
            count = len(store.cells(folder))
        except BenchError as error:
            yield Check(f"run {folder.name}", False, str(error))
            continue
        yield Check(f"run {folder.name}", True, f"{count} cells")
