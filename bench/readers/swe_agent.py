"""SWE-agent trajectories: ``.traj`` files of version 0 and 1, and the history rows of version 1.

The history is what the model was sent. Where the scaffold had elided an old observation in it, the
full text stands in the trajectory and is put back. Version 0 has no tool calls: commands stand in
the answer and observations are user messages, kept so and marked as injected. Demonstrations
opened every request, so they are pinned. There are no times and no usage of single calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bench.readers import chat
from bench.readers.loose import items, obj, text
from bench.readers.source import Source
from bench.trace import FileEvent, Message, Repair, ToolCall, Trace

NAME = "swe-agent"
LOOKS_FOR = "trajectory and history, or rows with agent and message_type"

_ELIDED = re.compile(r"\s*(OBSERVATION:\s*)?Old environment output: \(\d+ lines? omitted\)")
_EDIT = re.compile(r"edit (?:\d+:\d+)?\n?(.*?)\n?end_of_edit", re.DOTALL)
_CREATE = re.compile(r"create (\S+)\s*")
_DONE = ("has been edited", "File created successfully", "File updated", "Text replaced")


def claims(values: Sequence[Any]) -> bool:
    """Whether these first values of a file are a trajectory or rows of a history."""
    first = obj(values[0]) if values else {}
    whole = isinstance(first.get("trajectory"), list) and isinstance(first.get("history"), list)
    return whole or {"agent", "message_type", "role"} <= first.keys()


def read(source: Source) -> list[Trace]:
    """Read the one session of a file."""
    values = [obj(value) for _, value in source.values()]
    whole = "history" in values[0]
    rows = [obj(row) for row in items(values[0]["history"])] if whole else values
    shown = [text(obj(s).get("observation")) for s in items(values[0].get("trajectory"))]
    repairs: list[Repair] = []
    pinned: list[Message] = []
    messages: list[Message] = []
    events: list[FileEvent] = []
    answered = 0  # steps of the trajectory so far
    call: ToolCall | None = None
    for at, row in enumerate(rows, 1):
        message = _message(f"m{at}", row, task=not messages)
        if _demonstrates(row) or (message.role == "system" and not messages):
            pinned.append(message)
        elif message.role == "assistant":
            messages.append(message)
            answered += 1
            call = message.calls[0] if message.calls else _command(row)
        else:
            full = shown[answered - 1] if 0 < answered <= len(shown) else ""
            if full and _ELIDED.match(message.text):
                repairs.append(Repair(message.id, "an elided observation, put back in full"))
                message = _message(f"m{at}", {**row, "content": full}, task=False)
            messages.append(message)
            events += _events(message, call)
            call = None
    return [
        Trace(
            source.stem,
            tuple(messages),
            pinned=tuple(pinned),
            model=_model(values[0]),
            source=NAME,
            events=tuple(events),
            repairs=tuple(repairs),
        )
    ]


def _message(name: str, row: dict[str, Any], *, task: bool) -> Message:
    """A row as a message; every user message but the task was written by the scaffold."""
    role = text(row.get("role"))
    answers = [text(one) for one in items(row.get("tool_call_ids"))]
    if role == "tool" and answers:
        return Message(name, "tool", chat.parts(row), answers=answers[0])
    if role == "system":
        return Message(name, "system", chat.parts(row))
    if role == "assistant":
        return Message(name, "assistant", chat.parts(row))
    return Message(name, "user", chat.parts(row), injected=not task)


def _demonstrates(row: dict[str, Any]) -> bool:
    return bool(row.get("is_demo")) or row.get("message_type") == "demonstration"


def _command(row: dict[str, Any]) -> ToolCall | None:
    """The action of version 0 as a call, to find edits in."""
    action = text(row.get("action"))
    return ToolCall("", "shell", action) if action else None


def _events(result: Message, call: ToolCall | None) -> Iterator[FileEvent]:
    """The change of a file that a call made, if its result says that it did."""
    if call is None:
        return
    opened = result.text.startswith("[File: ")
    done = any(sign in result.text for sign in _DONE)
    given = call.inputs
    path = text(given.get("path")) or _open_file(result.text)
    match call.name, text(given.get("command")):
        case "str_replace_editor", "create" if done:
            yield FileEvent(result.id, path, "write", text(given.get("file_text")))
        case "str_replace_editor", "str_replace" if done:
            old, new = text(given.get("old_str")), text(given.get("new_str"))
            yield FileEvent(result.id, path, "edit", old=old, new=new)
        case "str_replace_editor", "insert" if done:
            yield FileEvent(result.id, path, "edit", new=text(given.get("new_str")))
        case "create", _ if opened:
            yield FileEvent(result.id, path, "write", "")
        case "insert", _ if opened:
            yield FileEvent(result.id, path, "edit", new=text(given.get("text")))
        case "edit", _ if done:
            old, new = text(given.get("search")), text(given.get("replace"))
            yield FileEvent(result.id, path, "edit", old=old or None, new=new)
        case "shell", _ if done and (found := _EDIT.search(call.arguments)):
            yield FileEvent(result.id, path, "edit", new=found[1])
        case "shell", _ if opened and _CREATE.fullmatch(call.arguments):
            yield FileEvent(result.id, path, "write", "")


def _open_file(shown: str) -> str:
    found = re.search(r"\[File: (.+?) \(\d+ lines total\)\]", shown)
    return found[1] if found else ""


def _model(value: dict[str, Any]) -> str:
    """The model's name, where the file has the configuration of the run."""
    config = value.get("replay_config")
    try:
        config = json.loads(config) if isinstance(config, str) else config
    except (ValueError, RecursionError):
        return ""
    return text(obj(obj(obj(config).get("agent")).get("model")).get("name"))
