"""What a pass did to the view, worked out by comparing message ids before and after."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.errors import StrategyFault
from bench.trace import Message


@dataclass(frozen=True, slots=True)
class Diff:
    """Ids by fate.

    Every id of the old view is kept, moved, rewritten or dropped; every id of the new view is
    kept, moved, rewritten, copied or written. ``kept`` lists only those inside the changed
    stretch; ``head`` and ``tail`` count the messages before and after it that are the same
    objects in both views.
    """

    head: int
    tail: int
    kept: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything but the order-preserving rest was touched."""
        return bool(self.moved or self.copied or self.rewritten or self.dropped or self.written)


def common_head(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many leading messages are the same objects (bisected over slice compares)."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def diff(
    before: Sequence[Message], after: Sequence[Message], record: Mapping[str, Message]
) -> Diff:
    """Compare two views.

    An id that was not in the old view but stands in the record (or names one in ``origin``) is
    *copied* if its content is the record's, else *written*. Raises ``StrategyFault`` where an
    id occurs twice.
    """
    head = common_head(before, after)
    room = min(len(before), len(after)) - head
    tail = common_head(before[::-1][:room], after[::-1][:room])
    old = before[head : len(before) - tail]
    new = after[head : len(after) - tail]
    _refuse_twins(after, new)

    place = {message.id: at for at, message in enumerate(old)}
    same: list[Message] = []
    rewritten, copied, written = [], [], []
    for message in new:
        if message.id in place:
            if old[place[message.id]].same(message):
                same.append(message)
            else:
                rewritten.append(message.id)
            continue
        source = record.get(message.origin or message.id)
        if source is not None and source.same(message):
            copied.append(message.id)
        else:
            written.append(message.id)
    in_order = _longest_rising([place[message.id] for message in same])
    now = {message.id for message in new}
    return Diff(
        head,
        tail,
        kept=tuple(m.id for m in same if place[m.id] in in_order),
        moved=tuple(m.id for m in same if place[m.id] not in in_order),
        copied=tuple(copied),
        rewritten=tuple(rewritten),
        dropped=tuple(m.id for m in old if m.id not in now),
        written=tuple(written),
    )


def _refuse_twins(after: Sequence[Message], new: Sequence[Message]) -> None:
    if not new:
        return  # the old view had no twins, and a part of it has none either
    if len({message.id for message in after}) < len(after):
        seen: set[str] = set()
        twin = next(m.id for m in after if m.id in seen or seen.add(m.id))  # type: ignore[func-returns-value]
        raise StrategyFault(f"message {twin!r} stands twice in the view")


def _longest_rising(places: Sequence[int]) -> set[int]:
    """The members of one longest rising subsequence: what kept its relative order."""
    ends: list[int] = []  # smallest last place of a rising run of each length
    links: dict[int, int | None] = {}
    for place in places:
        at = bisect_left(ends, place)
        links[place] = ends[at - 1] if at else None
        ends[at : at + 1] = [place]
    rising: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        rising.add(last)
        last = links[last]
    return rising
