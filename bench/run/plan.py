"""What is to be run: cells of scenarios, strategies and windows, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from bench.errors import BenchError
from bench.scenario import Scenario
from bench.strategy import Strategy
from bench.window import UNLIMITED

RESERVE = 8_192  #: room kept for an answer, at most an eighth of the window
PINNED = 3_000  #: stands for the system prompt and tool schemas that logs leave out


@dataclass(frozen=True, slots=True)
class Settings:
    """What all cells of a run share."""

    profile: str = "anthropic"
    summariser: str = "extractive"
    price_model: str = ""  #: price of the agent's and the summary calls; "" = the trace's model
    encoding: str = "o200k_base"


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy on one scenario in one window."""

    scenario: Scenario
    label: str
    strategy: Strategy
    limit: int

    @property
    def reserve(self) -> int:
        """Room kept for the answer: counts in triggers, never in refusals."""
        return 0 if self.limit >= UNLIMITED else min(RESERVE, self.limit // 8)

    @property
    def seed(self) -> int:
        """From the scenario alone, so that strategies are compared on the same draws."""
        key = self.scenario.slug.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(key, digest_size=6).digest(), "big")


@dataclass(frozen=True, slots=True)
class Plan:
    """The grid. Controls are added to every scenario and window: they bound all the rest."""

    scenarios: tuple[Scenario, ...]
    strategies: tuple[tuple[str, Strategy], ...]
    floor: tuple[str, Strategy]
    ceiling: tuple[str, Strategy]
    windows: tuple[int, ...] = ()  #: empty: those that each scenario is meant for
    settings: Settings = Settings()

    def cells(self) -> Iterator[Cell]:
        """Every cell: by scenario and window the floor, the strategies, the ceiling."""
        for scenario in self.scenarios:
            for limit in self.windows or scenario.windows:
                rows = dict([self.floor, *self.strategies])
                for label, strategy in rows.items():
                    yield Cell(scenario, label, strategy, limit)
            yield Cell(scenario, *self.ceiling, UNLIMITED)


def window(text: str) -> int:
    """A window size as people write it: ``64k``, ``200_000``, ``1M``, ``unlimited``."""
    cleaned = text.strip().lower().replace("_", "")
    if cleaned == "unlimited":
        return UNLIMITED
    factor = {"k": 1_000, "m": 1_000_000}.get(cleaned[-1:], 1)
    digits = cleaned[:-1] if factor > 1 else cleaned
    if not digits.isdecimal() or len(digits) > 12 or not 0 < int(digits) * factor < UNLIMITED:
        raise BenchError(
            f"{text[:40]!r} is not a window", hint="write 64k, 200000, 1M or unlimited"
        )
    return int(digits) * factor


def windows(texts: Sequence[str]) -> tuple[int, ...]:
    """Window sizes from options that may each hold several, separated by commas."""
    pieces = [piece for text in texts for piece in text.split(",")]
    return tuple(dict.fromkeys(window(piece) for piece in pieces))
