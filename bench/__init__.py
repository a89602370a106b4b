"""Benchmark of compaction strategies for long-running agents: what a plug-in imports."""

from typing import TYPE_CHECKING, Any

from bench.contract import Contract, Section
from bench.errors import BenchError, Declined, SummaryFailed, TooLong
from bench.ladder import Ladder
from bench.scenario import Probe, Scenario
from bench.strategy import Strategy, scaled
from bench.trace import (
    Group,
    Image,
    Message,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    Trace,
    Turn,
    Usage,
    groups,
    turns,
)
from bench.window import Window

if TYPE_CHECKING:
    from bench.show.frames import load

__all__ = [
    "BenchError",
    "Contract",
    "Declined",
    "Group",
    "Image",
    "Ladder",
    "Message",
    "Opaque",
    "Probe",
    "Reasoning",
    "Scenario",
    "Section",
    "Strategy",
    "SummaryFailed",
    "Text",
    "TooLong",
    "ToolCall",
    "Trace",
    "Turn",
    "Usage",
    "Window",
    "groups",
    "load",
    "scaled",
    "turns",
]


def __getattr__(name: str) -> Any:
    """``load`` brings pandas with it, so it is imported when it is asked for."""
    if name == "load":
        from bench.show.frames import load

        return load
    raise AttributeError(f"module 'bench' has no attribute {name!r}")
