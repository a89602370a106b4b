"""What codex's own summariser is asked for, and the words that its summary comes back with."""

from __future__ import annotations

from bench import Contract, Section

SUMMARY = Contract(
    name="codex",
    opening=(
        "Your part of this work ends here and another model takes over. Write what it has to "
        "know, briefly and in an order that is easy to follow."
    ),
    sections=(
        Section("Progress", "what is done, and which decisions were taken on the way"),
        Section("Context", "limits to respect, and what the user prefers"),
        Section("Remaining", "the steps that are still to do, the next one first"),
        Section("References", "data, examples and places without which the work cannot go on"),
    ),
)

PREFACE = (
    "The work on this task was begun by another model, which left you the notes below. Files and "
    "tools are as it left them: build on what is done and do not do it again."
)
