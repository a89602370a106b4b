"""Put a summary in place of all but the newest messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import Declined, Group, Message, Strategy, TooLong, Window
from strategies.contracts.harness_zero import CONTRACT


@dataclass(frozen=True)
class Summarise(Strategy):
    """Summarise everything before the newest messages, an earlier summary included.

    The tail is made of whole groups and takes at most half of the goal; the newest group stays
    whatever its size.
    """

    keep: int = 8  #: newest messages that stay, rounded up to whole groups

    requests = frozenset({"user", "agent"})

    def compact(self, window: Window) -> Sequence[Message]:
        """One summary, then the tail."""
        if not window.messages:
            raise Declined("the view is empty")
        start = self._start(window)
        older, tail = _flat(window.groups[:start]), _flat(window.groups[start:])
        if all(message.covers for message in older):
            raise Declined("nothing but summaries stands before the newest messages")
        summary = _summary(window, window.groups[:start])
        after = (window.note(summary, covers=[message.id for message in older]), *tail)
        if window.tokens(after) >= window.tokens(window.messages):
            raise Declined("the summary is no smaller than what it stands for")
        return after

    def _start(self, window: Window) -> int:
        """The group that the tail begins with."""
        start, count, room = len(window.groups), 0, self.goal(window) / 2
        while start > 0 and count < self.keep:
            group = window.groups[start - 1].messages
            room -= window.tokens(group)
            if room < 0 and count:
                break
            start -= 1
            count += len(group)
        return min(start, len(window.groups) - 1)


def _summary(window: Window, older: Sequence[Group]) -> str:
    """A summary of the groups, or of the newest of them that the summariser can read at once."""
    while True:
        try:
            return window.ask(CONTRACT, window.opened(older), shown="conversation")
        except TooLong as error:
            older = _without_oldest(window, older, error.tokens - error.limit)
            if all(message.covers for message in _flat(older)):
                raise


def _without_oldest(window: Window, older: Sequence[Group], excess: int) -> list[Group]:
    """The groups less the oldest ones worth ``excess`` tokens; earlier summaries stay."""
    kept: list[Group] = []
    excess = max(1, excess)
    for group in older:
        if excess > 0 and not group.messages[0].covers:
            excess -= window.tokens(group.messages)
        else:
            kept.append(group)
    return kept


def _flat(groups: Sequence[Group]) -> tuple[Message, ...]:
    return tuple(message for group in groups for message in group.messages)
