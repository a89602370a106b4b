"""The services of one cell: counts, meters, records and remembers for the strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.contract import Contract
from bench.errors import ModelUnavailable, SummaryFailed, TooLong, one_line
from bench.measure.columns import AskRow
from bench.services.archive import Archive
from bench.services.models import Summariser, Summary
from bench.services.tokens import Tokens
from bench.trace import Message, Usage
from bench.window import Shown, Source, digest

#: Tokens a side call would read from the cache: of this conversation, at this moment.
Peek = Callable[[Sequence[Message]], int]

CALL_OVERHEAD = 4  #: tokens of a message around a text


class Desk:
    """What a ``Window`` calls. One a cell; ``open`` starts the record of the next call."""

    def __init__(self, tokens: Tokens, summariser: Summariser, limit: int, pinned: int) -> None:
        self.tokens = tokens
        self.summariser = summariser
        self.limit = limit
        self.pinned = pinned
        self.archived = Archive()
        self.asks: list[AskRow] = []
        self.peek: Peek = lambda _: 0
        self._made: dict[tuple[Any, ...], Message] = {}
        self.open("s", 0)

    def open(self, kind: str, number: int) -> None:
        """Start a call: ``p`` for a pass, ``r`` for a render, ``s`` for admission."""
        self.number = number
        self.notices: list[str] = []
        self.stages: list[tuple[str, int, int, tuple[Message, ...]]] = []
        self._prefix = f"{kind}{number}"
        self._notes = 0

    def count(self, message: Message) -> int:
        """Tokens of a message."""
        return self.tokens.message(message)

    def ask(self, contract: Contract, source: Source, shown: Shown, cap: int | None) -> str:
        """Have a summary written and put it on the bill."""
        read = 0
        if isinstance(source, str):
            size = self.tokens.text(source) + CALL_OVERHEAD
        else:
            size = sum(map(self.count, source))
            if shown == "conversation":
                size += self.pinned
                read = self.peek(source)
        size += self.tokens.text(contract.prompt) + CALL_OVERHEAD
        usage, text, error = Usage(size - read, read), "", ""
        try:
            if size > self.limit:
                raise TooLong(size, self.limit)
            answer = self.summariser.summarise(contract, source, cap, self.tokens)
            if isinstance(answer, Summary):
                usage, text = answer.usage, answer.text
            else:
                text = answer
                usage = Usage(size - read, read, output=self.tokens.text(text))
        except TooLong:
            usage, error = Usage(), "TooLong"  # a refused request is not billed
            raise
        except ModelUnavailable:
            raise
        except Exception as fault:
            error = "SummaryFailed"
            raise SummaryFailed(f"{type(fault).__name__}: {fault}") from fault
        finally:
            self.asks.append(
                AskRow(
                    number=self.number,
                    contract=contract.name,
                    shown=shown,
                    read=usage.cache_read,
                    uncached=usage.uncached,
                    output=usage.output,
                    error=error,
                )
            )
        return text

    def archive(self, text: str) -> str:
        """Keep a text outside the view."""
        return self.archived.put(text)

    def notice(self, text: str) -> None:
        """Tell the user something."""
        self.notices.append(one_line(text))

    def note_id(self, text: str) -> str:
        """An id from the call, the position in it, and the text."""
        self._notes += 1
        return f"{self._prefix}.{self._notes}-{digest(text)}"

    def stage(self, name: str, before: int, after: int, left: Sequence[Message]) -> None:
        """Record what a rung did."""
        self.stages.append((one_line(name), int(before), int(after), tuple(left)))

    def intern(self, message: Message) -> Message:
        """The message made before with the same content: it is counted and hashed once."""
        key = (message.id, message.role, message.parts, message.answers)
        return self._made.setdefault(key, message)
