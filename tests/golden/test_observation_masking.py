"""ObservationMasking against what SWE-agent's history processor did with the same history."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import Message, Text, ToolCall, Window
from strategies.observation_masking import ObservationMasking

FACTS = json.loads((Path(__file__).parent / "strategies" / "masking.json").read_text())
UPSTREAM = Path(__file__).parents[3] / "shared" / "harness" / "golden"

#: Upstream cases that cannot agree, with the ids that differ and why.
DEVIATIONS = {
    "n5-tags": (
        {"m007", "m041"},
        "upstream's tools tag single outputs to be kept or removed; recorded traces have no tags",
    )
}


def history(observations: int) -> list[Message]:
    """A task, then so many answers with one call and its result; m000 is the system prompt."""
    made = [Message("m001", "user", (Text("the task"),))]
    for at in range(observations):
        call = ToolCall(f"c{at}", "bash", "{}")
        made.append(Message(f"m{2 + 2 * at:03d}", "assistant", (Text("next"), call)))
        made.append(Message(f"m{3 + 2 * at:03d}", "tool", (Text("out\nput"),), answers=call.id))
    return made


def masked(case: dict[str, Any], make_window: Callable[..., Window]) -> list[str]:
    window = make_window(history(case["n_obs"]))
    request = ObservationMasking(**case["kw"]).render(window)
    assert [m.id for m in request] == [m.id for m in window.messages]
    assert len(request) + 1 == case["n_out"]
    return [new.id for new, old in zip(request, window.messages, strict=True) if new is not old]


@pytest.mark.parametrize("case", FACTS.values(), ids=FACTS)
def test_facts(case: dict[str, Any], make_window: Callable[..., Window]) -> None:
    assert masked(case, make_window) == case["elided_ids"]


@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the upstream runs are not at hand")
def test_all_upstream_runs(make_window: Callable[..., Window]) -> None:
    prefix = "sweagent-last-n-observations-"
    differ = {}
    for file in sorted(UPSTREAM.glob(f"{prefix}*.json")):
        case = json.loads(file.read_text())
        difference = set(masked(case, make_window)) ^ set(case["elided_ids"])
        if difference:
            differ[file.stem.removeprefix(prefix)] = difference
    assert differ == {stem: ids for stem, (ids, _) in DEVIATIONS.items()}
