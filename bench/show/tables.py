"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich import box
from rich.table import Table

from bench.measure.columns import CellRow


def comparison(rows: Sequence[CellRow]) -> list[Table]:
    """One table a scenario and window: floor, strategies, and the ceiling of the scenario."""
    tables = []
    for slug, group in groupby(rows, lambda row: row.scenario):
        cells = list(group)
        ceiling = [row for row in cells if row.limit is None]
        for limit, inside in groupby(cells, lambda row: row.limit):
            if limit is not None or len(ceiling) == len(cells):
                shown = [*inside, *(ceiling if limit is not None else [])]
                tables.append(_table(slug, limit, shown))
    return tables


def _table(slug: str, limit: int | None, rows: list[CellRow]) -> Table:
    table = Table(
        title=f"{slug}: {rows[0].steps} steps, window {window(limit)}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("strategy", overflow="fold", min_width=19)
    for name in ("passes", "calls", "request", "kept", "lost", "$", "summ. $"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row, limit), style="dim" if row.status != "ok" else "")
    return table


def _cells(row: CellRow, limit: int | None) -> tuple[str, ...]:
    ceiling = " (unlimited)" if row.limit is None and limit is not None else ""
    scaled = " (scaled)" if row.scale not in (None, 1.0) else ""
    flaws = [f"{row.invalid} invalid"] if row.invalid else []
    flaws += [f"{row.failed} failed"] if row.failed else []
    flaws += [f"{row.status}: {row.detail}"] if row.status not in ("ok", "refused") else []
    note = f" ({', '.join(flaws)})" if flaws else ""
    return (
        f"{row.strategy}{ceiling}{scaled}{note}",
        str(row.passes),
        f"{row.answered}/{row.steps}" if row.answered < row.steps else "all",
        "-" if row.mean_size is None else thousands(row.mean_size),
        "-" if row.retained_end is None else f"{row.retained_end:.0%}",
        "-" if row.lost is None else f"{row.invalidations}: {thousands(row.lost)}",
        money(row.dollars),
        money(row.summary_dollars),
    )


def legend(conditions: Mapping[str, str]) -> str:
    """What the columns mean, and what of it is simulated."""
    return (
        "calls: those whose request fitted; a row with refused calls has no totals. request: "
        "mean input tokens. kept: probes whose evidence stands in the last request. lost: how "
        "often cached input was lost, and its tokens. $: the whole bill; summ. $: the summaries "
        "in it.\n"
        "Simulated: an open-loop replay, the cache profile "
        f"{conditions['profile']}, summaries by {conditions['summariser']}. "
        f"Prices of {conditions['price_model']}: {conditions['prices']}."
    )


def window(limit: int | None) -> str:
    """A window size as it is written on the command line."""
    return "unlimited" if limit is None else thousands(limit)


def thousands(tokens: float) -> str:
    """A number of tokens in thousands, as short as it can be read."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.3g}M"
    return f"{tokens / 1000:.0f}k" if tokens >= 10_000 else f"{tokens / 1000:.1f}k"


def money(dollars: float | None) -> str:
    """Dollars, or a dash where the total is not known."""
    return "-" if dollars is None else f"{dollars:.2f}"
