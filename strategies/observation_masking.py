"""Observation masking (SWE-agent, JetBrains): old tool results are sent as one-line notes.

Source: behaviour of the history processor ``last_n_observations`` in SWE-agent at commit 3ea751c0,
with the ten observations of arXiv 2508.21433. Deviation: tags that keep or remove single
observations are not modelled, since recorded sessions have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bench import BenchError, Image, Message, Strategy, Window


@dataclass(frozen=True)
class ObservationMasking(Strategy):
    """Send the newest tool results in full, and of the older ones only their length.

    The original counts the task as the first observation and never masks it; so does this.
    Actions and thoughts stay whole, the view is never changed, and no pass ever happens.
    """

    n: int = 10  #: observations sent in full
    polling: int = 1  #: the boundary moves once every so many observations

    attempts = 0  # there is nothing it could do about a refusal

    trigger: float = field(init=False, default=0.0, repr=False)  #: nothing is ever due
    target: float | None = field(init=False, default=None, repr=False)  #: no size is aimed at

    def __post_init__(self) -> None:
        """Refuse counts that mean nothing."""
        if self.n < 1 or self.polling < 1:
            raise BenchError(
                f"n={self.n}, polling={self.polling}",
                where="observation-masking",
                hint="both must be at least 1",
            )

    def due(self, window: Window) -> bool:
        """Never: masks are a matter of the request."""
        return False

    def render(self, window: Window) -> Sequence[Message]:
        """The view with the results beyond the newest ``n`` masked."""
        view = window.messages
        results = [at for at, message in enumerate(view) if message.role == "tool"]
        task = any(message.role == "user" for message in view)
        counted = len(results) + task
        boundary = counted // self.polling * self.polling - self.n
        # The first observation is spared: the task, or the first result where there is none.
        masked = results[: max(0, boundary - 1)] if task else results[1 : max(1, boundary)]
        if not masked:
            return view
        notes = self._notes.of(window)
        shown = list(view)
        for at in masked:
            message = view[at]
            note = notes.get(message)
            if note is None:
                note = notes[message] = _masked(window, message)
            shown[at] = note
        return shown

    @cached_property
    def _notes(self) -> _Notes:
        return _Notes()


class _Notes:
    """Notes made for the messages of one cell, since thousands are sent again at every step."""

    def __init__(self) -> None:
        self._cell: object = None
        self._made: dict[Message, Message] = {}

    def of(self, window: Window) -> dict[Message, Message]:
        """What was made so far in the cell that the window belongs to."""
        if self._cell is not window.services:
            self._cell, self._made = window.services, {}
        return self._made


def _masked(window: Window, message: Message) -> Message:
    lines = len(message.text.splitlines())
    images = sum(isinstance(part, Image) for part in message.parts)
    also = f" and {images} image(s)" if images else ""
    return window.replace(message, text=f"[output not shown: {lines} line(s){also}]", images=())
