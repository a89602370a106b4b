"""Chats in the shape of the OpenAI API, and our own trace files, which are made of it.

A file is a list of messages, an object with ``messages`` (``tools``, ``model``), lines of either,
or a message a line. What the provider would not have accepted is mended so that nothing is lost:
a result stands with its call, and one without a call becomes an injected user message. Files with
our own header are taken as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.errors import BenchError
from bench.readers import native
from bench.readers.loose import compact, items, obj, text
from bench.readers.native import build, dump
from bench.readers.source import Source
from bench.trace import Compaction, FileEvent, Message, Repair, ToolCall, Trace, Usage

__all__ = ["LOOKS_FOR", "NAME", "claims", "dump", "from_rows", "read"]

NAME = "openai-chat"
LOOKS_FOR = "messages with role and content"

_ROLES = ("system", "developer", "user", "assistant", "tool")
_OTHER_SHAPE = {"tool_use", "tool_result", "thinking", "redacted_thinking"}


def claims(values: Sequence[Any]) -> bool:
    """Whether these first values of a file are chats or chat messages."""
    rows = [row for _, rows in _conversations(enumerate(values), []) for row in rows]
    return bool(rows) and not any(_foreign(row) for row in rows)


def _foreign(row: dict[str, Any]) -> bool:
    kinds = {obj(item).get("type") for item in items(row.get("content")) if isinstance(item, dict)}
    return not kinds.isdisjoint(_OTHER_SHAPE)


def read(source: Source) -> list[Trace]:
    """Read the conversations of a file."""
    found = list(_conversations(source.values(), source.repairs))
    traces = []
    for at, (about, rows) in enumerate(found, 1):
        name = source.stem if len(found) == 1 else f"{source.stem}#{at}"
        try:
            trace = from_rows(rows, id=name)
        except BenchError as fault:
            raise source.error(fault.what) from None
        tools = about.get("tools") or about.get("functions")
        model = text(about.get("model")) or trace.model
        traces.append(replace(trace, tools=_tools(tools) or trace.tools, model=model))
    return traces


def _tools(raw: Any) -> tuple[str, ...]:
    """Tool schemas as JSON text, from a list or from the JSON text of one."""
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return (raw,)
    return tuple(tool if isinstance(tool, str) else compact(tool) for tool in items(raw))


def _conversations(
    values: Iterable[tuple[int, Any]], repairs: list[Repair]
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each conversation: what is said about it, and its messages."""
    running: list[dict[str, Any]] = []
    for line, value in values:
        whole = list(_whole(value))
        header = isinstance(value, dict) and "trace" in obj(value.get("bench"))
        if (whole or header) and running:
            yield {}, running
            running = []
        yield from whole
        if header or _is_message(value):
            running.append(value)
        elif not whole:
            repairs.append(Repair(f"line {line}", "neither a message nor a chat, left out"))
    if running:
        yield {}, running


