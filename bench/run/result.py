"""A finished cell: its totals, and every row behind them."""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.measure.columns import AskRow, CellRow, PassRow, ProbeRow, StepRow


@dataclass(slots=True)
class Rows:
    """What a replay measured, in the order in which it happened."""

    steps: list[StepRow] = field(default_factory=list)
    passes: list[PassRow] = field(default_factory=list)
    asks: list[AskRow] = field(default_factory=list)
    probes: list[ProbeRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Result:
    """A cell of a run."""

    row: CellRow
    rows: Rows
