"""The shape of an OpenAI chat message, and the parts of a message that it can say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench.readers.images import from_url
from bench.readers.loose import compact, items, number, obj, text
from bench.trace import Image, Message, Opaque, Part, Reasoning, Text, ToolCall

Note = Callable[[str], None]


def quiet(why: str) -> None:
    """Take no note of a repair."""


def row(message: Message) -> dict[str, Any]:
    """The message in the chat shape: reasoning, content and calls, in this order."""
    thoughts = [part for part in message.parts if isinstance(part, Reasoning)]
    said = [part for part in message.parts if not isinstance(part, Reasoning | ToolCall)]
    made: dict[str, Any] = {"role": message.role}
    if len(thoughts) == 1 and thoughts[0].text and not thoughts[0].signature:
        made["reasoning_content"] = thoughts[0].text
    made["content"] = _content(said)
    if message.calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    if message.answers:
        made["tool_call_id"] = message.answers
    if message.name:
        made["name"] = message.name
    return made


def _content(said: Sequence[Part]) -> str | list[dict[str, Any]] | None:
    if not said:
        return None
    if len(said) == 1 and isinstance(said[0], Text) and said[0].text:
        return said[0].text
    return [_item(part) for part in said]


def _item(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Opaque):
        return {"type": "opaque", "tokens": part.tokens}
    if not isinstance(part, Image):
        raise TypeError(part)
    url = f"data:{part.media_type};base64,{part.data}" if part.media_type else part.data
    item: dict[str, Any] = {"type": "image_url", "image_url": {"url": url}}
    read = from_url(url)
    names = ("data", "media_type", "width", "height")
    differing = {n: getattr(part, n) for n in names if getattr(part, n) != getattr(read, n)}
    return item | {"bench": differing} if differing else item


def parts(row: dict[str, Any], note: Note = quiet) -> tuple[Part, ...]:
    """The parts of a message in the chat shape; ``note`` is told what was kept as JSON text."""
    thought = text(row.get("reasoning_content")) or text(row.get("reasoning"))
    content = row.get("content")
    said = [Text(content)] if content and isinstance(content, str) else []
    listed = [_part(item, note) for item in items(content)]
    return (*([Reasoning(thought)] if thought else ()), *said, *listed, *_calls(row))


def _part(item: Any, note: Note) -> Part:
    if isinstance(item, str):
        return Text(item)
    item = obj(item)
    for key in ("text", "refusal"):
        if isinstance(item.get(key), str):
            return Text(item[key])
    if item.get("type") == "image_url":
        url = text(item.get("image_url")) or text(obj(item.get("image_url")).get("url"))
        return _resized(from_url(url), obj(item.get("bench")))
    if item.get("type") == "opaque":
        return Opaque(max(0, number(item.get("tokens")) or 0))
    note(f"a content part of the unknown type {compact(item.get('type'))[:40]}, kept as JSON text")
    return Text(compact(item))


def _resized(read: Image, recorded: dict[str, Any]) -> Image:
    return Image(
        text(recorded.get("data", read.data)),
        text(recorded.get("media_type", read.media_type)),
        number(recorded.get("width", read.width)) or 0,
        number(recorded.get("height", read.height)) or 0,
    )


def _calls(row: dict[str, Any]) -> Iterator[ToolCall]:
    legacy = row.get("function_call")
    for call in [*items(row.get("tool_calls")), *([legacy] if legacy else [])]:
        call = obj(call)
        function = obj(call.get("function")) or call
        arguments = function.get("arguments")
        raw = arguments if isinstance(arguments, str) else compact(arguments or {})
        yield ToolCall(text(call.get("id")), text(function.get("name")), raw)
