"""What goose's summariser is shown and asked for, and how its answer is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bench import Contract, Image, Message, Section, Text, ToolCall

SUMMARY = Contract(
    name="goose",
    opening=(
        "Sum up the conversation for an agent that will go on without it. Think first, between "
        "<analysis> and </analysis>. Then write one ```json block: an object with the titles below "
        "as keys, in lower case with underscores, each a list with what matters most in front. "
        "Quote error messages exactly. Completeness counts more than length."
    ),
    sections=(
        Section("User intent", "what the user wants, each goal by itself"),
        Section("Technical concepts", "technologies, terms and ideas that play a part"),
        Section("Files", "objects with path, summary and key_code for files read or changed"),
        Section("Errors and fixes", "what went wrong, and what was done about it"),
        Section("Problem solving", "questions settled, and those still being looked into"),
        Section("User messages", "what the user said, in the user's words"),
        Section("Pending tasks", "what was asked for and is not done yet"),
        Section("Current work", "a string: what was going on when the conversation stopped"),
        Section("Next step", "a string: the very next thing to do"),
    ),
)

PAIR = Contract(
    name="goose-pair",
    opening="Put one tool call and its result into a few short sentences.",
    sections=(
        Section("Call", "which tool was called, and what for"),
        Section("Result", "what came back that later work may need: names, values, errors"),
    ),
)

_PROSE = ("Current work", "Next step")
_FENCE = re.compile(r"```json\b")
_BACKTICKS = re.compile(r"`{3,}")


def transcript(messages: Sequence[Message]) -> str:
    """The messages as one text: a role, then the parts; tool results in full."""
    return "\n".join(_rendered(message) for message in messages)


def _rendered(message: Message) -> str:
    role = "assistant" if message.role == "assistant" else "user"
    parts = list(_parts(message))
    return f"[{role}]: " + ("\n".join(parts) if parts else "(nothing)")


def _parts(message: Message) -> Iterator[str]:
    if message.role == "tool":
        failed = "failed, " if message.error else ""
        yield f"tool_response: {failed}{message.text}"
    for part in message.parts:
        if isinstance(part, ToolCall):
            yield f"tool_request({part.name}): {part.arguments}"
        elif isinstance(part, Image):
            yield "(an image)"
        elif isinstance(part, Text) and message.role != "tool" and part.text:
            yield part.text


def readable(answer: str) -> str:
    """The object in an answer as headings and lists; the answer itself where there is none."""
    for found in _objects(answer):
        blocks = [
            f"## {section.title}\n{body}"
            for section in SUMMARY.sections
            if (body := _body(section.title, found.get(_key(section.title))))
        ]
        if blocks:
            return "\n\n".join(["# What happened so far", *blocks])
    return answer


def _objects(answer: str) -> Iterator[dict[str, Any]]:
    """Objects that open a fenced block, the last block first, or that open the answer."""
    rest = answer.rpartition("</analysis>")[2]
    fenced = [rest[fence.end() :] for fence in _FENCE.finditer(rest)]
    for text in (*reversed(fenced), rest, answer):
        if not text.lstrip().startswith("{"):
            continue
        try:
            found, _ = json.JSONDecoder().raw_decode(text.lstrip())
        except (ValueError, RecursionError):
            continue
        yield found


def _key(title: str) -> str:
    return title.lower().replace(" ", "_")


def _body(title: str, value: Any) -> str:
    entries = value if isinstance(value, list) else [value]
    if title == "Files":
        return "\n\n".join(filter(None, map(_file, entries)))
    lines = filter(None, map(_line, entries))
    return "\n".join(lines if title in _PROSE else (f"- {line}" for line in lines))


def _line(entry: Any) -> str:
    if isinstance(entry, dict):
        return "; ".join(f"{key}: {line}" for key in entry if (line := _line(entry[key])))
    return "" if entry is None else str(entry).strip()


def _file(entry: Any) -> str:
    if not isinstance(entry, dict):
        return f"### {path}" if (path := _line(entry)) else ""
    path, summary, code = (_line(entry.get(key)) for key in ("path", "summary", "key_code"))
    if code:
        fence = "`" * max([3, *(len(run) + 1 for run in _BACKTICKS.findall(code))])
        code = f"{fence}\n{code}\n{fence}"
    return (
        "\n".join(filter(None, (f"### {path}", summary, code))) if path or summary or code else ""
    )
