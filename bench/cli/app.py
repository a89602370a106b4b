"""The application that commands are added to."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="Replay recorded agent sessions through compaction strategies: what is kept, what is "
    "lost, what it costs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
