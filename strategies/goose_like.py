"""Compaction as goose does it: everything into one summary, the last request said again.

Source: goose (block/goose, now aaif-goose/goose), main of 2026 as far as it was read: the older
reply loop and the newer state machine, summariser as published in goose-sdk 0.1.0a13.

Two things happen apart from each other. Above the trigger the whole view becomes a summary, a
note to go on, and a copy of the last request, which so moves to the end. And at the start of
a turn the ten oldest tool calls may each become a note, with no regard to tokens.

Deviations and choices:
- Notes stand for pairs where the pairs stood, as they do after a reload; the newer loop puts
  them at the end of its list until then.
- Pairs are looked at when a person's message arrives. Then no call belongs to the running turn,
  which both loops protect, and it is once a turn, as in the older loop. So a long tool loop under
  one request never has its pairs summarised; in neither loop would it.
- Pairs of parallel calls fill places of the batch and stay, so a view may get stuck with them.
- After a refusal two compactions are tried; the older loop tries one, the newer three a request.
- A pass that the user asks for together with a new message comes before that message. Inside
  a turn, where goose has no such command, it leaves the view ending with an assistant's note.
- Each result is a message of its own here; there, one message may hold a batch of them, and the
  rungs of the summary request drop whole messages.
- There, a blank answer passes as a summary in the published library; here it fails the pass.
- The summariser is the model of the run, not a faster one; per-turn hints and the file that very
  large results go to are left out; a failed pass does not end the turn.
- A request is the last user message with text, so an earlier summary where no other is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from bench import Declined, Group, Message, Strategy, SummaryFailed, TooLong, Window
from strategies.blocks.middle_out import middle_out
from strategies.blocks.pair_summaries import calls_kept, old_pairs
from strategies.contracts.goose import PAIR, SUMMARY, readable, transcript

_RUNGS = (0, 10, 20, 50, 100)  # percent of the tool results left out of a summary request

_GO_ON = {
    "requested": "The user had the conversation summed up. I take up the work from the summary.",
    "conversation": "The summary stands for our conversation so far. I answer what comes next.",
    "tool loop": "The summary stands for the work so far. I go on and call tools as needed.",
}


@dataclass(frozen=True)
class GooseLike(Strategy):
    """Sum up the whole view above the trigger, and old tool calls in batches of ten."""

    trigger: float = 0.8  #: share of the limit to be exceeded; outside 0 to 1: never
    target: float | None = field(default=None, init=False)
    pairs: bool = True  #: also replace old tool calls by notes
    cutoff: int | None = None  #: calls never replaced; None: from the window and the trigger

    native: ClassVar[int | None] = 200_000
    attempts: ClassVar[int] = 2
    requests: ClassVar[frozenset[str]] = frozenset({"user"})

    def due(self, window: Window) -> bool:
        """When the trigger is exceeded, or enough old calls have gathered."""
        return self._over(window) or bool(self._old_pairs(window))

    def compact(self, window: Window) -> Sequence[Message]:
        """The summary of everything; notes for the old calls if only these are due."""
        if window.reason == "threshold" and not self._over(window):
            pairs = self._old_pairs(window)
            if pairs:
                return self._note_pairs(window, pairs)
        return self._sum_up(window)

    def _over(self, window: Window) -> bool:
        return 0 < self.trigger < 1 and _size(window) / window.limit > self.trigger

    def _old_pairs(self, window: Window) -> tuple[Group, ...]:
        if not self.pairs or not _turn_starts(window):
            return ()
        if self.cutoff is not None:
            return old_pairs(window.groups, self.cutoff)
        return old_pairs(window.groups, calls_kept(window.limit, self.trigger))

    def _note_pairs(self, window: Window, pairs: Iterable[Group]) -> Sequence[Message]:
        """The view with a note in the place of each pair; a pair that fails stays."""
        places: dict[str, Message | None] = {}
        for call, result in (pair.messages for pair in pairs):
            try:
                text = window.ask(PAIR, transcript((call, result)), shown="text")
            except (SummaryFailed, TooLong):
                continue
            places[call.id] = None
            places[result.id] = window.note(text, covers=(call.id, result.id))
        window.memory["size"] = _size(window)
        view = (places.get(message.id, message) for message in window.messages)
        return tuple(message for message in view if message is not None)

    def _sum_up(self, window: Window) -> Sequence[Message]:
        """Summary and continuation, then the request again, unless the user asked for this."""
        asked = window.reason == "requested"
        end = _before_arrivals(window) if asked else len(window.messages)
        old, arrived = window.messages[:end], window.messages[end:]
        if not old:
            raise Declined("there is nothing to sum up yet")
        try:
            summary = readable(_summary(window, old))
        except (SummaryFailed, TooLong):
            window.notice("The conversation could not be summed up and stays as it is.")
            raise
        note = window.note(summary, covers=[message.id for message in old])
        window.memory["size"] = window.tokens((note,))
        window.notice("The conversation was summed up to make room.")
        if asked:
            return (note, window.note(_GO_ON["requested"], role="assistant"), *arrived)
        request = _request(old)
        variant = "conversation" if request is old[-1] else "tool loop"
        go_on = window.note(_GO_ON[variant], role="assistant")
        if request is None:
            return (note, go_on)
        return (note, go_on, window.replace(window.copy(request), text=request.text, images=()))


def _size(window: Window) -> int:
    """The size that goose believes in.

    What the provider counted last; after a pass the size of its summary alone, until the next
    answer; before the first answer the messages without the pinned part.
    """
    if window.usage is not None:
        return window.usage.usage.input + window.usage.usage.output
    if "size" in window.memory:
        return int(window.memory["size"])
    return window.tokens(window.messages)


def _request(messages: Sequence[Message]) -> Message | None:
    """The latest user message with text that no harness wrote."""
    spoken = (m for m in reversed(messages) if m.role == "user" and m.text and not m.injected)
    return next(spoken, None)


def _before_arrivals(window: Window) -> int:
    """Where the messages begin that a person sent together with the wish for a pass."""
    if not _turn_starts(window):
        return len(window.messages)
    new = {message.id for message in window.new if message.role == "user"}
    places = (at for at, message in enumerate(window.messages) if message.id in new)
    return next(places, len(window.messages))


def _turn_starts(window: Window) -> bool:
    return any(message.role == "user" and not message.injected for message in window.new)


def _summary(window: Window, messages: Sequence[Message]) -> str:
    """The answer to the first request that fits; without tool results there is only one."""
    results = [message for message in messages if message.role == "tool"]
    for percent in _RUNGS if results else _RUNGS[:1]:
        left_out = {results[at].id for at in middle_out(len(results), percent)}
        shown = [message for message in messages if message.id not in left_out]
        try:
            return window.ask(SUMMARY, transcript(shown), shown="text")
        except TooLong as error:
            refused = error
    raise refused
