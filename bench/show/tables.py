"""Results as tables, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.table import Table
from rich.text import Text

from bench.measure.columns import CellRow
from bench.measure.cost import Bill, Prices, bill


@dataclass(frozen=True, slots=True)
class Grid:
    """A table before it is drawn: the first column is text, the others are numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    faint: frozenset[int] = frozenset()  #: rows without a result


COLUMNS = ("strategy", "passes", "calls", "request", "kept", "lost", "$", "summ. $")


def comparison(rows: Sequence[CellRow], prices: Prices) -> list[Grid]:
    """One table a scenario and window: floor, strategies, and the ceiling of the scenario.

    Rows come in the order of a plan, the ceiling last of its scenario.
    """
    grids = []
    for slug, group in groupby(rows, lambda row: row.scenario):
        *cells, ceiling = group
        for limit, inside in groupby(cells or [ceiling], lambda row: row.limit):
            shown = [*inside, *([ceiling] if limit is not None else [])]
            grids.append(
                Grid(
                    f"{slug}: {ceiling.steps} steps, window {window(limit)}",
                    COLUMNS,
                    tuple(_cells(row, limit, bill(row, prices)) for row in shown),
                    frozenset(at for at, row in enumerate(shown) if row.status != "ok"),
                )
            )
    return grids


def _cells(row: CellRow, limit: int | None, costs: Bill) -> tuple[str, ...]:
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
        _lost(row),
        money(costs.total),
        money(costs.summaries),
    )


def _lost(row: CellRow) -> str:
    if row.lost is None:
        return "-"
    return f"{row.invalidations}: {thousands(row.lost)}" if row.invalidations else "0"


def drawn(grid: Grid) -> Table:
    """A grid for the terminal."""
    table = Table(
        title=Text(grid.title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=False,
    )
    first, *rest = grid.columns
    table.add_column(first, overflow="fold", min_width=19)
    for name in rest:
        table.add_column(name, justify="right", no_wrap=True)
    for at, row in enumerate(grid.rows):
        table.add_row(*map(Text, row), style="dim" if at in grid.faint else "")
    return table


def markdown(grid: Grid) -> str:
    """A grid as Markdown."""
    lines = [
        f"### {grid.title}",
        "",
        f"| {' | '.join(grid.columns)} |",
        f"|---|{'--:|' * (len(grid.columns) - 1)}",
    ]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in grid.rows]
    return "\n".join(lines) + "\n"


MEANING = (
    "calls: those whose request fitted; a row with refused calls has no totals. request: mean "
    "input tokens. kept: probes whose evidence stands in the last request. lost: how often "
    "cached input was lost, and its tokens. $: the whole bill; summ. $: the summaries in it."
)


def conditions(identity: Mapping[str, object]) -> str:
    """What the numbers rest on, and what of it is simulated."""
    settings, source = identity["settings"], identity["prices"]
    assert isinstance(settings, dict)  # noqa: S101 (both come from a checked manifest)
    assert isinstance(source, dict)  # noqa: S101
    whose = settings["price_model"] or "the recorded model"
    return (
        f"Simulated: an open-loop replay, the cache profile {settings['profile']}, summaries by "
        f"{settings['summariser']}. Prices of {whose}: litellm {source['litellm']}, sha256 "
        f"{source['sha256'][:12]}."
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
    """Dollars to three digits or more, or a dash where the total is not known."""
    return "-" if dollars is None else f"{dollars:.2f}" if dollars < 100 else f"{dollars:.0f}"
