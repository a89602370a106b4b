"""What our own trace files add to the chat shape, under the key ``bench`` of a line.

A header line ``{"bench": {"trace": {...}}}`` describes the trace: id, pinned (how many of the
messages open every request), model, source, licence, tools, compactions, repairs. Each message
follows on a line of its own; its ``bench`` holds only what the chat shape cannot say: id, time,
injected, error, origin, covers, reasoning (with signatures), order (of the parts, where it is not
reasoning, content, calls), events and usage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

from bench.readers import chat
from bench.readers.loose import items, number, obj, text
from bench.trace import Message, Part, Reasoning, Trace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
D = TypeVar("D", bound="DataclassInstance")

_EXTRA = ("id", "time", "injected", "error", "origin", "covers")


def dump(trace: Trace) -> Iterator[str]:
    """Yield the lines of a trace file; reading them gives the same trace."""
    messages = [*trace.pinned, *trace.messages]
    events = _by_message(messages, trace.events, lambda event: event.message)
    usage = _by_message(messages, trace.usage, lambda billed: billed[0])
    header = {"id": trace.id, "pinned": len(trace.pinned)}
    header |= {
        name: value
        for name in ("model", "source", "licence", "tools")
        if (value := getattr(trace, name))
    }
    header |= {
        name: [_differing(item) for item in value]
        for name in ("compactions", "repairs")
        if (value := getattr(trace, name))
    }
    if events is None:
        header["events"] = [_differing(event) for event in trace.events]
    if usage is None:
        header["usage"] = [[id_, _differing(billed)] for id_, billed in trace.usage]
    yield _line({"bench": {"trace": header}})
    for message in messages:
        row = chat.row(message)
        extra = _extra(message, row)
        if events and message.id in events:
            extra["events"] = [_differing(event, "message") for event in events[message.id]]
        if usage and message.id in usage:
            extra["usage"] = [_differing(billed) for _, billed in usage[message.id]]
        yield _line(row | {"bench": extra})


def parts(row: dict[str, Any], note: chat.Note = chat.quiet) -> tuple[Part, ...]:
    """The parts of a message in the chat shape, with what its extension says about them."""
    extra = obj(row.get("bench"))
    made = chat.parts(row, note)
    if "reasoning" in extra:
        said = (part for part in made if not isinstance(part, Reasoning))
        made = (*(build(Reasoning, one) for one in items(extra["reasoning"])), *said)
    order = extra.get("order")
    if order and sorted(map(str, items(order))) == sorted(map(str, range(len(made)))):
        made = tuple(made[int(at)] for at in order)
    return made


def build(kind: type[D], raw: Any, **known: str) -> D:
    """Make a dataclass of JSON fields; what is absent or of the wrong type takes the default."""
    values = obj(raw)
    read = {one.name: _read(one, values[one.name]) for one in fields(kind) if one.name in values}
    required = {one.name: "" for one in fields(kind) if one.default is MISSING}
    return kind(**(required | read | known))


def message(row: dict[str, Any], role: Any, default_id: str, note: chat.Note) -> Message:
    """Make a message of a line; ``role`` and ``default_id`` are the reader's decision."""
    extra = obj(row.get("bench"))
    said = {name: extra[name] for name in _EXTRA if name in extra}
    said |= {"answers": row.get("tool_call_id") or "", "name": row.get("name") or ""}
    read = {one.name: _read(one, said[one.name]) for one in fields(Message) if one.name in said}
    return Message(**{"id": default_id} | read | {"role": role, "parts": parts(row, note)})


def _read(field: Field[Any], value: Any) -> Any:
    """Take a JSON value for a field, by the field's annotation."""
    match field.type:
        case "int":
            return number(value) or 0
        case "int | None":
            return number(value)
        case "float | None":
            return _seconds(value)
        case "str | None":
            return value if isinstance(value, str) else None
        case "tuple[str, ...]":
            return tuple(map(text, items(value)))
        case "bool":
            return value is True
    return text(value)


def _seconds(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return None


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _by_message(
    messages: Sequence[Message], found: Sequence[T], key: Callable[[T], str]
) -> dict[str, list[T]] | None:
    """Group what belongs to messages; None where that would change its order or lose some."""
    grouped: dict[str, list[T]] = {}
    for item in found:
        grouped.setdefault(key(item), []).append(item)
    order = [item for message in messages for item in grouped.get(message.id, ())]
    return grouped if order == list(found) else None


def _differing(item: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    defaults = {one.name: one.default for one in fields(item)}
    return {
        name: value
        for name, value in asdict(item).items()
        if name not in without and value != defaults[name]
    }


def _extra(message: Message, row: dict[str, Any]) -> dict[str, Any]:
    defaults = {one.name: one.default for one in fields(Message)}
    extra = {name: value for name in _EXTRA if (value := getattr(message, name)) != defaults[name]}
    thoughts = [part for part in message.parts if isinstance(part, Reasoning)]
    if thoughts and "reasoning_content" not in row:
        extra["reasoning"] = [_differing(part) for part in thoughts]
    plain = parts(row | {"bench": extra})
    if plain != message.parts:
        extra["order"] = _order(plain, message.parts)
    return extra


def _order(plain: Sequence[Part], wanted: Sequence[Part]) -> list[int]:
    """Say at which place of ``plain`` each wanted part stands."""
    places: dict[Part, list[int]] = {}
    for at in reversed(range(len(plain))):
        places.setdefault(plain[at], []).append(at)
    return [places[part].pop() for part in wanted]
