"""The least that an agent can be shown: the last request of the user and the last group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bench import Group, Message, Strategy, Window


@dataclass(frozen=True)
class Floor(Strategy):
    """Send only the last message a person wrote and the last group; forget nothing."""

    attempts = 0  # there is nothing it could do about a refusal

    trigger: float = field(init=False, default=0.0, repr=False)  #: nothing is ever due
    target: float | None = field(init=False, default=None, repr=False)  #: nothing is shrunk

    def due(self, window: Window) -> bool:
        """Never: the view stays whole and only the request is cut."""
        return False

    def render(self, window: Window) -> Sequence[Message]:
        """The last message of a person in front of the last group."""
        view = window.messages
        # Both are looked for from the end: grouping the whole view at every step would make
        # the cost of a replay quadratic.
        start = len(view) - 1
        while start > 0 and view[start].role == "tool" and view[start - 1].role in _GROUPED:
            start -= 1
        last = view[max(start, 0) :]
        asked = next((m for m in reversed(view) if m.role == "user" and not m.injected), None)
        if asked is None:
            return window.opened([Group(last)]) if last else ()
        return last if asked in last else (asked, *last)


_GROUPED = ("assistant", "tool")
