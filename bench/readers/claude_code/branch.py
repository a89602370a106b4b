"""The live branch of each conversation in a tree of records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.readers.claude_code.records import Record
from bench.trace import Repair

_SAID = ("user", "assistant", "attachment", "summary")


@dataclass(slots=True, eq=False)
class Conversation:
    """A tree of records and the path through it that was live at the end."""

    records: list[Record]
    path: list[Record]
    repairs: list[Repair] = field(default_factory=list)

    @property
    def side(self) -> bool:
        """Whether a sub-agent held it."""
        return bool(self.records[0].lane)


def conversations(records: Sequence[Record], repairs: list[Repair]) -> list[Conversation]:
    """Split records into conversations with an answer of the model, in file order."""
    gaps = _link(records)
    found = []
    for tree in _trees(records, gaps):
        said = [record for record in tree if record.kind in _SAID]
        if not any(record.kind == "assistant" for record in said):
            lost = [record for record in said if record.messages]
            if lost:
                why = f"{len(lost)} records of a conversation that no model answered, left out"
                repairs.append(Repair(f"line {lost[0].line}", why))
            continue
        path = _with_preserving_compactions(tree, _up_from(said[-1]))
        mends = [Repair(f"line {r.line}", gaps[r.uuid]) for r in path if r.uuid in gaps]
        found.append(Conversation(tree, path, mends))
    return found


def _link(records: Iterable[Record]) -> dict[str, str]:
    """Set ``up`` of every record; return why by uuid where the recorded link does not hold."""
    by_uuid = {record.uuid: record for record in records}
    before: dict[str, Record] = {}
    gaps = {}
    for record in records:
        up = by_uuid.get(record.parent)
        if record.parent and up is None:
            up = before.get(record.lane)
            gaps[record.uuid] = (
                "its parent is missing, continued from the record before"
                if up
                else "continues a conversation that began before this file"
            )
        # The parent of a side chain's first record may be the call that started it.
        record.up = up if up is None or bool(up.lane) == bool(record.lane) else None
        before[record.lane] = record
    return gaps


def _trees(records: Iterable[Record], gaps: dict[str, str]) -> list[list[Record]]:
    """Group records by their root; a link that would close a loop is cut."""
    roots: dict[str, Record] = {}
    for record in records:
        trail: dict[str, Record] = {}
        at = record
        while at.uuid not in roots and at.up is not None:
            trail[at.uuid] = at
            if at.up.uuid in trail:
                at.up = None
                gaps[at.uuid] = "its parents form a loop, cut here"
            else:
                at = at.up
        root = roots.get(at.uuid, at)
        roots.update(dict.fromkeys([at.uuid, *trail], root))
    trees: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        trees[roots[record.uuid].uuid].append(record)
    return list(trees.values())


def _up_from(leaf: Record) -> list[Record]:
    path = []
    at: Record | None = leaf
    while at is not None:
        path.append(at)
        at = at.up
    return path[::-1]


def _with_preserving_compactions(tree: list[Record], path: list[Record]) -> list[Record]:
    """Put compactions that kept old records into the path.

    The records after such a compaction are linked to the last one it kept, past its boundary.
    """
    on_path = {record.uuid for record in path}
    beside: dict[str, list[Record]] = defaultdict(list)
    for record in tree:
        up = record.up
        if up is None or record.uuid in on_path:
            continue
        if record.kind == "boundary" and _keeps(record):
            beside[up.uuid].append(record)
        elif record.kind == "summary" and up.up and up in beside.get(up.up.uuid, ()):
            beside[up.up.uuid].append(record)
    return [one for record in path for one in (record, *beside.get(record.uuid, ()))]


def _keeps(boundary: Record) -> bool:
    return "preservedMessages" in boundary.meta or "preservedSegment" in boundary.meta
