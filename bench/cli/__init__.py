"""The command line: ``compaction-bench``, also ``python -m bench``."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from bench.cli import look, record, run
from bench.cli.app import app
from bench.errors import BenchError

__all__ = ["look", "main", "record", "run"]


def main() -> None:
    """Run a command; mistakes end in one line and exit code 2, Ctrl-C in 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # of a terminal that knows only ASCII
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
