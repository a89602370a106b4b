"""OpenHands: forget the middle of the event log and put a summary in its place.

Source: behaviour of ``LLMSummarizingCondenser`` in openhands-sdk 1.58.2, as its stock agent sets it
up. Deviations: the pinned part is one event in front of the view; a replay can always count
tokens, where the original cannot without the agent's model; after a refusal at most 20 passes are
tried, where the original sets no bound; an unanswered call holds no cut up, as after the original's
rebuild of its view; only signed reasoning begins a thinking loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench import BenchError, Declined, Message, Reasoning, Strategy, SummaryFailed, TooLong, Window
from strategies.contracts.openhands import CONTRACT, shortened, shown

EVENTS, TOKENS, REQUEST = "EVENTS", "TOKENS", "REQUEST"

PINNED = Message("", "system")  #: stands for system prompt and tools, one event in front


class Event(NamedTuple):
    """One entry of OpenHands' log: a message, or one call of a message with several."""

    message: Message
    nth: int = 0  #: which call of the message


@dataclass(frozen=True)
class OpenHandsLike(Strategy):
    """The summarising condenser of OpenHands' agent SDK, as its stock agent sets it up.

    Sizes are events: a call is one, its result another, the system prompt the first. The token
    cap is the model's own input limit, so nothing scales with the window. The original leaves
    no room under that limit: a pass for tokens comes when the request no longer fits.
    """

    max_size: int = 80  #: events the view may hold; a pass leaves half
    keep_first: int = 4  #: events at the front that are never forgotten, system prompt included
    max_tokens: int | None = None  #: tokens a request may hold, if less than the limit
    minimum_progress: float = 0.1  #: share of the events that a pass must forget
    reset_tries: int = 5  #: summaries asked for when all events are to be forgotten
    reset_scale: float = 0.8  #: share of the longest event that the next such try may show

    trigger: float = field(init=False, default=1.0, repr=False)  #: ``reasons`` decides
    target: float | None = field(init=False, default=None, repr=False)  #: half, by events

    # The original asks for another condensation after every refusal, without a bound.
    attempts = 20
    requests = frozenset({"user"})

    def __post_init__(self) -> None:
        """Refuse a head that leaves no room for a tail, as the original does."""
        if self.max_size // 2 - self.keep_first - 1 <= 0:
            raise BenchError(
                f"keep_first={self.keep_first} leaves no tail in max_size={self.max_size}",
                where="openhands-like",
                hint="max_size must be above 2 * (keep_first + 1) + 1",
            )

    def due(self, window: Window) -> bool:
        """Whether there is a reason of its own."""
        return bool(self.reasons(window))

    def reasons(self, window: Window) -> frozenset[str]:
        """Why a pass should happen now."""
        found = {
            REQUEST: window.reason != "threshold",
            TOKENS: window.used > self._cap(window),
            EVENTS: _count(window) > self.max_size,
        }
        return frozenset(name for name, holds in found.items() if holds)

    def compact(self, window: Window) -> Sequence[Message]:
        """Forget events behind the head; all of them where that fails and something must go."""
        if not window.messages:
            raise Declined("the view is empty")
        events = log(window)
        # Called without a reason of its own, the pass was asked for from outside.
        reasons = self.reasons(window) or frozenset({REQUEST})
        try:
            return self._forget(window, events, *self.span(window, events, reasons))
        except (Declined, SummaryFailed, TooLong) as failure:
            if reasons == {EVENTS}:  # the only soft reason: tried again at the next step
                raise Declined(f"no condensation available: {failure}") from failure
            return self._reset(window, events)

    def span(
        self, window: Window, events: Sequence[Event], reasons: frozenset[str]
    ) -> tuple[int, int]:
        """First event to forget and first event of the tail; both cuts move forward."""
        tails = {
            REQUEST: len(events) // 2 - self.keep_first - 1,
            EVENTS: self.max_size // 2 - self.keep_first - 1,
        }
        if TOKENS in reasons:
            tails[TOKENS] = self._fitting(window, events)
        wanted = len(events) - min(tails[reason] for reason in reasons)
        head = max(self.keep_first, _pinned(events))
        allowed = gaps(events)
        start = next((gap for gap in allowed if gap >= head), None)
        end = next((gap for gap in allowed if gap >= wanted), None)
        if start is None or end is None or end <= start:
            raise Declined("no place to cut")
        if end - start < len(events) * self.minimum_progress:
            raise Declined("too few events to forget")
        return start, end

    def _cap(self, window: Window) -> int:
        return window.limit if self.max_tokens is None else min(self.max_tokens, window.limit)

    def _fitting(self, window: Window, events: Sequence[Event]) -> int:
        """Events of the tail if forgetting the others brings the request below half the cap."""
        excess = window.used - self._cap(window) // 2
        left = max(0, len(events) - self.keep_first)
        for event in events[self.keep_first :]:
            if excess < 0:
                break
            left -= 1
            excess -= _size(window, event)
        return left

    def _forget(
        self,
        window: Window,
        events: Sequence[Event],
        start: int,
        end: int,
        longest: int | None = None,
    ) -> Sequence[Message]:
        """The view with a summary in place of ``events[start:end]``."""
        forgotten = events[start:end]
        blocks = [f"<event>\n{shortened(shown(*event), longest)}\n</event>" for event in forgotten]
        summary = window.ask(CONTRACT, "\n".join(blocks), shown="text")
        note = window.note(summary, covers=[message.id for message in _messages(forgotten)])
        return (*_messages(events[:start]), note, *_messages(events[end:]))

    def _reset(self, window: Window, events: Sequence[Event]) -> Sequence[Message]:
        """Forget everything behind the system prompt, showing less of each event every try."""
        failure: Exception = Declined("no reset is tried")
        longest: int | None = None
        for _ in range(self.reset_tries):
            try:
                return self._forget(window, events, _pinned(events), len(events), longest)
            except (SummaryFailed, TooLong) as error:
                failure = error
                before = longest or max(len(shown(*event)) for event in events)
                longest = int(before * self.reset_scale)
        raise failure


