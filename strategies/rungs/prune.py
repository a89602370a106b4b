"""Clear old tool results and keep the record of the calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import Declined, Message, Strategy, Window, scaled

CLEARED = "[result cleared to make room]"


@dataclass(frozen=True)
class Prune(Strategy):
    """Replace the tool results beyond the newest ``keep_tokens`` by a one-line placeholder.

    Results that the model has not answered yet are not old and stay whatever their size; so do
    those that a placeholder would not make smaller.
    """

    keep_tokens: int = scaled(40_000)  #: tokens of the newest tool results that stay whole

    native = 200_000

    def compact(self, window: Window) -> Sequence[Message]:
        """The view with old results cleared."""
        after = list(window.messages)
        room, fresh = self.keep_tokens, True
        for at in range(len(after) - 1, -1, -1):
            message = after[at]
            if message.role != "tool":
                fresh = False
                continue
            size = window.tokens((message,))
            room -= size
            if room >= 0 or fresh:
                continue
            cleared = window.replace(message, text=CLEARED, images=())
            if window.tokens((cleared,)) < size:
                after[at] = cleared
        if all(new is old for new, old in zip(after, window.messages, strict=True)):
            raise Declined("no old tool result left to clear")
        return after
