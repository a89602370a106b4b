"""The teaching ladder: cut at the source, clear old results, and only then summarise."""

from __future__ import annotations

from dataclasses import dataclass

from bench import Ladder, Strategy
from strategies.rungs.prune import Prune
from strategies.rungs.summarise import Summarise
from strategies.rungs.truncate import Truncate


@dataclass(frozen=True)
class HarnessZero(Ladder):
    """Three rungs, cheapest first; each runs only if those before left more than the goal."""

    rungs: tuple[Strategy, ...] = (Truncate(source=True), Prune(), Summarise())  #: cheapest first

    native = 200_000
    requests = frozenset({"user", "agent"})
