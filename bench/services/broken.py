"""Summarisers that fail in the ways models do: a strategy has to notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.contract import Contract
from bench.errors import BenchError, SummaryFailed
from bench.services.tokens import Tokens
from bench.trace import Message

MODES = (
    "empty",
    "blank",
    "error-body",
    "skeleton",
    "tool-call",
    "raises",
    "echoes",
    "inflates",
)


@dataclass(frozen=True, slots=True)
class Broken:
    """Answers in one wrong way, whatever it is asked and however small the cap."""

    mode: str  #: one of ``MODES``

    @property
    def name(self) -> str:
        """The name that resolves to this."""
        return f"broken:{self.mode}"

    def summarise(
        self, contract: Contract, source: Sequence[Message] | str, cap: int | None, tokens: Tokens
    ) -> str:
        """The wrong answer."""
        skeleton = "\n\n".join(f"## {section.title}" for section in contract.sections)
        match self.mode:
            case "empty":
                return ""
            case "blank":
                return " \n\t\n "
            case "error-body":
                return '{"type": "error", "error": {"type": "overloaded_error"}}'
            case "skeleton":
                return skeleton
            case "tool-call":
                return '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>'
            case "echoes":
                return written(source)
            case "inflates":
                return "\n\n".join([skeleton, written(source), written(source)])
            case "raises":
                raise SummaryFailed("the summariser was told to fail")
            case _:
                raise BenchError(f"no mode {self.mode!r}", hint=f"there are {', '.join(MODES)}")


def written(source: Sequence[Message] | str) -> str:
    """A source as one text: messages under their roles, calls with their arguments."""
    if isinstance(source, str):
        return source
    lines: list[str] = []
    for message in source:
        lines.append(f"{message.role}: {message.text}")
        lines += [f"{call.name} {call.arguments}" for call in message.calls]
    return "\n".join(lines)
