"""Scenarios by slug or by file: what can be replayed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module, util
from pathlib import Path
from typing import Any

from bench.errors import BenchError, one_line
from bench.readers import read
from bench.readers.openai_chat import from_rows
from bench.scenario import Probe, Request, Scenario
from bench.trace import Trace

PACKAGE = "scenarios"


def slugs() -> tuple[str, ...]:
    """The scenarios that are at hand, without reading their traces."""
    return tuple(sorted(path.parent.name for path in _folder().glob("*/scenario.toml")))


def folder(slug: str) -> Path:
    """The folder of a scenario."""
    if slug not in slugs():
        raise BenchError(f"no scenario called {slug!r}", hint=f"there are {', '.join(slugs())}")
    return _folder() / slug


def recorded() -> tuple[str, ...]:
    """The scenarios that hold a recorded trace; the generated one where there is none."""
    found = tuple(slug for slug in slugs() if (_folder() / slug / "trace.jsonl").is_file())
    return found or ("generated",)


def scenarios(name: str) -> tuple[Scenario, ...]:
    """The scenario of a slug, or those in a session file: one for each of its traces.

    A generated scenario takes its numbers from the slug: ``generated[steps=500,seed=3]``.
    """
    slug, _, params = name.partition("[")
    if slug in slugs():
        return (_shelved(slug, params.rstrip("]")),)
    path = Path(name)
    if not _exists(path) and "/" not in name and "." not in name:
        close = get_close_matches(slug, slugs(), n=1)
        guess = f"did you mean {close[0]}? " if close else ""
        raise BenchError(
            f"no scenario called {name!r}",
            hint=f"{guess}there are {', '.join(slugs())}; or pass a session file",
        )
    if not _exists(path):
        raise BenchError("no such file", where=one_line(name))
    return tuple(Scenario(one_line(trace.id), trace, title=path.name) for trace in read(path))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # the name is too long for a file
        return False


def _folder() -> Path:
    found = util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise BenchError("the package 'scenarios' is not installed beside bench")
    folder = Path(found.submodule_search_locations[0])
    if folder.parent != Path(__file__).parents[1]:
        raise BenchError(
            "another package of this name is in the way",
            where=str(folder),
            hint="run from another folder",
        )
    return folder


def _shelved(slug: str, params: str) -> Scenario:
    folder = _folder() / slug
    declared = _toml(folder / "scenario.toml")
    name, given = slug, declared.get("probe", [])
    if "generate" in declared:
        numbers = _numbers(declared["generate"], params, slug)
        made = import_module(f"{PACKAGE}.{slug.replace('-', '_')}.session").build(**numbers)
        if params:
            name = f"{slug}[{','.join(f'{key}={numbers[key]}' for key in sorted(numbers))}]"
        trace = from_rows(made["rows"], id=name)
        given = [*given, *made["probes"]]
    else:
        trace = read(folder / "trace.jsonl")[0]
    return Scenario(
        name,
        trace,
        title=declared.get("title", ""),
        windows=tuple(declared.get("windows", (64_000,))),
        probes=tuple(_probe(probe, trace, slug) for probe in given),
        requests=tuple(Request(mark["at"], mark["by"]) for mark in declared.get("request", [])),
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(str(error), where=str(path)) from error


def _numbers(declared: Mapping[str, int], params: str, slug: str) -> dict[str, int]:
    numbers = dict(declared)
    for pair in filter(None, params.split(",")):
        key, _, value = (piece.strip() for piece in pair.partition("="))
        if key not in numbers or not value.isdecimal() or len(value) > 6:
            raise BenchError(
                f"cannot set {pair!r}", where=slug, hint=f"whole numbers for {', '.join(declared)}"
            )
        numbers[key] = int(value)
    return numbers


def _probe(declared: Mapping[str, Any], trace: Trace, slug: str) -> Probe:
    try:
        probe = Probe(
            id=declared["id"],
            kind=declared["kind"],
            ask=declared["ask"],
            expect=declared["expect"],
            source=declared["source"],
            forbid=tuple(declared.get("forbid", ())),
        )
    except KeyError as error:
        raise BenchError(f"a probe has no {error}", where=slug) from error
    if not any(message.id == probe.source for message in trace.messages):
        raise BenchError(f"probe {probe.id}: no message {probe.source!r}", where=slug)
    return probe
