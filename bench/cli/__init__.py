"""The command line: ``compaction-bench``, also ``python -m bench``."""

from __future__ import annotations

import sys

from bench.cli import look, record, run
from bench.cli.app import app
from bench.errors import BenchError

__all__ = ["look", "main", "record", "run"]


def main() -> None:
    """Run a command; mistakes end in one line and exit code 2, Ctrl-C in 130."""
    try:
        app()
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
