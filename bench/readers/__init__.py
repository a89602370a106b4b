"""Transcripts of many formats as traces: one module a format, told apart by content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType

from bench.errors import BenchError
from bench.readers import claude_code, openai_chat, swe_agent
from bench.readers.source import NotJSON, Source
from bench.trace import Repair, Trace

#: Asked in this order; the first that claims a file reads it, so the general ones come last.
#: Each has NAME, LOOKS_FOR (for people), claims(values) and read(source).
FORMATS: tuple[ModuleType, ...] = (claude_code, swe_agent, openai_chat)

_SNIFFED = 200  #: values of a file that formats are shown; noise may come first


def read(path: Path, format: str | None = None) -> tuple[Trace, ...]:  # noqa: A002
    """Read a transcript, one trace for each conversation in it.

    Every file is read or refused with one line; what was mended is in ``Trace.repairs``.
    """
    source = Source(Path(path))
    reader = _named(format) if format else _sniffed(source)
    try:
        traces: Sequence[Trace] = reader.read(source)
    except RecursionError:
        raise source.error("JSON nested too deeply") from None
    with_steps = [trace for trace in traces if trace.steps]
    if not with_steps:
        raise source.error("a trace without steps", hint="no message of an assistant in it")
    first, *rest = with_steps
    left_out = [
        Repair(trace.id, "a conversation without an assistant message, left out")
        for trace in traces
        if not trace.steps
    ]
    return replace(first, repairs=(*source.repairs, *first.repairs, *left_out)), *rest


def _named(name: str) -> ModuleType:
    for reader in FORMATS:
        if name == reader.NAME:
            return reader
    names = ", ".join(reader.NAME for reader in FORMATS)
    raise BenchError(f"no format is called {name!r}", hint=f"known are {names}")


def _sniffed(source: Source) -> ModuleType:
    try:
        head = [value for _, value in islice(Source(source.path).values(), _SNIFFED)]
    except NotJSON:
        head = []
    for reader in FORMATS:
        if reader.claims(head):
            return reader
    known = ", ".join(f"{reader.NAME} ({reader.LOOKS_FOR})" for reader in FORMATS)
    raise source.error("a file of no known format", hint=f"known are {known}")
