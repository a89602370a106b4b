"""Content blocks of the Anthropic Messages API as parts of a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.readers.images import image
from bench.readers.loose import compact, items, obj, text
from bench.trace import Image, Part, Reasoning, Text, ToolCall


def parts(content: Any, note: Callable[[str], None]) -> tuple[Part, ...]:
    """Convert a string or a list of blocks; ``note`` is told what had to be written as text.

    Empty texts have no content and are no parts: the provider refuses them.
    """
    if isinstance(content, str):
        return (Text(content),) if content else ()
    made = (_part(block, note) for block in items(content))
    return tuple(part for part in made if part is not None)


def _part(block: Any, note: Callable[[str], None]) -> Part | None:
    if isinstance(block, str):
        return Text(block) if block else None
    block = obj(block)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"]) if block["text"] else None
    if kind == "tool_use":
        return ToolCall(text(block.get("id")), text(block.get("name")), compact(block.get("input")))
    if kind == "thinking":
        return Reasoning(text(block.get("thinking")), text(block.get("signature")))
    if kind == "redacted_thinking":
        return Reasoning("", text(block.get("data")))
    if kind in ("image", "document"):
        return _media(obj(block.get("source")))
    if kind == "tool_reference":
        return Text(text(block.get("tool_name")))
    note(f"a block of the unknown type {compact(kind)[:40]}, kept as its JSON text")
    return Text(compact(block))


def _media(source: dict[str, Any]) -> Part:
    """A picture, or a document: plain text as text, a PDF as an image of unknown size."""
    data, media_type = text(source.get("data")), text(source.get("media_type"))
    if source.get("type") == "text":
        return Text(data)
    if source.get("type") == "base64":
        return image(data, media_type)
    return Image(text(source.get("url")) or text(source.get("file_id")), media_type)
