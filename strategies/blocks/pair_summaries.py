"""Which tool calls have grown old enough to be replaced by a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from bench import Group

BATCH = 10  #: calls taken at once

T = TypeVar("T")


def calls_kept(limit: int, share: float) -> int:
    """Calls that stay verbatim in a window of ``limit`` tokens used up to ``share``."""
    usable = int(limit * (share if 0 < share <= 1 else 0.8))
    return min(500, max(10, 3 * usable // 20_000))


def oldest(calls: Sequence[T], eligible: int, cutoff: int) -> Sequence[T]:
    """The oldest batch, once the eligible calls outnumber the cutoff by a whole batch."""
    return calls[:BATCH] if eligible > cutoff + BATCH else calls[:0]


def old_pairs(groups: Sequence[Group], cutoff: int) -> tuple[Group, ...]:
    """Of the oldest batch of calls, those that stand alone with their one result."""
    callers = [group for group in groups for _ in group.messages[0].calls]
    return tuple(group for group in oldest(callers, len(callers), cutoff) if _is_pair(group))


def _is_pair(group: Group) -> bool:
    calls = group.messages[0].calls
    return len(group.messages) == 2 and len(calls) == 1 and group.messages[1].answers == calls[0].id
