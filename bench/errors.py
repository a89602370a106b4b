"""Errors that say what is wrong, where, and what to do next."""

from __future__ import annotations

LONGEST = 500  #: characters of a foreign text that are shown


def one_line(value: object) -> str:
    """A foreign text as one short line that any terminal can be sent."""
    try:
        text = str(value)
    except Exception:  # an exception's own __str__ may fail
        text = type(value).__name__
    plain = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(plain.encode("utf-8", "replace").decode().split())[:LONGEST]


class BenchError(Exception):
    """A mistake of the user's or a fault of an input, told in one line.

    ``what`` is the fault, ``where`` the file, line or message, ``hint`` the next thing to try.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """Join the three parts into the line that is shown."""
        line = f"{self.where}: {self.what}" if self.where else self.what
        return " ".join(f"{line}; {self.hint}".split()) if self.hint else " ".join(line.split())


class ModelUnavailable(BenchError):
    """A model cannot be reached or will not serve us: no fault of the strategy's."""


class Declined(Exception):
    """Raised by ``Strategy.compact``: there is nothing to do now, and why."""


class TooLong(Exception):
    """The summary request does not fit into the summariser's window."""

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(f"summary request of {tokens} tokens, window of {limit}")
        self.tokens = tokens
        self.limit = limit


class SummaryFailed(Exception):
    """The summariser raised, or answered with nothing that can be used."""


class StrategyFault(Exception):
    """A strategy broke its interface: ids twice, a foreign object, a batch re-ordered."""
