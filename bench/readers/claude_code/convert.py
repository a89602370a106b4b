"""A conversation of Claude Code as a trace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bench.readers.claude_code.branch import Conversation
from bench.readers.claude_code.compactions import Compactions
from bench.readers.claude_code.records import Record
from bench.trace import FileEvent, Message, Part, Repair, ToolCall, Trace, Usage


def convert(conversation: Conversation, name: str) -> Trace:
    """Convert the live branch; what was left out of it is told in the repairs."""
    builder = _Builder(conversation)
    for record in conversation.path:
        builder.take(record)
    return builder.trace(name)


class _Builder:
    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._repairs = conversation.repairs
        self._responses: dict[str, list[Record]] = defaultdict(list)
        self._results: dict[str, list[tuple[Record, Message]]] = defaultdict(list)
        self._messages: dict[str, Message] = {}
        self._events: list[FileEvent] = []
        self._usage: list[tuple[str, Usage]] = []
        self._models: Counter[str] = Counter()
        self._compactions = Compactions()
        self._taken: set[str] = set()  # uuids of records already placed
        self._answered: set[str] = set()  # ids of tool messages already placed
        for record in conversation.records:
            if record.kind == "assistant":
                self._responses[record.response].append(record)
            for message in record.messages:
                if message.role == "tool":
                    self._results[message.answers].append((record, message))

    def take(self, record: Record) -> None:
        """Add what the next record of the path says."""
        if record.uuid in self._taken:
            return
        self._taken.add(record.uuid)
        if record.kind == "assistant":
            self._response(record)
        elif record.kind in ("boundary", "micro", "summary"):
            self._compactions.take(record)
        elif not self._compactions.put_back(record):
            self._user_side(record)

    def _response(self, record: Record) -> None:
        """Add an API response, which may be spread over records, and the results of its calls."""
        spread = self._responses[record.response]
        self._taken.update(one.uuid for one in spread)
        calls: dict[str, ToolCall] = {}
        parts: list[Part] = []
        for one in spread:
            for part in one.parts:
                if isinstance(part, ToolCall):
                    if part.id in calls:
                        self._mend(one, f"a second copy of the call {part.id}, left out")
                        continue
                    calls[part.id] = part
                parts.append(part)
        self._models[record.model] += 1
        answer = Message(record.response, "assistant", tuple(parts), time=record.time)
        self._add(spread, answer)
        usages = [one.usage for one in spread if one.usage]
        if usages:
            self._usage.append((record.response, _most(usages)))
        for call in calls:
            candidates = self._results.get(call, ())
            for at, (source, message) in enumerate(candidates):
                self._answered.add(message.id)
                if at == 0:
                    self._add([source], message)
                    self._events += source.events
                else:
                    self._mend(source, f"a second result of the call {call}, left out")

    def _user_side(self, record: Record) -> None:
        for message in record.messages:
            if message.id in self._answered:
                continue
            if message.role == "tool":
                why = f"the call {message.answers} is missing: its result was kept as user text"
                self._mend(record, why)
                message = replace(
                    message, role="user", answers="", name="", error=False, injected=True
                )
            self._add([record], message)

    def _add(self, sources: Sequence[Record], message: Message) -> None:
        self._messages[message.id] = message
        self._compactions.follow(sources, message)

    def _mend(self, record: Record, why: str) -> None:
        self._repairs.append(Repair(f"line {record.line}", why))

    def trace(self, name: str) -> Trace:
        """Put the parts together."""
        self._tell_abandoned()
        compactions, put_back = self._compactions.finish(self._conversation.path)
        return Trace(
            name,
            tuple(self._messages.values()),
            model=max(self._models, key=self._models.__getitem__, default=""),
            source="claude-code",
            events=tuple(self._events),
            compactions=compactions,
            repairs=tuple(sorted([*self._repairs, *put_back], key=_line)),
            usage=tuple(self._usage),
        )

    def _tell_abandoned(self) -> None:
        """List the branches that a rewind left behind, one repair for each."""
        tops: dict[str, Record] = {}
        sizes: Counter[str] = Counter()
        for record in self._conversation.records:
            placed = [message.id in self._answered for message in record.messages]
            if record.uuid in self._taken or (placed and all(placed)):
                continue
            up = record.up
            top = tops.get(up.uuid, record) if up else record
            tops[record.uuid] = top
            sizes[top.uuid] += record.kind in ("assistant", "user", "attachment")
        for uuid, top in tops.items():
            if sizes[uuid]:
                self._mend(top, f"{sizes[uuid]} records of an abandoned branch, left out")


def _most(usages: Sequence[Usage]) -> Usage:
    """Field-wise maximum: the first records of a response count its output only in part."""
    return Usage(
        uncached=max(usage.uncached for usage in usages),
        cache_read=max(usage.cache_read for usage in usages),
        cache_write_5m=max(usage.cache_write_5m for usage in usages),
        cache_write_1h=max(usage.cache_write_1h for usage in usages),
        output=max(usage.output for usage in usages),
    )


def _line(repair: Repair) -> int:
    return int(repair.where.split()[1].partition("-")[0])
