"""``record``: play a scenario's script and keep what really happened."""

from __future__ import annotations

from typing import Annotated

import typer

from bench.cli.app import app


@app.command()
def record(
    slug: Annotated[str, typer.Argument(help="A scenario with script.toml and workspace/.")],
    check: Annotated[bool, typer.Option("--check", help="Only say what would differ.")] = False,
) -> None:
    """Record a scenario anew from its script, in a copy of its workspace."""
    from bench import catalogue
    from bench.run.recorder import written

    folder = catalogue.folder(slug)
    path = folder / "trace.jsonl"
    new = written(folder)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if new == old:
        typer.echo(f"{slug}: as recorded")
        return
    changed = sum(a != b for a, b in zip(new.splitlines(), old.splitlines(), strict=False))
    typer.echo(f"{slug}: {changed} of {len(new.splitlines())} lines differ")
    if check:
        raise typer.Exit(1)
    path.write_text(new, encoding="utf-8")
