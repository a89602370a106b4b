"""What a run is: everything that its numbers depend on, and the keys of its cells."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.readers.openai_chat import dump
from bench.run.plan import PINNED, RESERVE, Cell, Plan
from bench.scenario import Scenario
from bench.strategy import Strategy

SCHEMA = 1  #: of the files of a run; a reader of another number says so
KEY = 1  #: of the keys: raised when the same cell must be run again
ENGINE = Path(__file__).parents[1]
SHARED = ("blocks", "contracts", "rungs")  #: folders beside a strategy that it may build on


def canonical(value: Any) -> str:
    """JSON with one spelling for each value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value."""
    return sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


class Manifest:
    """The identity of a run; building it reads sources and scenarios once."""

    def __init__(self, plan: Plan, *, tokens: str, prices: dict[str, Any]) -> None:
        self._plan = plan
        self._scenarios = {id(one): _scenario(one) for one in plan.scenarios}
        self._shared = {"engine": _engine(), "tokens": tokens, "pinned": PINNED, "key": KEY}
        everyone = dict([plan.floor, *plan.strategies, plan.ceiling])
        self.identity: dict[str, Any] = {
            **self._shared,
            "reserve": RESERVE,
            "windows": list(plan.windows),
            "settings": asdict(plan.settings),
            "prices": prices,
            "scenarios": {one.slug: self._scenarios[id(one)] for one in plan.scenarios},
            "strategies": {label: _strategy(strategy) for label, strategy in everyone.items()},
        }

    @property
    def name(self) -> str:
        """The folder of the run: the same command finds it again."""
        slugs = "+".join(dict.fromkeys(scenario.slug for scenario in self._plan.scenarios))
        plain = "".join(char if char.isalnum() or char in "-_+." else "-" for char in slugs)
        return f"{plain[:60].strip('-.')}-{digest(self.identity)[:12]}"

    def key(self, cell: Cell, minimum: int | None) -> str:
        """The key of a cell, from all that changes its answer."""
        settings = self._plan.settings
        return digest(
            {
                **self._shared,
                "scenario": self._scenarios[id(cell.scenario)],
                "strategy": _strategy(cell.strategy),
                "limit": cell.limit,
                "reserve": cell.reserve,
                "profile": settings.profile,
                "minimum": minimum,
                "summariser": settings.summariser,
                "seed": cell.seed,
            }
        )

    def document(self) -> dict[str, Any]:
        """What is written: the identity, and the circumstances that it does not depend on."""
        return {
            "schema": SCHEMA,
            "identity": self.identity,
            "environment": {
                "python": platform.python_version(),
                "platform": sys.platform,
                "compaction-bench": _version(),
                "git": _git(),
            },
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }


def _strategy(strategy: Strategy) -> dict[str, Any]:
    """Class, parameters, and a hash of the sources that it may be built on."""
    rungs = getattr(strategy, "rungs", ())
    modules = [sys.modules[kind.__module__] for kind in type(strategy).__mro__[:-1]]
    files = {Path(str(module.__file__)) for module in modules}
    for file in list(files):
        if file.parent.name == "strategies":
            files.update(path for name in SHARED for path in (file.parent / name).glob("*.py"))
    return {
        "class": type(strategy).__qualname__,
        "source": _source(file for file in files if ENGINE not in file.parents),
        "params": {
            spec.name: getattr(strategy, spec.name)
            for spec in fields(strategy)
            if spec.name != "rungs"
        },
        "rungs": [_strategy(rung) for rung in rungs],
    }


def _scenario(scenario: Scenario) -> str:
    state = sha256()
    for line in dump(scenario.trace):
        state.update(line.encode("utf-8", "surrogatepass") + b"\n")
    rest = {
        "slug": scenario.slug,
        "windows": scenario.windows,
        "probes": [asdict(probe) for probe in scenario.probes],
        "requests": [asdict(request) for request in scenario.requests],
    }
    state.update(canonical(rest).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _engine() -> str:
    """A hash of the engine's own sources; what only shows results is not among them."""
    return _source(
        path
        for path in ENGINE.rglob("*.py")
        if path.relative_to(ENGINE).parts[0] not in ("cli", "show")
    )


def _source(files: Iterable[Path]) -> str:
    state = sha256()
    for name, content in sorted((file.name, file.read_bytes()) for file in files):
        state.update(f"{name} {len(content)}\n".encode() + content)
    return state.hexdigest()


def _version() -> str:
    try:
        return version("compaction-bench")
    except PackageNotFoundError:
        return "not installed"


def _git() -> str:
    """Commit of the checkout, with ``+`` where it was changed; empty outside of one."""
    command = ["git", "-C", str(ENGINE), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
