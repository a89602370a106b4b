"""Cut the middle out of long tool outputs and keep the whole in the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import Declined, Message, Strategy, Window, scaled


@dataclass(frozen=True)
class Truncate(Strategy):
    """Keep head and tail of each tool output above ``chars``, with a handle to the rest.

    As a rung it works in a pass, on outputs that are not cut yet; with ``source`` on arrival,
    and then it has no part in passes.
    """

    chars: int = scaled(4_000, floor=400)  #: largest tool output, marker included
    source: bool = False  #: cut on arrival instead of in a pass

    native = 200_000

    @property
    def admits(self) -> bool:
        """Only at the source."""
        return self.source

    def admit(self, batch: Sequence[Message], window: Window) -> Sequence[Message]:
        """Cut what has just arrived."""
        return [self._cut(message, window) for message in batch] if self.source else batch

    def compact(self, window: Window) -> Sequence[Message]:
        """Cut what stands in the view."""
        if self.source:
            raise Declined("works at the source")
        after = [self._cut(message, window) for message in window.messages]
        if all(new is old for new, old in zip(after, window.messages, strict=True)):
            raise Declined(f"no uncut tool output is longer than {self.chars} characters")
        return after

    def _cut(self, message: Message, window: Window) -> Message:
        if message.role != "tool":
            return message
        text = message.text
        if len(text) <= self.chars or _MARK in text:
            return message
        # The marker counts, or a text just above the size would come out longer than it was.
        mark = f"\n[{len(text):,} characters{_MARK}{window.archive(text)}]\n"
        room = max(0, self.chars - len(mark))
        tail = room // 2
        cut = text[: room - tail] + mark + text[len(text) - tail :]
        return window.replace(message, text=cut) if len(cut) < len(text) else message


#: What an output that was cut is known by.
_MARK = ", middle cut out; the whole is kept as "
