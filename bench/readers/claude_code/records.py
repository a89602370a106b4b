"""One line of a Claude Code file, reduced to what a trace needs of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from bench.readers import blocks
from bench.readers.claude_code import attachments, edits
from bench.readers.loose import items, number, obj, seconds, text
from bench.trace import FileEvent, Message, Part, Repair, Text, ToolCall, Usage

Kind = Literal["assistant", "user", "attachment", "boundary", "micro", "summary", "link"]


@dataclass(slots=True, eq=False)
class Record:
    """A record with its place in the tree; a ``link`` matters for its place only."""

    line: int
    uuid: str
    parent: str
    lane: str  #: "" in the main conversation, else which side chain it is of
    kind: Kind = "link"
    up: Record | None = None  #: the record before, once links are resolved
    time: float | None = None
    messages: tuple[Message, ...] = ()  #: of user-side records: tool results first
    parts: tuple[Part, ...] = ()  #: of assistant records
    response: str = ""  #: of assistant records: id of the API response
    model: str = ""
    usage: Usage | None = None
    events: tuple[FileEvent, ...] = ()
    local: bool = False  #: a command that the harness ran by itself, or its output
    text: str = ""  #: of a summary
    meta: dict[str, Any] = field(default_factory=dict)  #: of a compaction


class Parser:
    """Turns raw records into records; remembers the calls, to name their results."""

    def __init__(self, repairs: list[Repair]) -> None:
        self._repairs = repairs
        self._calls: dict[str, ToolCall] = {}
        self._seen: set[str] = set()

    def record(self, line: int, raw: Any) -> Record | None:
        """Convert one value of the file; None for what has no place in the tree."""
        raw = obj(raw)
        uuid = text(raw.get("uuid"))
        if not uuid:
            return None
        if uuid in self._seen:
            self._note(line)("a second copy of a record, left out")
            return None
        self._seen.add(uuid)
        parent = text(raw.get("parentUuid")) or text(raw.get("logicalParentUuid"))
        lane = text(raw.get("agentId")) or "side" if raw.get("isSidechain") is True else ""
        record = Record(line, uuid, parent, lane, time=seconds(raw.get("timestamp")))
        fill = _FILLERS.get(text(raw.get("type")))
        if fill:
            fill(self, record, raw)
        return record

    def _note(self, line: int) -> Callable[[str], None]:
        return lambda why: self._repairs.append(Repair(f"line {line}", why))

    def _assistant(self, record: Record, raw: dict[str, Any]) -> None:
        message = obj(raw.get("message"))
        record.model = text(message.get("model"))
        if record.model == "<synthetic>" or raw.get("isApiErrorMessage") is True:
            self._note(record.line)("a notice of the harness in the model's place, left out")
            return
        record.kind = "assistant"
        record.response = text(message.get("id")) or record.uuid
        record.parts = blocks.parts(message.get("content"), self._note(record.line))
        record.usage = _usage(obj(message.get("usage")))
        for part in record.parts:
            if isinstance(part, ToolCall):
                self._calls[part.id] = part

    def _user(self, record: Record, raw: dict[str, Any]) -> None:
        content = obj(raw.get("message")).get("content")
        note = self._note(record.line)
        if raw.get("isCompactSummary") is True:
            record.kind = "summary"
            record.text = "\n".join(
                part.text for part in blocks.parts(content, note) if isinstance(part, Text)
            )
            return
        record.kind = "user"
        answers = [block for block in items(content) if _is_result(block)]
        rest = [one for one in items(content) if not _is_result(one)] if answers else content
        said = blocks.parts(rest, note)
        ids = _ids(record.uuid, len(answers) + bool(said))
        results = tuple(
            self._result(id_, block, record, note) for id_, block in zip(ids, answers, strict=False)
        )
        if said:
            injected = raw.get("isMeta") is True or attachments.from_harness(said, raw)
            record.local = not answers and attachments.is_local_command(said)
            user = Message(ids[-1], "user", said, time=record.time, injected=injected)
            record.messages = (*results, user)
        else:
            record.messages = results
        if len(results) == 1 and not results[0].error:
            call = self._calls.get(results[0].answers)
            outcome = raw.get("toolUseResult")
            record.events = edits.events(results[0].id, call, outcome) if call else ()

    def _result(
        self, id_: str, block: dict[str, Any], record: Record, note: Callable[[str], None]
    ) -> Message:
        answers = text(block.get("tool_use_id"))
        call = self._calls.get(answers)
        return Message(
            id_,
            "tool",
            blocks.parts(block.get("content"), note),
            answers=answers,
            name=call.name if call else "",
            error=block.get("is_error") is True,
            time=record.time,
        )

    def _attachment(self, record: Record, raw: dict[str, Any]) -> None:
        parts = attachments.render(obj(raw.get("attachment")), self._note(record.line))
        if parts:
            injected = attachments.is_injected(obj(raw.get("attachment")), parts)
            message = Message(record.uuid, "user", parts, time=record.time, injected=injected)
            record.kind, record.messages = "attachment", (message,)

    def _system(self, record: Record, raw: dict[str, Any]) -> None:
        if raw.get("subtype") == "compact_boundary":
            record.kind, record.meta = "boundary", obj(raw.get("compactMetadata"))
        elif raw.get("subtype") == "microcompact_boundary":
            record.kind, record.meta = "micro", obj(raw.get("microcompactMetadata"))


_FILLERS: dict[str, Callable[[Parser, Record, dict[str, Any]], None]] = {
    "assistant": Parser._assistant,
    "user": Parser._user,
    "attachment": Parser._attachment,
    "system": Parser._system,
}


def _is_result(block: Any) -> bool:
    return obj(block).get("type") == "tool_result"


def _ids(uuid: str, size: int) -> list[str]:
    return [uuid] if size == 1 else [f"{uuid}/{at}" for at in range(1, size + 1)]


def _usage(raw: dict[str, Any]) -> Usage | None:
    written = number(raw.get("cache_creation_input_tokens")) or 0
    split = obj(raw.get("cache_creation"))
    hour = number(split.get("ephemeral_1h_input_tokens")) or 0
    usage = Usage(
        uncached=number(raw.get("input_tokens")) or 0,
        cache_read=number(raw.get("cache_read_input_tokens")) or 0,
        cache_write_5m=max(written - hour, 0),
        cache_write_1h=hour,
        output=number(raw.get("output_tokens")) or 0,
    )
    return usage if usage.input or usage.output else None
