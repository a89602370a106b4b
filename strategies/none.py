"""Doing nothing: the ceiling in an unlimited window, a wall in a real one."""

from __future__ import annotations

from dataclasses import dataclass, field

from bench import Strategy, Window


@dataclass(frozen=True)
class NoCompaction(Strategy):
    """Never compact; the provider refuses what no longer fits."""

    attempts = 0  # there is nothing it could do about a refusal

    trigger: float = field(init=False, default=0.0, repr=False)  #: nothing is ever due
    target: float | None = field(init=False, default=None, repr=False)  #: nothing is shrunk

    def due(self, window: Window) -> bool:
        """Never."""
        return False
