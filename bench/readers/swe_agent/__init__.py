"""SWE-agent trajectories: ``.traj`` files of version 0 and 1, and the history rows of version 1.

A trace is what the provider saw. Version 1 has tool calls and results. Version 0 has none: the
command stands in the answer's text, and the observation is a user message, marked as injected,
since no person wrote it; the task is the one message that a person wrote. Demonstrations opened
every request and were never shortened by the scaffold: they are pinned behind the system prompt,
and their answers are no steps. The last observation came after the last call and is in no request.

There are no timestamps, no tool schemas and no usage of single calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from bench.readers.loose import items, obj, text
from bench.readers.openai_chat import from_rows
from bench.readers.source import Source
from bench.readers.swe_agent import edits
from bench.readers.swe_agent.history import Row, demonstrates, rows
from bench.trace import FileEvent, Message, Repair, Trace

__all__ = ["LOOKS_FOR", "NAME", "claims", "read"]

NAME = "swe-agent"
LOOKS_FOR = "trajectory and history, or rows with agent and message_type"

_NO_MODELS = {"replay", "human", "human_thought", "instant_empty_submit"}


def claims(values: Sequence[Any]) -> bool:
    """Whether these first values of a file are trajectories or rows of a history."""
    return any(_is_run(value) or any(map(_is_row, _listed(value))) for value in values)


def read(source: Source) -> list[Trace]:
    """Read the runs of a file; each agent of a run has a conversation of its own."""
    found = [one for run in _runs(source) for one in _conversations(run)]
    names = (
        [source.stem]
        if len(found) == 1
        else [f"{source.stem}#{at + 1}" for at in range(len(found))]
    )
    return [_trace(name, *one) for name, one in zip(names, found, strict=True)]


def _is_run(value: Any) -> bool:
    run = obj(value)
    steps = run.get("trajectory")
    if not isinstance(steps, list):
        return any(map(_is_run, items(run.get("attempts"))))
    return isinstance(run.get("history"), list) or any(
        {"action", "observation", "response"} <= obj(step).keys() for step in steps
    )


def _is_row(value: Any) -> bool:
    row = obj(value)
    marks = {"message_type", "is_demo", "thought"}
    return {"agent", "role"} <= row.keys() and not marks.isdisjoint(row)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _runs(source: Source) -> Iterator[Row]:
    """Each run as an object with a history: rows on lines of their own are one run."""
    loose: list[Any] = []
    for line, value in source.values():
        for one in _listed(value):
            if _is_run(one):
                runs = [one] if "trajectory" in one else items(one["attempts"])
                yield from map(obj, runs)
            elif isinstance(obj(one).get("role"), str):
                loose.append(one)
            else:
                why = "neither a trajectory nor a row of a history, left out"
                source.repairs.append(Repair(f"line {line}", why))
    if loose:
        yield {"history": loose}


def _conversations(run: Row) -> Iterator[tuple[str, list[Row], list[Repair]]]:
    """Model, rows and repairs of each agent in a run; the repairs of all go to the first."""
    repairs: list[Repair] = []
    agents: dict[str, list[Row]] = {}
    for row in rows(run, lambda *told: repairs.append(Repair(*told))):
        agents.setdefault(text(row.get("agent")), []).append(row)
    for at, own in enumerate(agents.values()):
        yield _model(run), own, [] if at else repairs


def _model(run: Row) -> str:
    """The model's name, where the file has the configuration of the run."""
    config = run.get("replay_config")
    try:
        config = json.loads(config) if isinstance(config, str) else config
    except (ValueError, RecursionError):
        return ""
    name = text(obj(obj(obj(config).get("agent")).get("model")).get("name"))
    return "" if name in _NO_MODELS else name


def _trace(name: str, model: str, own: Sequence[Row], repairs: Sequence[Repair]) -> Trace:
    task = next((at for at, row in enumerate(own) if _asks(row)), -1)
    trace = from_rows((_chat(row, at, at == task) for at, row in enumerate(own)), id=name)
    front = _front(own)
    said = [*trace.pinned, *trace.messages]
    messages = tuple(message for message in said if message.id not in front)
    return replace(
        trace,
        messages=messages,
        pinned=tuple(message for message in said if message.id in front),
        model=model,
        source=NAME,
        events=tuple(_events(messages, {_id(at): row for at, row in enumerate(own)})),
        repairs=(*repairs, *trace.repairs),
    )


def _id(at: int) -> str:
    return f"m{at + 1}"


def _asks(row: Row) -> bool:
    return row.get("role") == "user" and not demonstrates(row)


def _front(own: Sequence[Row]) -> set[str]:
    """Ids of what opened every request: the leading system prompt and all demonstrations."""
    front: set[str] = set()
    leading = True
    for at, row in enumerate(own):
        pinned = demonstrates(row)
        leading = leading and (pinned or row.get("role") == "system")
        if pinned or leading:
            front.add(_id(at))
    return front


def _chat(row: Row, at: int, task: bool) -> Row:
    """A row of a history in the chat shape."""
    role = row.get("role")
    extra: Row = {"id": _id(at)}
    if not task and role not in ("system", "assistant", "tool"):
        extra["injected"] = True
    thoughts = [obj(block) for block in items(row.get("thinking_blocks"))]
    if thoughts:
        extra["reasoning"] = [_thought(block) for block in thoughts]
    made: Row = {"role": role, "content": row.get("content"), "bench": extra}
    calls = [obj(call) for call in items(row.get("tool_calls"))]
    if calls and role == "assistant":
        made["tool_calls"] = [
            call if text(call.get("id")) else {**call, "id": f"{_id(at)}-{place}"}
            for place, call in enumerate(calls)
        ]
    if role == "tool":
        answers = [text(one) for one in items(row.get("tool_call_ids"))]
        made["tool_call_id"] = next(filter(None, answers), text(row.get("tool_call_id")))
    return made


def _thought(block: Row) -> dict[str, str]:
    signature = text(block.get("signature")) or text(block.get("data"))
    return {"text": text(block.get("thinking")), "signature": signature}


def _events(messages: Sequence[Message], own: dict[str, Row]) -> Iterator[FileEvent]:
    """Changes of files: by the call of each result, or by the command in the answer before."""
    calls = {}
    for before, message in pairwise(messages):
        if before.role == "assistant":
            calls = {call.id: call for call in before.calls}
        made: FileEvent | None = None
        if message.role == "tool" and message.answers in calls:
            call = calls[message.answers]
            made = edits.event(message, call.name, call.inputs)
        elif message.role == "user" and before.role == "assistant" and not before.calls:
            made = edits.event(message, *edits.command(text(own[before.id].get("action"))))
        if made:
            yield made
