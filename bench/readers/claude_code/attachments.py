"""What the harness of Claude Code adds on the user's side, and who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.readers import blocks
from bench.readers.images import image
from bench.readers.loose import compact, items, obj, text
from bench.trace import Part, Text

_LOCAL = ("<local-command-", "<command-name>")
_HARNESS = (
    *_LOCAL,
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "[Request interrupted by user",
)
_REMINDER = ("<system-reminder>", "</system-reminder>")
_FOR_THE_USER = {
    "already_read_file",
    "command_permissions",
    "dynamic_skill",
    "edited_image_file",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_system_message",
    "structured_output",
}


def from_harness(parts: Sequence[Part], raw: dict[str, Any]) -> bool:
    """Whether the harness wrote a user message, by its stated origin or by each of its texts."""
    kind = obj(raw.get("origin")).get("kind")
    if kind not in (None, "human"):
        return True
    texts = [part.text.strip() for part in parts if isinstance(part, Text)]
    return bool(texts) and all(map(_marked, texts))


def _marked(said: str) -> bool:
    reminder = said.startswith(_REMINDER[0]) and said.endswith(_REMINDER[1])
    return reminder or said.startswith(_HARNESS)


def is_local_command(parts: Sequence[Part]) -> bool:
    """Whether a message is a command that the harness runs without the model, or its output."""
    return all(isinstance(part, Text) and part.text.strip().startswith(_LOCAL) for part in parts)


def is_injected(attachment: dict[str, Any], parts: Sequence[Part]) -> bool:
    """Whether no person wrote an attachment; a person's is a prompt typed while work went on."""
    return attachment.get("type") != "queued_command" or from_harness(parts, attachment)


def render(attachment: dict[str, Any], note: Callable[[str], None]) -> tuple[Part, ...]:
    """Write an attachment as the model may have read it; nothing if it is for the user only."""
    kind = text(attachment.get("type"))
    if kind in _FOR_THE_USER:
        return ()
    if kind == "queued_command":
        return blocks.parts(attachment.get("prompt"), note)
    if kind == "file":
        return _file(attachment)
    written = _WRITERS.get(kind, _plain)(attachment)
    return (Text(written),) if written else ()


def _file(attachment: dict[str, Any]) -> tuple[Part, ...]:
    content = obj(attachment.get("content"))
    file = obj(content.get("file"))
    head = f"File {text(attachment.get('filename'))}"
    if content.get("type") == "image":
        return Text(head), image(text(file.get("base64")), text(file.get("type")))
    return (Text(f"{head}:\n{text(file.get('content'))}"),)


def _delta(attachment: dict[str, Any]) -> str:
    """Tools, agents or instructions that came or went: the longest wording there is."""
    added = max((_lines(attachment.get(f"added{key}")) for key in _DELTAS), key=len)
    removed = max((_lines(attachment.get(f"removed{key}")) for key in _DELTAS), key=len)
    kind = text(attachment.get("type")).removesuffix("_delta").replace("_", " ")
    parts = [f"{kind} added:\n{added}" if added else "", f"{kind} removed:\n{removed}"]
    return "\n".join(part for part in parts[: 1 + bool(removed)] if part)


_DELTAS = ("Names", "Types", "Lines", "Blocks")


def _lines(value: Any) -> str:
    return "\n".join(map(text, items(value)))


def _tasks(attachment: dict[str, Any]) -> str:
    tasks = [obj(task) for task in items(attachment.get("content"))]
    lines = [
        f"- [{text(task.get('status'))}] {text(task.get('subject')) or text(task.get('content'))}"
        for task in tasks
    ]
    return "\n".join(["Task list:", *lines]) if lines else "The task list is empty."


def _hook(attachment: dict[str, Any]) -> str:
    """Output of a hook: the model is shown that of two events only."""
    shown = attachment.get("hookEvent") in ("SessionStart", "UserPromptSubmit")
    return text(attachment.get("content")) if shown else ""


def _plain(attachment: dict[str, Any]) -> str:
    """Text where there is some, else all fields as JSON."""
    content = attachment.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(line, str) for line in content):
        return "\n".join(content)
    return compact({key: value for key, value in attachment.items() if key != "type"})


_WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "agent_listing_delta": _delta,
    "compact_file_reference": lambda a: f"File {text(a.get('filename'))} was read before.",
    "deferred_tools_delta": _delta,
    "edited_text_file": lambda a: (
        f"File {text(a.get('filename'))} was changed:\n{text(a.get('snippet'))}"
    ),
    "hook_success": _hook,
    "mcp_instructions_delta": _delta,
    "nested_memory": lambda a: (
        f"Memory {text(a.get('path'))}:\n{text(obj(a.get('content')).get('content'))}"
    ),
    "task_reminder": _tasks,
    "todo_reminder": _tasks,
}
