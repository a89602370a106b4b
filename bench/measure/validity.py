"""Would a provider accept these messages? Structural rules, one small function each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bench.trace import Message, Text

#: A broken rule: its name and the id of the message that breaks it.
Fault = tuple[str, str]


def unpaired_calls(messages: Sequence[Message]) -> Iterator[Fault]:
    """Every call is answered in the results right behind it, every result has its call.

    Matched by occurrence, since recorded call ids are used again within a session.
    """
    open_calls: dict[str, list[str]] = {}
    for message in messages:
        if message.role == "tool":
            waiting = open_calls.get(message.answers)
            if waiting:
                waiting.pop()
            else:
                yield "orphan-result", message.id
            continue
        yield from _unanswered(open_calls)
        open_calls = {}
        for call in message.calls:
            open_calls.setdefault(call.id, []).append(message.id)
    yield from _unanswered(open_calls)


def _unanswered(open_calls: dict[str, list[str]]) -> Iterator[Fault]:
    seen = dict.fromkeys(owner for waiting in open_calls.values() for owner in waiting)
    yield from (("unanswered-call", owner) for owner in seen)


def empty_messages(messages: Sequence[Message]) -> Iterator[Fault]:
    """No message without content, and no blank text where it is the only content.

    An empty tool result is accepted by every provider.
    """
    for message in messages:
        if message.role != "tool" and all(
            type(part) is Text and not part.text.strip() for part in message.parts
        ):
            yield "empty-message", message.id


def broken_unicode(messages: Sequence[Message]) -> Iterator[Fault]:
    """Text can be sent as UTF-8: no half of a surrogate pair, as a cut by index leaves it."""
    for message in messages:
        for part in message.parts:
            if type(part) is Text and not _encodable(part.text):
                yield "broken-unicode", message.id


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def opening(messages: Sequence[Message]) -> Iterator[Fault]:
    """A request has messages, and a message of the user's is the first."""
    if not messages:
        yield "empty-view", ""
    elif messages[0].role != "user":
        yield "first-not-user", messages[0].id


STRETCH_RULES: tuple[Callable[[Sequence[Message]], Iterator[Fault]], ...] = (
    unpaired_calls,
    empty_messages,
    broken_unicode,
)


def faults(messages: Sequence[Message], start: int = 0, end: int | None = None) -> list[Fault]:
    """Broken rules in ``messages[start:end]``, widened so that no group is torn.

    The opening is judged whenever the stretch reaches the front.
    """
    end = len(messages) if end is None else end
    while start > 0 and messages[start - 1].role == "tool":
        start -= 1
    if start > 0 and messages[start - 1].calls:
        start -= 1
    while end < len(messages) and messages[end].role == "tool":
        end += 1
    found = list(opening(messages)) if start == 0 else []
    stretch = messages[start:end]
    for rule in STRETCH_RULES:
        found.extend(rule(stretch))
    return found
