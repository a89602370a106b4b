"""Messages from a plug-in, checked and rebuilt: what is measured is ours alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

from bench.errors import StrategyFault
from bench.trace import Image, Message, Opaque, Part, Reasoning, Role, Text, ToolCall

ROLES = get_args(Role)
FIELDS: dict[type, dict[str, type]] = {
    Text: {"text": str},
    Reasoning: {"text": str, "signature": str},
    Image: {"data": str, "media_type": str, "width": int, "height": int},
    ToolCall: {"id": str, "name": str, "arguments": str},
    Opaque: {"tokens": int},
}


class Intake:
    """Takes over messages; those of the record, and those taken over before, stay themselves.

    The exact types are demanded: a subclass of ``str`` may say one length and hold another.
    """

    def __init__(self) -> None:
        self._ours: dict[Message, Message] = {}

    def register(self, message: Message) -> None:
        """Know a message of the record."""
        self._ours[message] = message

    def take(self, method: str, answer: object) -> tuple[Message, ...]:
        """The messages that a plug-in's method answered with, as our own objects."""
        if not isinstance(answer, Sequence) or isinstance(answer, str):
            raise StrategyFault(f"{method} must return a sequence of messages")
        messages = tuple(answer)
        try:
            # Nearly all are known at nearly every step, of views of thousands of messages.
            taken: list[Message | None] = list(map(self._ours.get, messages))
        except TypeError:  # something that cannot be looked up is no message
            taken = [None] * len(messages)
        if None not in taken:
            return cast("tuple[Message, ...]", tuple(taken))
        return tuple(
            self._one(method, message) if ours is None else ours
            for ours, message in zip(taken, messages, strict=True)
        )

    def _one(self, method: str, message: object) -> Message:
        if type(message) is not Message:
            raise StrategyFault(f"{method} returned {type(message).__name__}, not a message")
        ours = self._ours.get(message)
        if ours is None:
            ours = self._ours[message] = _rebuilt(method, message)
            self._ours[ours] = ours
        return ours


def contents(messages: Sequence[Message]) -> list[object]:
    """All that messages hold, by reference: equal later if nobody has changed them."""
    held: list[object] = []
    for message in messages:
        held += (message.id, message.role, message.parts, message.answers, message.error)
        for part in message.parts:
            held += (getattr(part, name) for name in FIELDS[type(part)])
    return held


def _rebuilt(method: str, message: Message) -> Message:
    for name in ("id", "role", "answers", "name", "origin"):
        _demand(method, f"message.{name}", getattr(message, name), str)
    _demand(method, "message.parts", message.parts, tuple)
    _demand(method, "message.covers", message.covers, tuple)
    for covered in message.covers:
        _demand(method, "message.covers", covered, str)
    if message.role not in ROLES:
        raise StrategyFault(f"{method}: there is no role {message.role!r}")
    return Message(
        message.id,
        message.role,
        tuple(_part(method, part) for part in message.parts),
        answers=message.answers,
        name=message.name,
        error=bool(message.error),
        time=message.time if type(message.time) is float else None,
        injected=bool(message.injected),
        origin=message.origin,
        covers=message.covers,
    )


def _part(method: str, part: Any) -> Part:
    kind = type(part)
    if kind not in FIELDS:
        raise StrategyFault(f"{method}: a message holds {kind.__name__}, which is no part")
    values = {name: getattr(part, name) for name in FIELDS[kind]}
    for name, value in values.items():
        _demand(method, f"{kind.__name__}.{name}", value, FIELDS[kind][name])
        if type(value) is int and value < 0:
            raise StrategyFault(f"{method}: {kind.__name__}.{name} is negative")
    rebuilt: Part = kind(**values)
    return rebuilt


def _demand(method: str, what: str, value: object, kind: type) -> None:
    if type(value) is not kind:
        raise StrategyFault(
            f"{method}: {what} must be {kind.__name__}, it is {type(value).__name__}"
        )