def _whole(value: Any) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The conversations that one value holds: an object with messages, or a list."""
    for one in value if isinstance(value, list) else [value]:
        rows = items(obj(one).get("messages"))
        if rows and all(map(_is_message, rows)):
            yield one, rows
    if isinstance(value, list) and value and all(map(_is_message, value)):
        yield {}, value


def _is_message(value: Any) -> bool:
    row = obj(value)
    said = ("content", "tool_calls", "function_call", "bench")
    return isinstance(row.get("role"), str) and any(key in row for key in said)


def from_rows(rows: Iterable[dict[str, Any]], *, id: str) -> Trace:  # noqa: A002
    """Make a trace of message rows, after our own header row where there is one."""
    listed = list(rows)
    header = obj(obj(listed[0].get("bench")).get("trace")) if listed else {}
    native_file = "trace" in obj(listed[0].get("bench")) if listed else False
    repairs = [build(Repair, one) for one in items(header.get("repairs"))]
    messages: list[Message] = []
    events = [build(FileEvent, one) for one in items(header.get("events"))]
    usage = [
        (text(pair[0]), build(Usage, pair[1]))
        for pair in items(header.get("usage"))
        if isinstance(pair, list) and len(pair) == 2
    ]
    for at, row in enumerate(listed[native_file:], 1):
        one = _message(row, at, repairs)
        messages.append(one)
        extra = obj(row.get("bench"))
        events += [build(FileEvent, event, message=one.id) for event in items(extra.get("events"))]
        usage += [(one.id, build(Usage, billed)) for billed in items(extra.get("usage"))]
    _check_ids(messages)
    if not native_file:
        messages = _paired(messages, repairs)
    opening = header.get("pinned")
    pinned = opening if isinstance(opening, int) and opening >= 0 else _leading(messages)
    return Trace(
        text(header.get("id")) or id,
        tuple(messages[pinned:]),
        pinned=tuple(messages[:pinned]),
        tools=_tools(header.get("tools")),
        model=text(header.get("model")),
        source=text(header.get("source")) if native_file else NAME,
        licence=text(header.get("licence")),
        events=tuple(events),
        compactions=tuple(build(Compaction, one) for one in items(header.get("compactions"))),
        repairs=tuple(repairs),
        usage=tuple(usage),
    )


def _message(row: dict[str, Any], at: int, repairs: list[Repair]) -> Message:
    def note(why: str) -> None:
        repairs.append(Repair(f"message {at}", why))

    role = row.get("role")
    if role == "function":
        role = "tool"
    if role not in _ROLES:
        note(f"the unknown role {compact(role)[:40]}, read as user")
        role = "user"
    made = native.message(row, role, f"m{at}", note)
    parts = tuple(
        replace(part, id=f"{made.id}-{place}")
        if isinstance(part, ToolCall) and not part.id and "bench" not in row
        else part
        for place, part in enumerate(made.parts)
    )
    return replace(made, parts=parts) if parts != made.parts else made


def _check_ids(messages: Sequence[Message]) -> None:
    seen: set[str] = set()
    for message in messages:
        if message.id in seen:
            raise BenchError(f"two messages have the id {message.id!r}")
        seen.add(message.id)


def _leading(messages: Sequence[Message]) -> int:
    """How many system and developer messages stand in front."""
    others = (at for at, one in enumerate(messages) if one.role not in ("system", "developer"))
    return next(others, len(messages))


def _paired(messages: Sequence[Message], repairs: list[Repair]) -> list[Message]:
    """Put each tool result behind the call that it answers: the latest open one of its id."""
    blocks: list[list[Message]] = []
    waiting: list[tuple[ToolCall, list[Message]]] = []
    for at, message in enumerate(messages, 1):
        if message.role != "tool":
            blocks.append([message])
            waiting += [(call, blocks[-1]) for call in message.calls]
            continue
        found = _call_for(message, waiting)
        if found is None:
            why = f"no call {message.answers} before it: the result was kept as user text"
            repairs.append(Repair(f"message {at}", why))
            blocks.append([replace(message, role="user", answers="", name="", injected=True)])
            continue
        call, block = waiting.pop(found)
        if block is not blocks[-1]:
            repairs.append(Repair(f"message {at}", "a result that stood late, moved to its call"))
        if message.answers != call.id or not message.name:
            message = replace(message, answers=call.id, name=call.name)
        block.append(message)
    return [message for block in blocks for message in block]


def _call_for(message: Message, waiting: Sequence[tuple[ToolCall, list[Message]]]) -> int | None:
    """Find the open call of a result: by id, else by name, else the oldest of the last message."""
    places = range(len(waiting) - 1, -1, -1)
    if message.answers:
        return next((at for at in places if waiting[at][0].id == message.answers), None)
    if message.name:
        return next((at for at in places if waiting[at][0].name == message.name), None)
    last = waiting[-1][1] if waiting else None
    return next((at for at, (_, block) in enumerate(waiting) if block is last), None)
