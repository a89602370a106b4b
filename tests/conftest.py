"""Fixtures: a window that stands alone, with a counter and a summariser that are plain to see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bench.contract import Contract
from bench.errors import SummaryFailed, TooLong
from bench.trace import Message, Record, Text, ToolCall
from bench.window import Shown, Source, Window, digest


@dataclass
class Desk:
    """Services for a window in a test: counts words, answers SUMMARY#n, keeps what it is told."""

    words: Callable[[Message], int]
    fail_first: int = 0  #: so many summaries raise SummaryFailed
    max_source: int | None = None  #: sources of more messages raise TooLong
    asked: list[tuple[Contract, Source, Shown, int | None]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    stages: list[tuple[str, int, int]] = field(default_factory=list)
    archived: dict[str, str] = field(default_factory=dict)
    made: dict[Any, Message] = field(default_factory=dict)

    def count(self, message: Message) -> int:
        return self.words(message)

    def ask(self, contract: Contract, source: Source, shown: Shown, cap: int | None) -> str:
        self.asked.append((contract, source, shown, cap))
        if len(self.asked) <= self.fail_first:
            raise SummaryFailed("told to fail")
        if self.max_source is not None and len(source) > self.max_source:
            raise TooLong(len(source), self.max_source)
        return f"SUMMARY#{len(self.asked)}"

    def archive(self, text: str) -> str:
        handle = f"archive:{digest(text)}"
        self.archived[handle] = text
        return handle

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def note_id(self, text: str) -> str:
        return f"note{len(self.made)}-{digest(text)}"

    def stage(self, name: str, before: int, after: int, left: Sequence[Message]) -> None:
        self.stages.append((name, before, after))

    def intern(self, message: Message) -> Message:
        return self.made.setdefault((message.id, message.role, message.parts), message)


def words(message: Message) -> int:
    """Four a message, one a word, and one plus the words of its arguments a call."""
    calls = sum(1 + len(call.arguments.split()) for call in message.calls)
    return 4 + len(message.text.split()) + calls


@pytest.fixture
def make_window() -> Callable[..., Window]:
    """Build a window over messages; ``services`` is a ``Desk`` unless one is given."""

    def make(messages: Sequence[Message], *, limit: int = 64_000, **parts: Any) -> Window:
        desk = parts.pop("services", None) or Desk(words)
        pinned = parts.pop("pinned", 0)
        parts.setdefault("used", pinned + sum(map(desk.count, messages)))
        parts.setdefault("record", Record(tuple(messages)))
        return Window(
            view=tuple(messages),
            limit=limit,
            reserve=parts.pop("reserve", 0),
            pinned=pinned,
            services=desk,
            **parts,
        )

    return make


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    """Build the services of a window, to look at what was asked of them."""
    return lambda **parts: Desk(words, **parts)


@pytest.fixture
def talk() -> Callable[..., list[Message]]:
    """Messages from short words: ``u`` user, ``a`` assistant, ``c`` a call and its result."""

    def make(script: str, *, size: int = 3) -> list[Message]:
        made: list[Message] = []
        for at, letter in enumerate(script):
            text = Text(f"{letter}{at} " + "word " * (size - 1))
            if letter == "u":
                made.append(Message(f"m{at}", "user", (text,)))
            elif letter == "a":
                made.append(Message(f"m{at}", "assistant", (text,)))
            elif letter == "c":
                call = ToolCall(f"call{at}", "read", '{"path": "f.py"}')
                made.append(Message(f"m{at}", "assistant", (text, call)))
                made.append(Message(f"m{at}r", "tool", (text,), answers=call.id, name="read"))
        return made

    return make
