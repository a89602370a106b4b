"""Files that come inside litellm's wheel, found without importing it (3 to 5 seconds)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bench.errors import BenchError


@cache
def folder() -> Path:
    """The folder where the package litellm is installed."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        raise BenchError(
            "litellm is not installed, and its wheel holds the vocabularies and the prices",
            hint="run: pip install litellm",
        )
    return Path(spec.origin).parent
