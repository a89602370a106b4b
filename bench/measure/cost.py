"""Dollars of a cell, worked out on reading from its token classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.measure.columns import CellRow
from bench.services.prices import Price, cost
from bench.trace import Usage


@dataclass(frozen=True, slots=True)
class Bill:
    """Dollars of the agent's calls and of the summary calls, None where not known."""

    agent: float | None = None
    summaries: float | None = None

    @property
    def total(self) -> float | None:
        """The whole bill."""
        if self.agent is None or self.summaries is None:
            return None
        return self.agent + self.summaries


#: Price by model, None where the list has none.
Prices = Mapping[str, Price | None]


def bill(row: CellRow, prices: Prices) -> Bill:
    """The bill of a cell.

    Not known where steps were refused, where a model has no price, and where a request is of a
    size that is billed by other prices.
    """
    if row.read is None:
        return Bill()
    agent = Usage(row.uncached or 0, row.read, row.write or 0, output=row.output or 0)
    summaries = Usage(
        row.summary_uncached or 0, row.summary_read or 0, output=row.summary_output or 0
    )
    return Bill(
        _cost(agent, prices.get(row.model), row.largest or 0),
        _cost(summaries, prices.get(row.summary_model), row.largest or 0),
    )


def _cost(usage: Usage, price: Price | None, largest: int) -> float | None:
    if usage == Usage():
        return 0.0
    if price is None or (price.flat_up_to is not None and largest > price.flat_up_to):
        return None
    return cost(price, usage)
