"""The request as the provider would be sent it, kept up to date at the cost of what changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.diff import common_head
from bench.measure.cache import Chain
from bench.run.desk import Desk
from bench.trace import Message, Reasoning


class Outgoing:
    """A chain of messages, with what the provider drops from them already gone."""

    def __init__(self, desk: Desk, digests: dict[Message, bytes]) -> None:
        self._desk = desk
        self.chain = Chain(desk.pinned, digests)
        self._thinking: list[Message] = []  # answers of this turn that hold reasoning
        self._stripped: dict[Message, Message] = {}  # answers whose reasoning is sent no more

    def append(self, messages: Sequence[Message]) -> None:
        """Put messages at the end."""
        sent = self._sent(messages)
        self.chain.extend(sent, [self._desk.count(message) for message in sent])

    def shared(self, messages: Sequence[Message]) -> int:
        """How many of ``messages`` stand already, from the front."""
        return common_head(tuple(self.chain.messages), tuple(self._sent(messages)))

    def follow(self, messages: Sequence[Message], head: int) -> None:
        """Become ``messages``, of which the first ``head`` stand already."""
        self.chain.cut(head)
        self.append(messages[head:])

    def answered(self, message: Message) -> None:
        """Remember an answer whose reasoning is dropped once the turn is over."""
        if any(isinstance(part, Reasoning) for part in message.parts):
            self._thinking.append(message)

    def finish_turn(self) -> None:
        """Send the reasoning of the turn that ends here no more."""
        for message in self._thinking:
            parts = tuple(part for part in message.parts if not isinstance(part, Reasoning))
            if parts:
                self._stripped[message] = self._desk.intern(replace(message, parts=parts))
        self._thinking = []
        request = tuple(self.chain.messages)
        self.follow(request, self.shared(request))

    def _sent(self, messages: Sequence[Message]) -> Sequence[Message]:
        if not self._stripped:
            return messages
        return tuple(self._stripped.get(message, message) for message in messages)
