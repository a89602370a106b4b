"""File changes that SWE-agent's editing tools made, told by the call and by what it showed.

The tools are ``str_replace_editor`` and the windowed ones (create, edit, insert). The record says
what was written, but of an edited file only what a window shows: contents stay unknown. An edit
that a linter or the tool refused changed nothing.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from bench.readers.loose import text
from bench.trace import FileEvent, Message

_FOOTER = re.compile(r"^\(Open file: (.+)\)\r?$", re.MULTILINE)
_WINDOW = re.compile(r"^\[File: (.+) \(\d+ lines total\)\]\r?$", re.MULTILINE)
_RANGE = re.compile(r"edit \d+:\d+ *")
_REFUSED = re.compile(r"Your proposed edit has introduced|NOT been applied")
_EDITED = ("has been edited", "undone successfully")
_CREATED = "File created successfully"
_HEAD = 500  #: characters of a result in which the tool says how it went


def command(action: str) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments in an action that is text; no tool where it is another command."""
    head, _, body = action.strip().partition("\n")
    if _RANGE.fullmatch(head):
        body = body.removesuffix("end_of_edit").removesuffix("\n")
        return "edit", {"replacement_text": body}
    if head.partition(" ")[0] not in ("create", "str_replace_editor"):
        return "", {}
    try:
        tool, *words = shlex.split(action)
    except ValueError:
        return "", {}
    if tool == "create":
        return tool, {"filename": words[0]} if len(words) == 1 else {}
    names = ("command", "path")
    options = zip(words[2::2], words[3::2], strict=False)
    return tool, dict(zip(names, words, strict=False)) | {k.lstrip("-"): v for k, v in options}


def event(result: Message, tool: str, inputs: dict[str, Any]) -> FileEvent | None:
    """The change that a call made, None if its result does not say that it made one."""
    shown = result.text
    if tool == "str_replace_editor":
        return _editor(result.id, shown[:_HEAD], inputs)
    window = _WINDOW.search(shown)
    if not window or _REFUSED.search(shown[:_HEAD]):
        return None
    footers = _FOOTER.findall(shown)
    path = footers[-1] if footers else window[1]
    match tool:
        case "create":
            return FileEvent(result.id, path, "write", "\n")  # one empty line: its window shows it
        case "insert":
            return FileEvent(result.id, path, "edit", new=text(inputs.get("text")))
        case "edit" if "search" in inputs:
            old, new = text(inputs.get("search")), text(inputs.get("replace"))
            return FileEvent(result.id, path, "edit", old=old, new=new)
        case "edit":
            return FileEvent(result.id, path, "edit", new=text(inputs.get("replacement_text")))
    return None


def _editor(message: str, said: str, inputs: dict[str, Any]) -> FileEvent | None:
    path = text(inputs.get("path"))
    new = text(inputs.get("new_str"))
    if inputs.get("command") == "create":
        content = text(inputs.get("file_text"))
        return FileEvent(message, path, "write", content) if _CREATED in said else None
    if not any(sign in said for sign in _EDITED):
        return None
    match inputs.get("command"):
        case "str_replace":
            return FileEvent(message, path, "edit", old=text(inputs.get("old_str")), new=new)
        case "insert":
            return FileEvent(message, path, "edit", new=new)
        case "undo_edit":
            return FileEvent(message, path, "edit")
    return None
