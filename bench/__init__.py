"""Benchmark of compaction strategies for long-running agents: what a plug-in imports."""

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
    "scaled",
    "turns",
]
