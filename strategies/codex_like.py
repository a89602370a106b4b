"""Compaction as the codex CLI does it itself: the user's messages and one summary stay.

Source: openai/codex, main of 2026-08-08, the local summariser (the one for providers without
a compaction endpoint of their own).

A pass keeps what the user wrote, newest first up to a budget, and appends a summary; everything
else goes. Tool output is cut in the middle before it enters the view. Between turns the message
that starts the next turn is neither counted nor summed up: it follows the summary.

Deviations and choices:
- The pinned part stands for the initial context (permissions, environment), which codex inserts
  again: before the last user message inside a turn, behind the summary between turns. So the
  placement is moot; injected user messages are taken for such context and dropped.
- Sizes are estimated from the bytes of text and arguments, not of each item's JSON around them.
- The hard bound of 95 % is left out: with the limit at 90 % at the most it never comes first.
- A refused request is not compacted: codex takes its usage for full and ends the turn, and the
  next turn starts with a pass. Here the turn goes on, with requests that may be refused.
- For a summary request that is too long the oldest group is left out; there, the oldest item and
  its partner, so that text and calls of one assistant message go apart.
- There, an empty answer is replaced by an older assistant message, and a broken stream is asked
  for again; here both fail the pass, and a failed pass does not end the turn.
- Several texts of one tool result are joined before they are cut. Messages of images alone are
  dropped. The words of the marker differ, so the cut texts are some characters longer or shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import ceil, floor
from typing import ClassVar

from bench import (
    Declined,
    Image,
    Message,
    Opaque,
    Reasoning,
    Strategy,
    SummaryFailed,
    Text,
    ToolCall,
    TooLong,
    Window,
    groups,
    scaled,
)
from strategies.blocks.truncate_middle import estimate, truncate_middle
from strategies.contracts.codex import PREFACE, SUMMARY

_HIGHEST = 0.9  # a larger trigger is not obeyed
_MARGIN = 1.2  # what enters the history may exceed the amount meant for the model by so much
_IMAGE = 1_844  # tokens that an image is taken for


@dataclass(frozen=True)
class CodexLike(Strategy):
    """Keep the user's messages and a summary; cut tool output on arrival."""

    trigger: float = 0.9  #: share of the limit to be reached, at most 0.9
    target: float | None = field(default=None, init=False)
    user_tokens: int = scaled(20_000)  #: budget of the user's messages that are kept
    tool_tokens: int = scaled(10_000)  #: size of a tool result; a fifth more enters the view

    native: ClassVar[int | None] = 272_000
    attempts: ClassVar[int] = 0
    requests: ClassVar[frozenset[str]] = frozenset({"user"})

    def admit(self, batch: Sequence[Message], window: Window) -> Sequence[Message]:
        """Cut the middle out of long tool results."""
        room = ceil(self.tool_tokens * _MARGIN)
        return [
            _cut(message, room, window) if message.role == "tool" else message for message in batch
        ]

    def due(self, window: Window) -> bool:
        """When the last reported usage and what came since then reach the limit."""
        if _usage(window) >= self.bound(window.limit):
            return True
        return _turn_starts(window) and window.used - window.tokens(window.new) > window.limit

    def bound(self, limit: int) -> int:
        """Tokens at which a pass is due in a window of ``limit``."""
        share = min(self.trigger, _HIGHEST) * limit
        return floor(round(share, 6))  # a product of floats may end just below a whole number

    def compact(self, window: Window) -> Sequence[Message]:
        """The user's messages, the summary, and the message that starts a new turn."""
        end = _history(window)
        history, arrived = window.messages[:end], window.messages[end:]
        if not history:
            raise Declined("there is nothing before the user's message")
        try:
            summary = _summary(window, history)
        except (SummaryFailed, TooLong):
            window.notice("The conversation could not be compacted.")
            raise
        kept = self._kept(window, history)
        ids = {message.id for message in kept}
        note = window.note(
            f"{PREFACE}\n{summary}", covers=[m.id for m in history if m.id not in ids]
        )
        window.notice("Compacted. Accuracy suffers in long threads, the more so with every pass.")
        return (*kept, note, *arrived)

    def _kept(self, window: Window, history: Sequence[Message]) -> list[Message]:
        """The user's messages that fit, newest first; the first that does not is cut."""
        kept: list[Message] = []
        room = self.user_tokens
        for message in filter(_is_users, reversed(history)):
            if room <= 0:
                break
            kept.append(_text_only(message, truncate_middle(message.text, room), window))
            room -= estimate(message.text)
        return kept[::-1]


def _is_users(message: Message) -> bool:
    """Whether a person wrote it: neither context nor an earlier summary, and not only images."""
    return (
        message.role == "user"
        and not message.injected
        and message.text != ""
        and not message.text.startswith(f"{PREFACE}\n")
    )


def _text_only(message: Message, text: str, window: Window) -> Message:
    if len(message.parts) == 1 and text == message.text:
        return message
    return window.replace(message, text=text, images=())


def _cut(message: Message, room: int, window: Window) -> Message:
    text = truncate_middle(message.text, room)
    return message if text == message.text else window.replace(message, text=text)


def _turn_starts(window: Window) -> bool:
    return any(message.role == "user" and not message.injected for message in window.new)


def _history(window: Window) -> int:
    """Where the messages begin that a new turn brings; the end of the view inside a turn."""
    if not _turn_starts(window):
        return len(window.messages)
    new = {message.id for message in window.new if message.role == "user"}
    places = (at for at, message in enumerate(window.messages) if message.id in new)
    return next(places, len(window.messages))


def _usage(window: Window) -> int:
    """Reported tokens plus an estimate of what followed the last answer; else all estimated."""
    history = window.messages[: _history(window)]
    if window.usage is None:
        return window.pinned + sum(map(_estimate, history))
    since = takewhile(lambda message: message.role != "assistant", reversed(history))
    reported = window.usage.usage
    return reported.input + reported.output + sum(map(_estimate, since))


def _estimate(message: Message) -> int:
    tokens = 0
    for part in message.parts:
        match part:
            case Text(text) | Reasoning(text):
                tokens += estimate(text)
            case ToolCall(name=name, arguments=arguments):
                tokens += estimate(name + arguments)
            case Image():
                tokens += _IMAGE
            case Opaque(size):
                tokens += size
    return tokens


def _summary(window: Window, history: Sequence[Message]) -> str:
    """The answer to the first request that fits: the oldest group goes until one is left."""
    parts = groups(history)
    for start in range(len(parts)):
        shown = [message for part in parts[start:] for message in part.messages]
        try:
            return window.ask(SUMMARY, shown, shown="conversation")
        except TooLong as error:
            refused = error
    raise refused
