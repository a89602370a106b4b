"""What OpenHands' condenser asks for, and how little of each event it lets the writer see."""

from __future__ import annotations

from bench import Contract, Message, Section

PREVIEW = 500  #: characters of a text that the writer of the summary is shown

CONTRACT = Contract(
    name="openhands",
    opening=(
        "The events below are about to be forgotten by a working agent. Write the notes that "
        "let it go on without them: fit them to the kind of task, keep every requirement, hold "
        "finished and open work apart, and be brief."
    ),
    sections=(
        Section("User context", "what the user wants, with requirements and clarifications"),
        Section("Task tracking", "every tracked task with its id and status, if there are any"),
        Section("Completed", "what is done, and what came of it"),
        Section("Pending", "what is still to be done"),
        Section("Current state", "variables, data and whatever else holds right now"),
        Section("Code state", "for code: files, functions and data structures that matter"),
        Section("Tests", "for code: failing cases, error messages, outputs"),
        Section("Changes", "for code: the edits made"),
        Section("Dependencies", "for code: packages, imports and outside services"),
        Section("Version control", "for code: branch, commits, pull request"),
    ),
)


def shown(message: Message, nth: int = 0) -> str:
    """An event as the writer sees it: previews of texts, and never the arguments of a call.

    ``nth`` says which call of the message the event is; only the first carries the text.
    """
    if message.calls:
        thought = f"  thought: {_preview(message.text, PREVIEW)}\n" if not nth else ""
        return f"action of the agent\n{thought}  tool: {message.calls[nth].name}"
    if message.role == "tool":
        return f"result\n  tool: {message.name}\n  output: {_preview(message.text, PREVIEW)}"
    who = "earlier summary" if message.covers else f"message of the {message.role}"
    return f"{who}\n  {_preview(message.text, PREVIEW - 3)}"


def shortened(text: str, longest: int | None) -> str:
    """The text with its middle taken out where it is longer than ``longest``."""
    if longest is None or len(text) <= longest:
        return text
    room = max(0, longest - len(_GAP))
    tail = room // 2
    return text[: room - tail] + _GAP + text[len(text) - tail :]


_GAP = " [...] "


def _preview(text: str, kept: int) -> str:
    return text if len(text) <= PREVIEW else f"{text[:kept]}..."
