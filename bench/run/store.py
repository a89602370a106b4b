"""Results on disk: one spool file a finished cell, and tables made of them."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from bench.errors import BenchError
from bench.measure.columns import AskRow, CellRow, PassRow, ProbeRow, StepRow
from bench.run.manifest import SCHEMA, canonical
from bench.run.result import Result, Rows
from bench.services.prices import Price

ROOT = Path("results/runs")
KINDS: dict[str, type] = {"steps": StepRow, "passes": PassRow, "asks": AskRow, "probes": ProbeRow}
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished cell as it lies on disk."""

    key: str
    result: Result


class Store:
    """One run folder, held by one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.torn: list[str] = []  #: spool files that were cut off or changed, to be run again

    def __enter__(self) -> Self:
        (self.folder / "cells").mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise BenchError(
                "another process is writing this run",
                where=str(self.folder),
                hint="wait for it, or give this one another --out",
            ) from None
        for stale in self.folder.rglob(".*.tmp"):
            stale.unlink()  # of a process that was killed while it wrote
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._lock.close()

    def begin(self, document: dict[str, Any]) -> None:
        """Write the manifest, or check that the one at hand describes the same run."""
        path = self.folder / "manifest.json"
        if not path.exists():
            _write(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
            return
        known = manifest(self.folder)["identity"]
        if canonical(known) != canonical(document["identity"]):
            raise BenchError(
                f"this folder holds another run: {_drift(known, document['identity'])}",
                where=str(self.folder),
                hint="give this one another --out",
            )

    def finished(self, key: str) -> Result | None:
        """The result behind a key, None if it has to be run (again)."""
        path = self._spool(key)
        if not path.exists():
            return None
        result = _read_spool(path)
        if result is None:
            self.torn.append(path.name)
        return result if result is None or result.row.status != "infra_error" else None

    def keep(self, key: str, result: Result, seconds: float, chars_encoded: int) -> None:
        """Spool a finished cell; what depends on the machine and on the order goes apart."""
        lines = [_line({"cell": asdict(result.row)})]
        for name in KINDS:
            lines += [_line({name: asdict(row)}) for row in getattr(result.rows, name)]
        body = "".join(lines)
        _write(self._spool(key), body + _line({"end": len(lines), "sha256": _sum(body)}))
        with (self.folder / "timing.jsonl").open("a", encoding="utf-8") as file:
            file.write(
                _line({"key": key, "seconds": round(seconds, 3), "chars_encoded": chars_encoded})
            )

    def tabulate(self, stored: Sequence[Stored]) -> None:
        """Write the tables, in the order given."""
        tables: dict[str, list[str]] = {"cells": [], **{name: [] for name in KINDS}}
        for one in stored:
            tables["cells"].append(_line({"key": one.key, **asdict(one.result.row)}))
            for name in KINDS:
                for row in getattr(one.result.rows, name):
                    tables[name].append(_line({"key": one.key, **asdict(row)}))
        for name, lines in tables.items():
            _write(self.folder / f"{name}.jsonl", "".join(lines))

    def _spool(self, key: str) -> Path:
        return self.folder / "cells" / f"{key[:32]}.jsonl"


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run."""
    path = folder / "manifest.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        schema = document["schema"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(
            f"no run lies here ({type(error).__name__})",
            where=str(path),
            hint="compaction-bench run makes one",
        ) from error
    if schema != SCHEMA:
        raise BenchError(
            f"written in schema {schema}, this version reads {SCHEMA}",
            where=str(path),
            hint="run it again",
        )
    return dict(document)


def prices(folder: Path) -> dict[str, Price | None]:
    """The prices that a run was made with, by model."""
    entries = manifest(folder)["identity"]["prices"]["entries"]
    return {model: Price(**entry) if entry else None for model, entry in entries.items()}


def cells(folder: Path) -> list[Stored]:
    """Every cell in the tables of a run, in order."""
    rows: dict[str, Rows] = {}
    heads: list[tuple[str, CellRow]] = []
    for value in _table(folder, "cells"):
        heads.append((value.pop("key"), _row(CellRow, value)))
        rows[heads[-1][0]] = Rows()
    for name, kind in KINDS.items():
        for value in _table(folder, name):
            getattr(rows[value.pop("key")], name).append(_row(kind, value))
    return [Stored(key, Result(row, rows[key])) for key, row in heads]


def find(name: str, root: Path = ROOT) -> Path:
    """The run of a name, of the beginning of one, or of a path; the newest for ``latest``."""
    if (Path(name) / "manifest.json").is_file():
        return Path(name)
    runs = sorted(
        (path.parent for path in root.glob("*/manifest.json")),
        key=lambda path: (manifest(path)["started"], path.name),
    )
    found = runs[-1:] if name == "latest" else [run for run in runs if run.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(run.name for run in (found or runs)[-8:]) or "none yet"
    what = f"{len(found)} runs begin with {name!r}" if found else f"no run called {name!r}"
    raise BenchError(what, where=str(root), hint=f"there are {known}")


def _table(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    path = folder / f"{name}.jsonl"
    try:
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)
    except (OSError, ValueError) as error:
        raise BenchError(
            f"the table cannot be read ({type(error).__name__})",
            where=str(path),
            hint="run the same command again, it is made anew from the finished cells",
        ) from error


def _read_spool(path: Path) -> Result | None:
    """A spooled cell, None if the file is not whole."""
    try:
        body, _, last = path.read_text(encoding="utf-8").rstrip("\n").rpartition("\n")
        end = json.loads(last)
        lines = [json.loads(line) for line in body.splitlines()]
        if end["end"] != len(lines) or end["sha256"] != _sum(body + "\n"):
            return None
        rows = Rows()
        for line in lines[1:]:
            ((name, value),) = line.items()
            getattr(rows, name).append(_row(KINDS[name], value))
        return Result(_row(CellRow, lines[0]["cell"]), rows)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _row(kind: type[Row], value: dict[str, Any]) -> Row:
    names = {spec.name for spec in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: _frozen(value[name]) for name in names})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a whole file or none."""
    unfinished = path.with_name(f".{path.name}.tmp")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _drift(known: Any, wanted: Any) -> str:
    """What differs between two identities, in one line."""
    old, new = (
        json.dumps(value, indent=0, sort_keys=True).splitlines() for value in (known, wanted)
    )
    changed: Iterable[str] = (
        line
        for line in unified_diff(old, new, lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    )
    return " ".join(changed)[:600]
