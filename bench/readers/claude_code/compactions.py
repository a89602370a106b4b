"""The compactions that Claude Code made itself, kept out of the record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.readers.claude_code.records import Record
from bench.readers.loose import number, obj, text
from bench.trace import Compaction, Message, Repair


class Compactions:
    """Collects boundaries with their summaries, and what the harness put back after them."""

    def __init__(self) -> None:
        self._found: list[tuple[Record, str | None]] = []
        self._before: list[str] = []  # id of the first message after each
        self._put_back: list[Record] = []
        self._repairs: list[Repair] = []
        self._open = False
        self._ids: dict[str, str] = {}  # message by uuid of each record that it came from

    def take(self, record: Record) -> None:
        """Note a boundary, or the summary that belongs to the one before."""
        if record.kind == "summary" and self._open and self._found[-1][0].kind == "boundary":
            self._found[-1] = (self._found[-1][0], record.text)
        else:
            self._found.append((record, record.text if record.kind == "summary" else None))
        self._open = self._open or record.kind != "micro"

    def put_back(self, record: Record) -> bool:
        """Whether a record between a boundary and what follows is part of the compaction.

        That is each attachment, and the command by which the user asked for it.
        """
        part = self._open and record.kind in ("attachment", "user") and _of_harness(record)
        if part:
            self._put_back.append(record)
        return part

    def follow(self, sources: Iterable[Record], message: Message) -> None:
        """Note the message that comes next in the record."""
        self._open = False
        self._ids.update((source.uuid, message.id) for source in sources)
        self._before += [message.id] * (len(self._found) - len(self._before))
        self._tell_put_back()

    def _tell_put_back(self) -> None:
        if self._put_back:
            first, last = self._put_back[0].line, self._put_back[-1].line
            why = f"{len(self._put_back)} records put back by the compaction, left out"
            self._repairs.append(Repair(f"line {first}-{last}", why))
            self._put_back = []

    def finish(self, path: Sequence[Record]) -> tuple[tuple[Compaction, ...], list[Repair]]:
        """Return the compactions in order, and what is to be told about them."""
        self._tell_put_back()
        before = [*self._before, *[""] * (len(self._found) - len(self._before))]
        made = [
            self._compaction(record, summary, first, path)
            for (record, summary), first in zip(self._found, before, strict=True)
        ]
        return tuple(made), self._repairs

    def _compaction(
        self, record: Record, summary: str | None, before: str, path: Sequence[Record]
    ) -> Compaction:
        meta = record.meta
        trigger = text(meta.get("trigger"))
        tokens, saved = number(meta.get("preTokens")), number(meta.get("tokensSaved"))
        after = number(meta.get("postTokens"))
        if record.kind == "micro":
            trigger = f"micro {trigger}".rstrip()
            after = tokens - saved if tokens is not None and saved is not None else None
        ids = (self._ids.get(uuid, "") for uuid in _kept(record, path))
        return Compaction(
            before=before,
            trigger=trigger,
            time=record.time,
            tokens_before=tokens,
            tokens_after=after,
            summary=summary,
            kept=tuple(dict.fromkeys(id_ for id_ in ids if id_)),
        )


def _of_harness(record: Record) -> bool:
    return record.local or (
        record.kind == "attachment" and all(message.injected for message in record.messages)
    )


def _kept(boundary: Record, path: Sequence[Record]) -> list[str]:
    """The uuids that a compaction says it kept, one by one or as a stretch of the path."""
    listed = obj(boundary.meta.get("preservedMessages")).get("uuids")
    if isinstance(listed, list):
        return [text(uuid) for uuid in listed]
    segment = obj(boundary.meta.get("preservedSegment"))
    uuids = [record.uuid for record in path]
    try:
        head, tail = (uuids.index(text(segment.get(end))) for end in ("headUuid", "tailUuid"))
    except ValueError:
        return []
    return uuids[head : tail + 1]
