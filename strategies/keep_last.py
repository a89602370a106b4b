"""The plainest compaction: drop the oldest groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import Message, Strategy, Window


@dataclass(frozen=True)
class KeepLast(Strategy):
    """Keep the newest groups that fit."""

    target: float = 0.5  #: share of the budget to shrink to

    def compact(self, window: Window) -> Sequence[Message]:
        """The newest groups, with a valid opening."""
        return window.opened(window.last(self.target * window.budget))
