"""Was the fact retained? Evidence in the request, found without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from bench.scenario import Probe
from bench.trace import Message, Text, ToolCall

Status = Literal["retained", "changed", "recoverable", "stale", "missing"]

HANDLE = re.compile(r"archive:[0-9a-f]{8,64}")


def visible(message: Message) -> str:
    """What a model can read of a message: text, and the arguments of calls."""
    pieces = []
    for part in message.parts:
        if type(part) is Text:
            pieces.append(part.text)
        elif type(part) is ToolCall:
            pieces.append(part.arguments)
    return pieces[0] if len(pieces) == 1 else "\n".join(pieces)


@dataclass(frozen=True, slots=True)
class Grader:
    """Asks a scenario's probes of a request.

    Where each value stands in the record is looked up once; a request is then judged by which
    of the record's messages it holds unaltered, and by the text of the rest.
    """

    probes: tuple[Probe, ...]
    record: Mapping[str, Message]
    holders: Mapping[str, frozenset[str]]
    opened: Callable[[str], str | None]  #: the archived text behind a handle, None if unknown
    seen: dict[Message, _Altered] = field(default_factory=dict)

    @classmethod
    def over(
        cls,
        probes: Sequence[Probe],
        messages: Sequence[Message],
        opened: Callable[[str], str | None],
    ) -> Grader:
        """Look up where the values of the probes stand in a whole trace."""
        values = {value for probe in probes for value in (probe.expect, *probe.forbid)}
        texts = [(message.id, visible(message)) for message in messages] if values else []
        holders = {
            value: frozenset(name for name, text in texts if occurs(value, text))
            for value in sorted(values)
        }
        return cls(tuple(probes), {m.id: m for m in messages}, holders, opened)

    def ask(self, request: Sequence[Message], stated: Callable[[str], bool]) -> dict[str, Status]:
        """Status by probe id, for the facts that the record has ``stated`` so far."""
        asked = [probe for probe in self.probes if stated(probe.source)]
        if not asked:
            return {}
        intact: set[str] = set()
        altered: list[_Altered] = []
        for message in request:
            if self.record.get(message.id) is message:
                intact.add(message.id)
                continue
            seen = self.seen.get(message)
            if seen is None:
                seen = self.seen[message] = _Altered(visible(message), self.opened)
            altered.append(seen)

        def stands(value: str) -> bool:
            return not intact.isdisjoint(self.holders[value]) or any(
                one.verdict(value) == "retained" for one in altered
            )

        def status(probe: Probe) -> Status:
            if stands(probe.expect):
                return "retained"
            if any(stands(value) for value in probe.forbid):
                return "stale"
            found = {one.verdict(probe.expect) for one in altered}
            return next((s for s in ("changed", "recoverable") if s in found), "missing")

        return {probe.id: status(probe) for probe in asked}


class _Altered:
    """A text that is not the record's; what it holds is found once for all passes."""

    def __init__(self, text: str, opened: Callable[[str], str | None]) -> None:
        self._text = text
        self._opened = opened
        self._verdicts: dict[str, Status] = {}

    def verdict(self, value: str) -> Status:
        """How a value stands here."""
        known = self._verdicts.get(value)
        if known is None:
            known = self._verdicts[value] = self._look(value)
        return known

    def _look(self, value: str) -> Status:
        if occurs(value, self._text):
            return "retained"
        if folded(value) in self._folded:
            return "changed"
        if any(text is not None and occurs(value, text) for text in self._shelved):
            return "recoverable"
        return "missing"

    @cached_property
    def _folded(self) -> str:
        return folded(self._text)

    @cached_property
    def _shelved(self) -> list[str | None]:
        """The texts behind the handles that are named here."""
        return [self._opened(handle) for handle in dict.fromkeys(HANDLE.findall(self._text))]


def folded(text: str) -> str:
    """A text without regard to case and to where its lines break."""
    return " ".join(text.split()).casefold()


def occurs(value: str, text: str) -> bool:
    """Whether a value stands in a text: byte for byte, or as the pattern behind ``re:``."""
    if value.startswith("re:"):
        return re.search(value[3:], text) is not None
    return value in text
