"""A recorded agent session: its messages, and what is known about them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, Literal, overload

Role = Literal["system", "developer", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A reasoning block; ``signature`` is the provider's opaque part, byte for byte."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """An image as recorded (base64 or URL) with its size in pixels, 0 where unknown."""

    data: str
    media_type: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call; ``arguments`` is the recorded JSON text, valid or not."""

    id: str
    name: str
    arguments: str

    @property
    def inputs(self) -> dict[str, Any]:
        """The arguments as a dict; empty where they are not a JSON object."""
        try:
            parsed = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return {}
        return parsed if isinstance(parsed, dict) else {}


@dataclass(frozen=True, slots=True)
class Opaque:
    """A provider's unreadable block, of which only the size in tokens is known."""

    tokens: int


Part = Text | Reasoning | Image | ToolCall | Opaque


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One message. Compared by identity; ``same`` compares content."""

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    answers: str = ""  #: tool messages: id of the call that this is the result of
    name: str = ""  #: tool messages: name of the tool
    error: bool = False  #: tool messages: the tool reported a failure
    time: float | None = None  #: seconds since the epoch, where the log has it
    injected: bool = False  #: user messages that the recorded harness wrote, not a person
    origin: str = ""  #: id of the message that this is a copy of
    covers: tuple[str, ...] = ()  #: notes: ids of the messages that this stands for
    calls: tuple[ToolCall, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        calls = tuple(part for part in self.parts if type(part) is ToolCall)
        object.__setattr__(self, "calls", calls)

    @property
    def text(self) -> str:
        """The text parts, joined by newlines; reasoning and arguments not included."""
        texts = [part.text for part in self.parts if type(part) is Text]
        return texts[0] if len(texts) == 1 else "\n".join(texts)

    def same(self, other: Message) -> bool:
        """Whether a provider would be sent the same bytes for both."""
        return self is other or (
            self.role == other.role
            and self.answers == other.answers
            and self.error == other.error
            and self.parts == other.parts
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Billed tokens of one model call, in disjoint classes."""

    uncached: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0

    @property
    def input(self) -> int:
        """All input tokens, cached or not."""
        return self.uncached + self.cache_read + self.cache_write_5m + self.cache_write_1h


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A change of a file. ``content`` is the whole file afterwards, None where unknown."""

    message: str  #: id of the tool message (or of the call) that reports it
    path: str
    kind: Literal["write", "edit", "delete"]
    content: str | None = None
    old: str | None = None  #: edits: the text that was replaced
    new: str | None = None  #: edits: the text that stands there now


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction that the recorded harness made; never part of the record."""

    before: str  #: id of the first message after it, "" at the end
    trigger: str = ""
    time: float | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary: str | None = None
    kept: tuple[str, ...] = ()  #: ids of messages that stayed verbatim, where the log says


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that a reader mended or left out, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded session. ``pinned`` messages and ``tools`` open every request unchanged."""

    id: str
    messages: tuple[Message, ...]
    pinned: tuple[Message, ...] = ()
    tools: tuple[str, ...] = ()  #: tool schemas as JSON text
    model: str = ""
    source: str = ""  #: transcript format it was read from
    licence: str = ""
    events: tuple[FileEvent, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    repairs: tuple[Repair, ...] = ()
    usage: tuple[tuple[str, Usage], ...] = ()  #: billed usage by id of the assistant message

    @property
    def steps(self) -> int:
        """Number of model calls."""
        return sum(message.role == "assistant" for message in self.messages)


class Record(Sequence[Message]):
    """The trace up to now: a read-only view of a growing list, not a copy of it."""

    __slots__ = ("_length", "_messages")

    def __init__(self, messages: Sequence[Message], length: int | None = None) -> None:
        self._messages = messages
        self._length = len(messages) if length is None else length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Message]:
        return islice(self._messages, self._length)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return tuple(self._messages[at] for at in range(*index.indices(self._length)))
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._messages[index % self._length]


@dataclass(frozen=True, slots=True)
class Group:
    """What may not be torn: a user message, or an assistant message with its tool results."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """From a message a person wrote up to the next one."""

    messages: tuple[Message, ...]


def groups(messages: Sequence[Message]) -> tuple[Group, ...]:
    """Split messages into groups; a tool result belongs to the assistant message before it."""
    starts = [
        at
        for at, message in enumerate(messages)
        if message.role != "tool" or at == 0 or messages[at - 1].role not in ("assistant", "tool")
    ]
    return tuple(Group(tuple(messages[start:end])) for start, end in _spans(starts, messages))


def turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Split messages into turns; what stands before the first user message is one as well."""
    starts = [
        at
        for at, message in enumerate(messages)
        if at == 0 or (message.role == "user" and not message.injected)
    ]
    return tuple(Turn(tuple(messages[start:end])) for start, end in _spans(starts, messages))


def _spans(starts: Sequence[int], messages: Sequence[Message]) -> Iterator[tuple[int, int]]:
    return pairwise([*starts, len(messages)])
