"""The summary of the teaching ladder: four sections, none of them optional."""

from __future__ import annotations

from bench import Contract, Section

CONTRACT = Contract(
    name="harness-zero",
    opening=(
        "The messages up to here are about to be replaced by your summary. Where they begin "
        "with an earlier summary, carry over whatever of it still holds."
    ),
    sections=(
        Section("Objective", "what the user wants, in their words, with every limit they set"),
        Section("Decisions", "what was decided and why, and what was tried and given up"),
        Section("Files", "each file that was read or changed, with its present state"),
        Section("Pending", "what is still open, the next step first"),
    ),
)
