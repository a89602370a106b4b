"""The bill of each step, and why a step lost what the one before had left in the cache."""

from __future__ import annotations

from dataclasses import dataclass

from bench.measure.cache import Billed, Chain, Profile


@dataclass(frozen=True, slots=True)
class Entry:
    """What one request cost, and what it lost: tokens stored before but not read now."""

    billed: Billed
    lost: int
    cause: str


class Ledger:
    """Books requests through a cache profile, one cell long."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.since = ""  # what changed the view since the last sent request
        self._stored = 0  # tokens that the last sent request left in the cache

    def send(self, chain: Chain, now: float, answered: float, *, renders: bool) -> Entry:
        """Book a request; ``renders`` says that the strategy may have changed it by itself."""
        billed = self.profile.send(chain, now, answered)
        lost = max(0, self._stored - billed.read)
        cause = self._cause(chain, billed, renders) if lost else ""
        self._stored = billed.stored
        self.since = ""
        chain.sent = chain.same = len(chain.messages)
        return Entry(billed, lost, cause)

    def _cause(self, chain: Chain, billed: Billed, renders: bool) -> str:
        """The first cause that applies, in the order of the design."""
        if billed.expired:
            return "ttl"
        if chain.same == chain.sent:
            return "look-back"
        if self.since:
            return self.since
        return "render" if renders else "prefix drift"
