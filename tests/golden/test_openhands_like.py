"""OpenHandsLike against what the published package did with the same history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench import Declined, Message, Reasoning, SummaryFailed, Text, ToolCall, Window
from strategies.contracts.openhands import shown
from strategies.openhands_like import PINNED, OpenHandsLike, gaps, log

FACTS = json.loads((Path(__file__).parent / "strategies" / "openhands.json").read_text())
UPSTREAM = Path(__file__).parents[3] / "shared" / "harness" / "golden"
SYSTEM = 30  # words of the system prompt of the history, as the fixture counts

#: Upstream cases that cannot agree, and why.
DEVIATIONS = {
    "openhands-no-agent-llm-token-limit-ignored": (
        "without the agent's model upstream cannot count tokens; a replay always can"
    )
}


def history() -> Iterator[Message]:
    """The synthetic session behind the facts: ids, roles, calls and sizes in words."""
    at = 1

    def message(role: str, words: int, calls: tuple[ToolCall, ...] = (), answers: str = "") -> Any:
        nonlocal at
        name = f"m{at:03d}"
        at += 1
        body = Text(" ".join([f"[{name}]", *["word"] * (words - 1)]))
        return Message(name, role, (body, *calls), answers=answers)  # type: ignore[arg-type]

    def call(identity: str, words: int) -> ToolCall:
        return ToolCall(f"call_{identity}", "bash", " ".join(["x"] * words))

    yield message("user", 31)
    turn = 0
    while True:
        kind = turn % 6
        if kind == 2:
            pair = (call(f"{turn:03d}a", 2), call(f"{turn:03d}b", 2))
            yield message("assistant", 3, pair)
            yield message("tool", 81, answers=pair[0].id)
            yield message("tool", 6, answers=pair[1].id)
        elif kind == 4:
            yield message("assistant", 34)
            yield message("user", 19)
        else:
            said, asked, answer = (4, 5, 127) if kind == 5 else (13, 3, 64 + 20 * kind)
            yield message("assistant", said, (call(f"{turn:03d}", asked),))
            yield message("tool", answer, answers=f"call_{turn:03d}")
        turn += 1


def facts_of(golden: dict[str, Any]) -> dict[str, Any]:
    """What a golden file of the upstream run says, in the form of the facts file."""
    appended = golden["appended_after_step"]
    steps = []
    for at, step in enumerate(golden["steps"]):
        before = appended[at - 1] if at else [n for n in step["view_before"] if n[0] == "m"]
        forgotten = step.get("forgotten") or []
        result = {"view_unchanged": "kept", "condensation": "applied", "exception": "failed"}
        steps.append(
            {
                "last": max(before),
                "requested": step["unhandled_request"],
                "events": len(step["view_before"]),
                "tokens": step["view_tokens"],
                "gaps": step["manipulation_indices"],
                "reasons": sorted(step["reasons"]),
                "outcome": result[step["result"]],
                "forgotten": [forgotten[0], forgotten[-1], len(forgotten)] if forgotten else None,
                "offset": step.get("summary_offset"),
                "summary": step.get("summary"),
                "blocks": [
                    sum(part["event_blocks"] for part in asked)
                    for asked in step.get("llm_calls", [])
                ],
            }
        )
    stub = golden["stub"]
    return {
        "params": golden["condenser"],
        "limit": (golden["agent_llm"] or {}).get("max_input_tokens"),
        "failures": 10**9 if stub.get("fail") else stub.get("fail_times", 0),
        "thinking": golden["thinking_block_on"],
        "system": not golden["no_system"],
        "steps": steps,
    }


def replayed(
    case: dict[str, Any], make_window: Callable[..., Window], desk: Any
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Per step, what this strategy did, and what upstream did."""
    strategy = OpenHandsLike(**case["params"])
    source = history()
    view: list[Message] = []
    for step in case["steps"]:
        while not view or view[-1].id != step["last"]:
            message = next(source)
            if message.id in case["thinking"]:
                thought = Reasoning("hm", signature="s")
                message = replace(message, parts=(thought, *message.parts))
            view.append(message)
        window = make_window(
            view,
            limit=case["limit"] or 10**9,
            pinned=SYSTEM if case["system"] else 0,
            services=desk,
            reason="requested" if step["requested"] else "threshold",
        )
        events = log(window)
        merged = sum(a.role == b.role == "user" for a, b in pairwise(view))
        ours: dict[str, Any] = {
            "last": step["last"],
            "requested": step["requested"],
            "events": len(events),
            "tokens": window.used - 4 * merged,  # upstream merges neighbouring user messages
            "gaps": gaps(events),
            "reasons": sorted(strategy.reasons(window)),
            "outcome": "kept",
            "forgotten": None,
            "offset": None,
            "summary": None,
        }
        assert strategy.due(window) == bool(ours["reasons"])
        asked = len(desk.asked)
        if ours["reasons"]:
            try:
                after = list(strategy.compact(window))
            except Declined:
                pass
            except SummaryFailed:
                ours["outcome"] = "failed"
            else:
                note = next(m for m in after if m not in view)
                gone = [e for e in events if e.message not in after and e.message is not PINNED]
                ours["outcome"] = "applied"
                ours["forgotten"] = [name(gone[0]), name(gone[-1]), len(gone)]
                following = log(replace(window, view=tuple(after)))
                ours["offset"] = next(n for n, e in enumerate(following) if e.message is note)
                ours["summary"] = note.text
                view = after
        blocks = [str(source).count("<event>") for _, source, _, _ in desk.asked[asked:]]
        ours["blocks"] = blocks if ours["outcome"] != "failed" else []
        yield ours, step


