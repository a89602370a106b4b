"""A trace with the questions that are asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.trace import Trace


@dataclass(frozen=True, slots=True)
class Probe:
    """A question, the evidence that must survive, and the stale values that must not."""

    id: str
    kind: str
    ask: str
    expect: str  #: byte-exact text, or ``re:`` and a pattern
    source: str  #: id of the message that states it
    forbid: tuple[str, ...] = ()  #: superseded values


@dataclass(frozen=True, slots=True)
class Request:
    """A place where the user or the agent asked for compaction."""

    at: str  #: id of the message after which it was asked
    by: Literal["user", "agent"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is replayed. ``windows`` are the limits it is meant for, in tokens."""

    slug: str
    trace: Trace
    title: str = ""
    windows: tuple[int, ...] = (64_000, 128_000)
    probes: tuple[Probe, ...] = ()
    requests: tuple[Request, ...] = ()
