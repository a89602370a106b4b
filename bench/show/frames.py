"""Runs as data frames."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure.cost import bill
from bench.run import store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Frames:
    """One tidy frame a table. Rows carry ``run``, ``key`` and what names their cell.

    ``cells`` has the dollars too, at the prices that the run was made with.
    """

    cells: pd.DataFrame
    steps: pd.DataFrame
    passes: pd.DataFrame
    asks: pd.DataFrame
    probes: pd.DataFrame


def load(*runs: str | Path) -> Frames:
    """Read runs by path, name, beginning of a name, or ``latest``."""
    import pandas as pd

    tables: dict[str, list[dict[str, Any]]] = {"cells": [], **{name: [] for name in store.KINDS}}
    for run in runs or ("latest",):
        folder = store.find(str(run))
        prices = store.prices(folder)
        for one in store.cells(folder):
            row = one.result.row
            costs = bill(row, prices)
            dollars = {
                "agent_dollars": costs.agent,
                "summary_dollars": costs.summaries,
                "dollars": costs.total,
            }
            name: dict[str, Any] = {"run": folder.name, "key": one.key}
            tables["cells"].append({**name, **asdict(row), **dollars})
            name |= {"scenario": row.scenario, "strategy": row.strategy, "limit": row.limit}
            for kind in store.KINDS:
                tables[kind] += [{**name, **asdict(row)} for row in getattr(one.result.rows, kind)]
    return Frames(**{name: pd.DataFrame(rows) for name, rows in tables.items()})
