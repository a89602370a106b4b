"""What is benchmarked: a frozen dataclass whose fields are its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from bench.errors import Declined
from bench.trace import Message
from bench.window import UNLIMITED, Window


def scaled(default: int, *, floor: int = 0) -> Any:
    """A field for an amount that bounds context (tokens, characters, bytes).

    It is multiplied by limit / native before a run, down to ``floor`` at the least.
    """
    return field(default=default, metadata={"scaled": True, "floor": floor})


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """The interface of a plug-in. Write ``compact`` or ``render``; the rest has defaults.

    A field that a strategy does not use is declared with ``init=False`` there, and is then no
    parameter of it.
    """

    trigger: float = 0.8  #: share of limit - reserve at which a pass is due
    target: float | None = None  #: share of the budget to shrink to; None: half of the trigger
    scale: bool = True  #: multiply the amounts declared ``scaled`` by limit / native

    native: ClassVar[int | None] = None  #: window that the constants were made for
    attempts: ClassVar[int] = 1  #: compactions tried when the provider refuses a request
    requests: ClassVar[frozenset[str]] = frozenset()  #: obeys compaction asked by user, agent
    clairvoyant: ClassVar[bool] = False  #: is shown the future: a reference, not a contestant

    def admit(self, batch: Sequence[Message], window: Window) -> Sequence[Message]:
        """What enters the view of newly arrived messages: same ids, same order."""
        return batch

    def due(self, window: Window) -> bool:
        """Whether a pass should happen before this call."""
        return window.used >= self.trigger * (window.limit - window.reserve)

    def compact(self, window: Window) -> Sequence[Message]:
        """The next view, kept until the next pass. Raise ``Declined`` to change nothing."""
        raise Declined("this strategy never compacts")

    def render(self, window: Window) -> Sequence[Message]:
        """The view as it is sent this once: a function of record, view and memory."""
        return window.messages

    def goal(self, window: Window) -> float:
        """Tokens to shrink the view to (the pinned part not among them)."""
        if self.target is not None:
            return self.target * window.budget
        half = self.trigger * (window.limit - window.reserve) / 2
        return max(0.0, half - window.pinned)

    @property
    def renders(self) -> bool:
        """Whether requests differ from the view."""
        return type(self).render is not Strategy.render

    @property
    def admits(self) -> bool:
        """Whether messages are changed on arrival."""
        return type(self).admit is not Strategy.admit

    def at(self, limit: int) -> Self:
        """The strategy with its scaled amounts fitted to a window of ``limit`` tokens."""
        if not self.scale or self.native is None or limit >= UNLIMITED:
            return self
        amounts: dict[str, Any] = {
            spec.name: max(
                min(spec.metadata["floor"], getattr(self, spec.name)),
                round(getattr(self, spec.name) * limit / self.native),
            )
            for spec in fields(self)
            if spec.metadata.get("scaled") and getattr(self, spec.name) is not None
        }
        return replace(self, **amounts)

    @property
    def scalable(self) -> bool:
        """Whether the window changes any of the amounts."""
        return self.native is not None and any(s.metadata.get("scaled") for s in fields(self))
