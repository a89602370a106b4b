"""File changes that Claude Code reports beside a tool result."""

from __future__ import annotations

from typing import Any

from bench.readers.loose import items, obj, text
from bench.trace import FileEvent, ToolCall


def events(message: str, call: ToolCall, outcome: Any) -> tuple[FileEvent, ...]:
    """Changes made by a successful call; what the report lacks is taken from the call."""
    if call.name not in ("Edit", "MultiEdit", "Write", "NotebookEdit"):
        return ()
    inputs, report = call.inputs, obj(outcome)
    path = text(report.get("filePath")) or text(inputs.get("file_path"))
    if call.name == "Write":
        content = report.get("content", inputs.get("content"))
        return (FileEvent(message, path, "write", text(content)),)
    if call.name == "NotebookEdit":
        path = path or text(report.get("notebook_path")) or text(inputs.get("notebook_path"))
        after = report.get("updated_file")
        content = after if isinstance(after, str) else None
        new = text(report.get("new_source")) or text(inputs.get("new_source"))
        return (FileEvent(message, path, "edit", content, new=new),)
    if call.name == "Edit":
        steps = [report if "oldString" in report else inputs]
    else:
        steps = items(report.get("edits")) or items(inputs.get("edits"))
    before = report.get("originalFile", report.get("originalFileContents"))
    content = before if isinstance(before, str) else None
    made = []
    for step in map(obj, steps):
        old = text(step.get("oldString")) or text(step.get("old_string"))
        new = text(step.get("newString")) or text(step.get("new_string"))
        everywhere = step.get("replaceAll", step.get("replace_all")) is True
        content = _replaced(content, old, new, everywhere)
        made.append(FileEvent(message, path, "edit", content, old, new))
    return tuple(made)


def _replaced(before: str | None, old: str, new: str, everywhere: bool) -> str | None:
    """Apply an edit as the tool does; None where the text before is unknown or lacks ``old``."""
    if not old and not before:
        return new
    if before is None or old not in before:
        return None
    if not new and not old.endswith("\n") and f"{old}\n" in before:
        old = f"{old}\n"  # the tool takes the line break of a deleted line along
    return before.replace(old, new, -1 if everywhere else 1)
