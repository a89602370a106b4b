"""``show``, ``report``, ``list``, ``import``, ``doctor``: look at what there is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bench.cli.app import app

if TYPE_CHECKING:
    from bench.measure.columns import CellRow
    from bench.measure.cost import Prices

Run = Annotated[
    str, typer.Argument(help="A run: its folder, the beginning of its name, or latest.")
]


@app.command()
def show(
    run: Run = "latest",
    cell: Annotated[
        str, typer.Argument(help="A cell: the beginning of its key, or a strategy.")
    ] = "",
) -> None:
    """List the cells of a run, or tell of one cell what each pass did."""
    from bench.run import store
    from bench.show.cell import described, listing

    stored = store.cells(store.find(run))
    chosen = [
        one
        for one in stored
        if cell and (one.key.startswith(cell) or one.result.row.strategy == cell)
    ]
    if cell and not chosen:
        raise typer.BadParameter(f"no cell of this run begins with or runs {cell!r}")
    typer.echo("\n\n".join(described(one) for one in chosen) if cell else listing(stored))


@app.command()
def report(
    run: Run = "latest",
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Print the tables of a run again."""
    from bench.run import store
    from bench.show.tables import MEANING, comparison, conditions, markdown

    folder = store.find(run)
    identity, prices = store.manifest(folder)["identity"], store.prices(folder)
    rows = [one.result.row for one in store.cells(folder)]
    if as_markdown:
        typer.echo("\n".join(map(markdown, comparison(rows, prices))))
        typer.echo(f"{MEANING} {conditions(identity)}")
    else:
        print_tables(identity, rows, prices)


def print_tables(identity: dict[str, Any], rows: list[CellRow], prices: Prices) -> None:
    """Print the tables of a run, and what they rest on."""
    from rich.console import Console

    from bench.show.tables import MEANING, comparison, conditions, drawn

    console = Console()
    for grid in comparison(rows, prices):
        console.print(drawn(grid))
    console.print(f"{MEANING}\n{conditions(identity)}", style="dim", highlight=False, markup=False)


@app.command(name="list")
def list_(
    what: Annotated[
        Literal["strategies", "scenarios"], typer.Argument(help="strategies or scenarios")
    ] = "strategies",
) -> None:
    """List what can be run."""
    from rich.console import Console

    from bench.show.lists import scenarios, strategies

    Console().print(strategies() if what == "strategies" else scenarios())


@app.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="A recorded session.")],
    format_: Annotated[
        str | None, typer.Option("--format", help="Transcript format, if not to be guessed.")
    ] = None,
) -> None:
    """Read a session file: what was found in it, and what had to be mended."""
    from bench.readers import read
    from bench.show.lists import imported

    for trace in read(file, format_):
        typer.echo(imported(trace))


@app.command()
def doctor() -> None:
    """Check that this machine has what a run needs."""
    from bench.run.doctor import checks

    found = list(checks())
    for check in found:
        typer.echo(f"{'ok  ' if check.fine else 'BAD '} {check.name}: {check.said}")
    if not all(check.fine for check in found):
        raise typer.Exit(1)
