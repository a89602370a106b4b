"""Session files of Claude Code: one JSON record a line, linked to a tree by ``parentUuid``.

The record is the whole conversation over all compactions. What the provider would not have
accepted is mended so that nothing is lost: a result whose call the file does not hold becomes an
injected user message. A call without a result stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.readers.claude_code.branch import conversations
from bench.readers.claude_code.convert import convert
from bench.readers.claude_code.records import Parser
from bench.readers.source import Source
from bench.trace import Trace

NAME = "claude-code"
LOOKS_FOR = "records with uuid and parentUuid"
_MARKS = {"parentUuid", "leafUuid", "isSnapshotUpdate"}


def claims(values: Sequence[Any]) -> bool:
    """Whether these first values of a file are records of Claude Code."""
    return any(isinstance(value, dict) and not _MARKS.isdisjoint(value) for value in values)


def read(source: Source) -> list[Trace]:
    """Read the conversations of a file, side chains after the others."""
    parser = Parser(source.repairs)
    records = [record for line, raw in source.values() if (record := parser.record(line, raw))]
    found = conversations(records, source.repairs)
    mains = [one for one in found if not one.side] or found
    sides = [one for one in found if one.side and one not in mains]
    names = [source.stem] if len(mains) == 1 else _numbered(f"{source.stem}#", len(mains))
    names += _numbered(f"{source.stem}#side-", len(sides))
    return [convert(one, name) for one, name in zip([*mains, *sides], names, strict=True)]


def _numbered(prefix: str, size: int) -> list[str]:
    return [f"{prefix}{at}" for at in range(1, size + 1)]
