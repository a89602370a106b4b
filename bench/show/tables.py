"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich import box
from rich.table import Table

from bench.measure.columns import CellRow


def comparison(rows: Sequence[CellRow]) -> list[Table]:
    """One table a scenario: every strategy in every window, with floor and ceiling."""
    return [_scenario(slug, list(cells)) for slug, cells in groupby(rows, lambda row: row.scenario)]


def _scenario(slug: str, rows: list[CellRow]) -> Table:
    table = Table(
        title=f"{slug}: {rows[0].steps} steps",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("strategy", overflow="fold", min_width=19)
    for name in ("window", "passes", "calls", "request", "kept", "lost", "$", "summ. $"):
        table.add_column(name, justify="right", no_wrap=True)
    window: object = rows[0].limit
    for row in rows:
        if row.limit != window:
            table.add_section()
            window = row.limit
        table.add_row(*_cells(row), style="dim" if row.status != "ok" else "")
    return table


def _cells(row: CellRow) -> tuple[str, ...]:
    scaled = " (scaled)" if row.scale not in (None, 1.0) else ""
    flaws = [f"{row.invalid} invalid"] if row.invalid else []
    flaws += [f"{row.failed} failed"] if row.failed else []
    flaws += [row.status] if row.status not in ("ok", "refused") else []
    note = f" ({', '.join(flaws)})" if flaws else ""
    return (
        f"{row.strategy}{scaled}{note}",
        "inf" if row.limit is None else thousands(row.limit),
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


def thousands(tokens: float) -> str:
    """A number of tokens in thousands, as short as it can be read."""
    if tokens >= 1_000_000 and tokens % 1_000_000 == 0:
        return f"{tokens / 1_000_000:.0f}M"
    return f"{tokens / 1000:.0f}k" if tokens >= 10_000 else f"{tokens / 1000:.1f}k"


def money(dollars: float | None) -> str:
    """Dollars, or a dash where the total is not known."""
    return "-" if dollars is None else f"{dollars:.2f}"