def log(window: Window) -> list[Event]:
    """The view as events, the pinned part in front."""
    events = [Event(PINNED)] if window.pinned else []
    for message in window.messages:
        events.extend(Event(message, nth) for nth in range(len(message.calls) or 1))
    return events


def gaps(events: Sequence[Event]) -> list[int]:
    """Places where the log may be cut, by the number of events in front.

    None lies between a call and its result, between calls of one answer, or inside a loop of
    calls and results that an answer with signed reasoning began. A call that is never answered
    holds nothing up: the original drops it when it rebuilds its view.
    """
    shut: set[int] = set()
    waiting: dict[str, list[int]] = {}
    loop = False
    for at, (message, nth) in enumerate(events):
        if message.calls:
            waiting.setdefault(message.calls[nth].id, []).append(at)
            thinking = not nth and _thinks(message)
            if nth or (loop and not thinking):
                shut.add(at)
            loop = loop or thinking
        elif message.role == "tool":
            if waiting.get(message.answers):
                shut.update(range(waiting[message.answers].pop() + 1, at + 1))
            if loop:
                shut.add(at)
        else:
            loop = False
    return [gap for gap in range(len(events) + 1) if gap not in shut]


def _thinks(message: Message) -> bool:
    return any(isinstance(part, Reasoning) and part.signature for part in message.parts)


def _count(window: Window) -> int:
    return sum(len(m.calls) or 1 for m in window.messages) + bool(window.pinned)


def _pinned(events: Sequence[Event]) -> int:
    return int(bool(events) and events[0].message is PINNED)


def _messages(events: Sequence[Event]) -> list[Message]:
    return [message for message, nth in events if not nth and message is not PINNED]


def _size(window: Window, event: Event) -> int:
    """Tokens of an event; those of a message with several calls all count for the first."""
    if event.message is PINNED:
        return window.pinned
    return 0 if event.nth else window.tokens((event.message,))
