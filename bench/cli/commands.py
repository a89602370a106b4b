"""The commands. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from bench.measure.columns import PassRow
    from bench.run.plan import Cell, Plan
    from bench.run.runner import Result, Runner
    from bench.strategy import Strategy

app = typer.Typer(
    help="Replay recorded agent sessions through compaction strategies: what is kept, what is "
    "lost, what it costs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy",
        "-s",
        help="Name, name[param=value], ladder:a>b>c or file.py:Class; may be repeated. "
        "Default: every strategy.",
    ),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        help="Scenario or session file; may be repeated. Default: the generated session.",
    ),
]
Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        help="Input tokens the model takes, such as 64k,128k or unlimited. "
        "Default: those the scenario is meant for; 64k,128k for a file.",
    ),
]


@app.command()
def run(
    scenario: Scenarios = None,
    strategy: Strategies = None,
    window: Windows = None,
    profile: Annotated[str, typer.Option(help="How the provider caches: anthropic, none.")] = (
        "anthropic"
    ),
    summariser: Annotated[
        str, typer.Option(help="Who writes summaries: extractive, broken:MODE.")
    ] = "extractive",
    price_model: Annotated[
        str, typer.Option(help="Model whose prices are used. Default: the recorded one.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not a table.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every pass.")] = False,
) -> None:
    """Replay scenarios through strategies and compare them in a table."""
    from rich.console import Console

    from bench.run.runner import Runner
    from bench.show.progress import Progress

    plan = _plan(scenario, strategy, window, profile, summariser, price_model)
    progress = Progress(Console(stderr=True), len(list(plan.cells())), verbose)

    def told(cell: Cell, row: PassRow) -> None:
        progress.compacted(cell.label, row)

    runner = Runner(plan, told)
    results = []
    with progress:
        for result in runner.run():
            results.append(result)
            progress.finished(result.row)
    (_print_json if as_json else _print_tables)(runner, results)


def _plan(
    scenario: list[str] | None,
    strategy: list[str] | None,
    window: list[str] | None,
    profile: str,
    summariser: str,
    price_model: str,
) -> Plan:
    from bench import catalogue, registry
    from bench.run.plan import Plan, Settings, windows

    def named(spec: str) -> tuple[str, Strategy]:
        made = registry.strategy(spec)
        return registry.label(made), made

    specs = strategy or registry.names()
    return Plan(
        scenarios=tuple(
            found for name in scenario or ["generated"] for found in catalogue.scenarios(name)
        ),
        strategies=tuple(named(spec) for spec in specs),
        floor=named("floor"),
        ceiling=named("none"),
        windows=windows(window or []) if window else (),
        settings=Settings(profile=profile, summariser=summariser, price_model=price_model),
    )


def _print_json(runner: Runner, results: list[Result]) -> None:
    cells = [
        {**asdict(result.row), "log": [asdict(row) for row in result.rows.passes]}
        for result in results
    ]
    document = {"schema": 1, "conditions": runner.conditions, "cells": cells}
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _print_tables(runner: Runner, results: list[Result]) -> None:
    from rich.console import Console

    from bench.show.tables import comparison, legend

    console = Console()
    for table in comparison([result.row for result in results]):
        console.print(table)
    console.print(legend(runner.conditions), style="dim", highlight=False)


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