def name(event: Any) -> str:
    message, nth = event
    if message.covers:
        return "SUMMARY"
    return f"{message.id}.{nth}" if nth else str(message.id)


@pytest.mark.parametrize("case", FACTS.values(), ids=FACTS)
def test_facts(
    case: dict[str, Any], make_window: Callable[..., Window], make_desk: Callable[..., Any]
) -> None:
    for ours, theirs in replayed(case, make_window, make_desk(fail_first=case["failures"])):
        assert ours == theirs


@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the upstream runs are not at hand")
def test_all_upstream_runs(
    make_window: Callable[..., Window], make_desk: Callable[..., Any]
) -> None:
    files = sorted(UPSTREAM.glob("openhands-*.json"))
    runs = {file.stem: json.loads(file.read_text()) for file in files}
    differ = set()
    for stem, golden in runs.items():
        if "steps" not in golden:
            continue
        case = facts_of(golden)
        rows = list(replayed(case, make_window, make_desk(fail_first=case["failures"])))
        if any(ours != theirs for ours, theirs in rows):
            differ.add(stem)
    assert [stem for stem in runs if "steps" not in runs[stem]] == ["openhands-event-strings"]
    assert differ == set(DEVIATIONS)


@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the upstream runs are not at hand")
def test_all_upstream_previews() -> None:
    golden = json.loads((UPSTREAM / "openhands-event-strings.json").read_text())
    for row in golden["strs"]:
        preview = row["str"].split(": ", 1)[1]
        if "Result: " in preview:
            preview = preview.split("Result: ", 1)[1]
        preview = preview.split("\n  Action:")[0]
        text = preview[:-3] + " more" * 50 if preview.endswith("...") else preview
        parts: tuple[Any, ...] = (Text(text),)
        if row["kind"] == "ActionEvent":
            message = Message("m", "assistant", (*parts, ToolCall("c", "bash", '{"secret": 1}')))
        elif row["kind"] == "ObservationEvent":
            message = Message("m", "tool", parts, answers="c", name="bash")
        else:
            summary = ("x",) if row["kind"] == "CondensationSummaryEvent" else ()
            message = Message("m", "user", parts, covers=summary)
        if row["kind"] != "SystemPromptEvent":  # never forgotten here
            assert preview in shown(message)
            assert "more" not in shown(message)
            assert "secret" not in shown(message)
