"""Who writes summaries. The only door to models: nothing else may import litellm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bench.contract import Contract
from bench.errors import BenchError
from bench.services.broken import MODES, Broken
from bench.services.extractive import Extractive
from bench.services.tokens import Tokens
from bench.trace import Message


class Summariser(Protocol):
    """Writes a summary of a source to a contract.

    Whatever goes wrong is raised as ``SummaryFailed``, or as ``TooLong`` where the model refuses.
    """

    @property
    def name(self) -> str:
        """The name that ``summariser`` resolves and every report shows."""

    def summarise(
        self, contract: Contract, source: Sequence[Message] | str, cap: int | None, tokens: Tokens
    ) -> str:
        """The summary; ``cap`` bounds it in tokens, None leaves the bound to the summariser."""


def summariser(name: str) -> Summariser:
    """The summariser of that name: ``extractive`` or ``broken:<mode>``."""
    kind, _, mode = name.partition(":")
    if name == Extractive.name:
        return Extractive()
    if kind == "broken" and mode in MODES:
        return Broken(mode)
    known = [Extractive.name, *(f"broken:{mode}" for mode in MODES)]
    raise BenchError(f"unknown summariser {name!r}", hint=f"there are {', '.join(known)}")
