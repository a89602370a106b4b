"""What a strategy is given: the record, the view, the sizes, and the services of one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Any, Literal, Protocol

from bench.contract import Contract
from bench.trace import (
    Group,
    Image,
    Message,
    Opaque,
    Part,
    Reasoning,
    Record,
    Role,
    Text,
    ToolCall,
    Turn,
    Usage,
    groups,
    turns,
)

UNLIMITED = 10**12  #: the limit of a window that is never full

Reason = Literal["threshold", "overflow", "requested"]
Shown = Literal["conversation", "text"]


class Services(Protocol):
    """What a window does for a strategy beyond looking: counted, metered and recorded."""

    def count(self, message: Message) -> int:
        """Tokens of one message."""

    def ask(self, contract: Contract, source: Source, shown: Shown, cap: int | None) -> str:
        """Have a summary written; raises ``TooLong`` or ``SummaryFailed``."""

    def archive(self, text: str) -> str:
        """Keep a text outside the view and return the handle that finds it again."""

    def notice(self, text: str) -> None:
        """Tell the user something."""

    def note_id(self, text: str) -> str:
        """An id for a new message: from the pass, the position in it, and the text."""

    def stage(self, name: str, before: int, after: int, left: Sequence[Message]) -> None:
        """Record what one rung did to the size of the request, and the view that it left."""

    def intern(self, message: Message) -> Message:
        """The message made earlier with the same id and content, else this one."""


Source = Sequence[Message] | str


@dataclass(frozen=True, slots=True)
class Reported:
    """Usage of the last answered request, and the last message that it covers."""

    usage: Usage
    covers: str


@dataclass(frozen=True)
class Window:
    """The state before one model call. Read-only: a strategy answers with messages.

    Sizes are tokens. ``used`` is the whole request as it would be sent now (pinned part and
    rendered view; in ``compact`` the view as it stands); ``tokens(messages)`` leaves the pinned
    part out, and so does ``budget``.
    """

    record: Record  #: everything that happened so far
    view: Sequence[Message]  #: what ``messages`` is made of when it is asked for
    limit: int  #: input tokens the model takes
    reserve: int  #: room kept for the answer; counts in triggers only
    pinned: int  #: size of system prompt and tool schemas, in every request, never in the view
    used: int
    services: Services
    new: tuple[Message, ...] = ()  #: messages that arrived since the last call
    usage: Reported | None = None  #: what the provider reported; None at first and after a pass
    reason: Reason = "threshold"
    memory: dict[str, Any] = field(default_factory=dict)  #: JSON values, kept between calls
    now: float = 0.0  #: seconds, never decreasing
    seed: int = 0
    future: tuple[Message, ...] | None = None  #: what is still to come, for references only

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The view: what the model sees unless something is done."""
        return tuple(self.view)  # at most steps nobody looks, and a copy each would add up

    @property
    def budget(self) -> int:
        """Tokens the view may take: limit - reserve - pinned."""
        return self.limit - self.reserve - self.pinned

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The view, in pieces that may not be torn."""
        return groups(self.messages)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The view, from one message of the user's to the next."""
        return turns(self.messages)

    @cached_property
    def rng(self) -> Random:
        """Randomness of this call: the same for the same cell and step."""
        return Random(self.seed)

    def tokens(self, messages: Sequence[Message]) -> int:
        """Size of some messages, without the pinned part."""
        count = self.services.count
        return sum(count(message) for message in messages)

    def last(self, tokens: float) -> tuple[Group, ...]:
        """The newest whole groups that fit into ``tokens``; always at least one."""
        kept: list[Group] = []
        room = tokens
        for group in reversed(self.groups):
            room -= self.tokens(group.messages)
            if room < 0 and kept:
                break
            kept.append(group)
        return tuple(reversed(kept))

    def opened(self, groups: Sequence[Group]) -> tuple[Message, ...]:
        """The groups with a valid opening: a request starts with a user message.

        If they do not, the first user message of the view goes in front, or a one-line note
        where there is none or it would take more than an eighth of the budget.
        """
        rest = tuple(message for group in groups for message in group.messages)
        if rest and rest[0].role == "user":
            return rest
        first = next((m for m in self.messages if m.role == "user"), None)
        if first is None or first in rest or self.services.count(first) > self.budget / 8:
            first = self.note("Earlier messages were removed to make room.")
        return (first, *rest)

    def after(self, messages: Sequence[Message], *, rung: str) -> Window:
        """The window as the next rung sees it, once ``rung`` has left ``messages``."""
        used = self.pinned + self.tokens(messages)
        self.services.stage(rung, self.used, used, messages)
        return replace(self, view=tuple(messages), used=used)

    def note(self, text: str, role: Role = "user", covers: Sequence[str] = ()) -> Message:
        """A new message of the strategy's own."""
        made = Message(self.services.note_id(text), role, (Text(text),), covers=tuple(covers))
        return self.services.intern(made)

    def opaque(self, tokens: int, covers: Sequence[str] = ()) -> Message:
        """A provider's unreadable summary of a known size, as a message of the user's."""
        made = Message(
            self.services.note_id(f"opaque {tokens}"),
            "user",
            (Opaque(tokens),),
            covers=tuple(covers),
        )
        return self.services.intern(made)

    def copy(self, message: Message) -> Message:
        """The same message for another place: content, role and provenance kept."""
        identity = self.services.note_id(f"copy {message.id}")
        return self.services.intern(
            replace(message, id=identity, origin=message.origin or message.id)
        )

    def replace(
        self,
        message: Message,
        *,
        text: str | None = None,
        calls: Sequence[ToolCall] | None = None,
        images: Sequence[Image] | None = None,
        reasoning: Sequence[Reasoning] | None = None,
    ) -> Message:
        """The message with some of its parts exchanged, under the same id.

        Parts that are not named stay. A new text takes the place of the first old one.
        """
        parts = message.parts
        if text is not None:
            parts = _exchange(parts, Text, (Text(text),))
        if calls is not None:
            parts = _exchange(parts, ToolCall, tuple(calls))
        if images is not None:
            parts = _exchange(parts, Image, tuple(images))
        if reasoning is not None:
            parts = _exchange(parts, Reasoning, tuple(reasoning))
        return self.services.intern(replace(message, parts=parts))

    def ask(
        self,
        contract: Contract,
        source: Source,
        *,
        shown: Shown = "text",
        cap: int | None = None,
    ) -> str:
        """Have a summary of ``source`` written; metered, priced and recorded.

        ``conversation`` sends the messages themselves and the prompt behind them, so that it
        can share the cached prefix; ``text`` sends one text. ``cap`` bounds the answer in
        tokens. Raises ``TooLong`` or ``SummaryFailed``.
        """
        if not isinstance(source, str):
            source = tuple(source)
        return self.services.ask(contract, source, shown, contract.cap if cap is None else cap)

    def archive(self, text: str) -> str:
        """Keep a text outside the view; the handle returned finds it again."""
        return self.services.archive(text)

    def notice(self, text: str) -> None:
        """Tell the user what happened."""
        self.services.notice(text)


def _exchange(parts: tuple[Part, ...], kind: type, new: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts with all of one kind taken out and ``new`` where the first of them stood."""
    at = next((n for n, part in enumerate(parts) if isinstance(part, kind)), None)
    if at is None:  # calls go last, anything else first, as providers order them
        return (*parts, *new) if kind is ToolCall else (*new, *parts)
    rest = tuple(part for part in parts[at:] if not isinstance(part, kind))
    return (*parts[:at], *new, *rest)


def digest(text: str) -> str:
    """Eight hex digits that stand for a text in ids and handles."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
