"""A ladder is a strategy made of rungs, cheapest first; its order is data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from bench.errors import Declined, SummaryFailed, TooLong
from bench.strategy import Strategy
from bench.trace import Message
from bench.window import Window


@dataclass(frozen=True)
class Ladder(Strategy):
    """Run rungs in order until the view is small enough.

    A rung with a ``due`` of its own is asked before it runs; one without runs while the rungs
    before it left the view above the goal. A rung's result that is not smaller is discarded.
    """

    rungs: tuple[Strategy, ...] = ()

    def admit(self, batch: Sequence[Message], window: Window) -> Sequence[Message]:
        """Pass new messages through every rung that works at the source."""
        for rung in self.rungs:
            batch = rung.admit(batch, window)
        return batch

    def due(self, window: Window) -> bool:
        """When the whole is over its trigger, or a rung's own moment has come."""
        return super().due(window) or any(rung.due(window) for rung in self.rungs if _own_due(rung))

    def compact(self, window: Window) -> Sequence[Message]:
        """Apply the rungs; declined if none of them made the view smaller."""
        first = window
        for rung in self.rungs:
            if window.reason == "threshold" and _own_due(rung):
                wanted = rung.due(window)
            else:
                wanted = window.used - window.pinned > self.goal(window)
            if not wanted:
                continue
            try:
                messages = self._aimed(rung).compact(window)
            except Declined:
                continue
            except (SummaryFailed, TooLong) as failure:
                if window is first:
                    raise
                # What the rungs before have freed is worth keeping.
                window.notice(f"{type(rung).__name__} failed: {failure}")
                break
            after = window.after(messages, rung=type(rung).__name__)
            if after.used < window.used:
                window = after
        if window is first:
            raise Declined("no rung made the view smaller")
        return window.messages

    def render(self, window: Window) -> Sequence[Message]:
        """Pass the request through every rung that renders."""
        for rung in self.rungs:
            if rung.renders:
                window = replace(window, view=tuple(rung.render(window)))
        return window.messages

    @property
    def renders(self) -> bool:
        """Whether any rung renders."""
        return any(rung.renders for rung in self.rungs)

    @property
    def admits(self) -> bool:
        """Whether any rung works at the source."""
        return any(rung.admits for rung in self.rungs)

    def at(self, limit: int) -> Self:
        """The ladder with every rung fitted to the window."""
        if not self.scale:
            return self
        return replace(self, rungs=tuple(rung.at(limit) for rung in self.rungs))

    def _aimed(self, rung: Strategy) -> Strategy:
        """The rung with the ladder's goal, unless it has a moment or a target of its own."""
        if _own_due(rung) or rung.target is not None:
            return rung
        return replace(rung, trigger=self.trigger, target=self.target)

    @property
    def scalable(self) -> bool:
        """Whether the window changes the amounts of any rung."""
        return any(rung.scalable for rung in self.rungs)


def _own_due(rung: Strategy) -> bool:
    return type(rung).due is not Strategy.due
