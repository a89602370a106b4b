"""The generated session: believable, the same for the same seed, and with probes that are fair."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.services.tokens import Tokens
from scenarios.generated import session

FOLDER = Path(session.__file__).parent
Row = dict[str, Any]


def written(row: Row) -> str:
    """All that a message says: its text and the values of its calls' arguments."""
    calls = [json.loads(call["function"]["arguments"]) for call in row.get("tool_calls", ())]
    return "\n".join([row.get("content", ""), *(str(v) for call in calls for v in call.values())])


@pytest.mark.parametrize("steps", [40, 120, 400])
@pytest.mark.parametrize("seed", [0, 1, 7, 2031])
def test_each_probe_is_stated_once_and_never_again(seed: int, steps: int) -> None:
    built = session.build(seed, steps)
    rows = built["rows"][1:]
    at = {row["bench"]["id"]: position for position, row in enumerate(rows)}
    texts = [written(row) for row in rows]
    probes = built["probes"]
    assert len({probe["id"] for probe in probes}) == len(probes) >= 8
    depths = [at[probe["source"]] / len(rows) for probe in probes]
    assert min(depths) < 0.2
    assert any(0.4 < depth < 0.6 for depth in depths)
    assert max(depths) > 0.7
    for probe in probes:
        source = at[probe["source"]]
        assert rows[source]["role"] in ("user", "tool")
        assert rows[source]["content"].count(probe["expect"]) == 1
        assert not any(probe["expect"] in text for text in texts[source + 1 :])
        before = [n for n, text in enumerate(texts[:source]) if probe["expect"] in text]
        # The edit that the tool reports stands in the call as well.
        assert before == ([source - 1] if probe["kind"] == "file" else [])
        for stale in probe["forbid"]:
            assert stale not in probe["expect"]
            assert any(stale in text for text in texts[:source])
            assert not any(stale in text for text in texts[source + 1 :])


@pytest.mark.parametrize("steps", [0, 1, 2, 9, 16, 120])
def test_any_number_of_steps(steps: int) -> None:
    rows = session.build(7, steps)["rows"]
    assert sum(row.get("role") == "assistant" for row in rows) == steps


def test_rows_are_a_valid_chat() -> None:
    header, system, *rows = session.build(7, 300)["rows"]
    assert header["bench"]["trace"]["licence"] == "CC0-1.0"
    assert "role" not in header
    assert system["role"] == "system"
    assert rows[0]["role"] == "user"
    waiting: list[str] = []
    parallel = 0
    for row in rows:
        if row["role"] == "tool":
            assert row["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        waiting = [call["id"] for call in row.get("tool_calls", ())]
        parallel += len(waiting) > 1
    assert waiting == []
    assert parallel > 10
    ids = [row["bench"]["id"] for row in (system, *rows)]
    assert len(set(ids)) == len(ids)


def test_times_grow_with_gaps_at_user_messages_only() -> None:
    rows = session.build(7, 120)["rows"][1:]
    gaps = [
        (later["bench"]["time"] - earlier["bench"]["time"], later["role"])
        for earlier, later in pairwise(rows)
    ]
    assert all(0 < gap < 30 for gap, role in gaps if role != "user")
    assert sum(gap > 300 for gap, _ in gaps) >= 2


def test_edits_replace_what_was_read_before() -> None:
    seen = ""
    edits = 0
    for row in session.build(7, 200)["rows"][1:]:
        for call in row.get("tool_calls", ()):
            if call["function"]["name"] == "edit_file":
                edits += 1
                assert json.loads(call["function"]["arguments"])["old_str"] in seen
        if row["role"] == "tool":
            seen += re.sub(r"^ *\d+\t|^[+-]", "", row["content"], flags=re.M) + "\n"
    assert edits > 10


def test_files_are_python() -> None:
    reads = [
        row["content"]
        for row in session.build(7, 200)["rows"][1:]
        if row.get("name") == "read_file" and len(row["content"]) < 12_000
    ]
    assert len(set(reads)) > 30
    for shown in reads:
        ast.parse(re.sub(r"^ *\d+\t", "", shown, flags=re.M))


def test_the_declared_session_fills_its_window_more_than_twice() -> None:
    declared = tomllib.loads((FOLDER / "scenario.toml").read_text())
    rows = session.build(**declared["generate"])["rows"][1:]
    total = sum(map(Tokens().text, map(written, rows)))
    assert 2 * declared["windows"][0] < total < 3 * declared["windows"][0]
    sizes = [len(row["content"]) for row in rows if row["role"] == "tool"]
    assert max(sizes) <= 12_000
    assert max(sizes) > 40 * min(sizes)


def test_ten_thousand_steps_take_moments() -> None:
    started = time.process_time()
    rows = session.build(1, 10_000)["rows"]
    assert time.process_time() - started < 6  # 1.2 s on the machine it was written on
    outputs = [row["content"] for row in rows if row.get("role") == "tool"]
    assert len(set(outputs)) > 0.85 * len(outputs)  # the rest: a file read twice


def test_same_seed_same_bytes_under_any_hash_seed() -> None:
    code = (
        "import hashlib, json\n"
        "from scenarios.generated.session import build\n"
        "print(hashlib.sha256(json.dumps(build(7, 120)).encode()).hexdigest())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(answers) == 1
    assert session.build(7, 120) != session.build(8, 120)
