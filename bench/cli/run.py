"""``run``: replay, store, compare."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.cli.app import app
from bench.cli.look import print_tables

if TYPE_CHECKING:
    from bench.measure.cost import Prices
    from bench.run.plan import Plan
    from bench.run.store import Stored
    from bench.strategy import Strategy


@app.command()
def run(
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            help="Scenario or session file; may be repeated. Default: every scenario recorded here."
        ),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            "-s",
            help="Name, name[param=value], ladder:a>b>c or file.py:Class; may be repeated. "
            "Default: every strategy.",
        ),
    ] = None,
    window: Annotated[
        list[str] | None,
        typer.Option(
            help="Input tokens the model takes, such as 64k,128k or unlimited. Default: those "
            "the scenario is meant for; 64k,128k for a file."
        ),
    ] = None,
    profile: Annotated[str, typer.Option(help="How the provider caches.")] = "anthropic",
    summariser: Annotated[
        str,
        typer.Option(
            help="Who writes summaries: extractive, broken:MODE, or a litellm model as "
            "provider/model."
        ),
    ] = "extractive",
    price_model: Annotated[
        str, typer.Option(help="Model whose prices are used. Default: the recorded one.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run. Default: one of its own in results/runs."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not a table.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every pass.")] = False,
) -> None:
    """Replay scenarios through strategies and compare them in a table.

    Every finished cell is kept: the same command goes on where it was interrupted.
    """
    from rich.console import Console

    from bench.run import store
    from bench.run.runner import Runner
    from bench.show.progress import Progress

    runner = Runner(_plan(scenario, strategy, window, profile, summariser, price_model))
    folder = out or store.ROOT / runner.manifest().name
    stored: list[Stored] = []
    with store.Store(folder) as kept:
        prices = runner.prices
        progress = Progress(Console(stderr=True), len(runner.cells), prices, verbose)
        try:
            with progress:
                for one in runner.play(kept):
                    stored.append(one)
                    progress.finished(one.result)
        except KeyboardInterrupt:
            typer.echo(
                f"interrupted: {len(stored)} of {len(runner.cells)} cells are kept in {folder}; "
                "the same command goes on",
                err=True,
            )
            raise typer.Exit(130) from None
        for name in kept.torn:
            progress.say(f"{name} was cut off and has been run again")
        progress.say(f"kept in {folder}")
    broken = [row for one in stored if (row := one.result.row).status.endswith("_error")]
    identity = store.manifest(folder)["identity"]
    if as_json:
        _print_json(identity, stored, prices)
    else:
        print_tables(identity, [one.result.row for one in stored], prices)
    for row in broken:
        again = "; the same command tries it again" if row.status == "infra_error" else ""
        typer.echo(f"{row.status}: {row.scenario} {row.strategy}: {row.detail}{again}", err=True)
    if broken:
        raise typer.Exit(1)


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

    return Plan(
        scenarios=tuple(
            found
            for name in scenario or catalogue.recorded()
            for found in catalogue.scenarios(name)
        ),
        strategies=tuple(named(spec) for spec in strategy or registry.names()),
        floor=named("floor"),
        ceiling=named("none"),
        windows=windows(window or []),
        settings=Settings(profile=profile, summariser=summariser, price_model=price_model),
    )


def _print_json(identity: dict[str, Any], stored: list[Stored], prices: Prices) -> None:
    from bench.measure.cost import bill

    cells = []
    for one in stored:
        row = one.result.row
        costs = bill(row, prices)
        cells.append(
            {
                "key": one.key,
                **asdict(row),
                "dollars": costs.total,
                "summary_dollars": costs.summaries,
                "log": [asdict(each) for each in one.result.rows.passes],
            }
        )
    document = {"schema": 1, "identity": identity, "cells": cells}
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
