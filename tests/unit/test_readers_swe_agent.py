"""SWE-agent trajectories of both versions."""

import json
from pathlib import Path

import pytest

from bench.readers import read

TRACES = Path(__file__).parents[3] / "shared" / "traces" / "swe-agent"


def row(role, content, **parts):
    return {"role": role, "content": content, "agent": "main", **parts}


def call(name, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"c-{name}", "type": "function", "function": function}


def saved(path, history, trajectory=(), **parts):
    whole = {"trajectory": list(trajectory), "history": history, "info": {}, **parts}
    path.write_text(json.dumps(whole))
    return read(path)[0]


V0 = [
    row("system", "You have a shell."),
    row("user", "An example task", is_demo=True),
    row("assistant", "An example answer", is_demo=True),
    row("user", "Fix the parser."),
    row("assistant", "Look.\n```\nopen a.py\n```", action="open a.py"),
    row("user", "Old environment output: (3 lines omitted)"),
    row("assistant", "Edit.", action="edit 1:1\nx = 2\nend_of_edit"),
    row("user", "[File: /r/a.py (1 lines total)]\n1:x = 2\nFile updated. Please review."),
    row("assistant", "Create.", action="create b.py"),
    row("user", "[File: /r/b.py (1 lines total)]\n1:"),
]


def test_version_0_has_no_calls_and_observations_are_not_a_persons_words(tmp_path):
    trace = saved(tmp_path / "v0.traj", V0, [{"observation": "[File: /r/a.py (1 lines total)]\nx"}])
    assert [m.role for m in trace.pinned] == ["system", "user", "assistant"]
    assert [m.role for m in trace.messages] == ["user", "assistant"] * 3 + ["user"]
    assert [m.injected for m in trace.messages if m.role == "user"] == [False, True, True, True]
    assert trace.messages[2].text.endswith("x")  # the elided observation is put back
    assert trace.repairs
    assert [(e.path, e.kind, e.new, e.content) for e in trace.events] == [
        ("/r/a.py", "edit", "x = 2", None),
        ("/r/b.py", "write", None, "\n"),
    ]


V1 = [
    row("system", "You have tools.", message_type="system_prompt"),
    row("user", [{"type": "text", "text": "Fix it."}], message_type="observation"),
    row(
        "assistant",
        "",
        message_type="action",
        tool_calls=[
            call("str_replace_editor", command="str_replace", path="/r/a", old_str="1", new_str="2")
        ],
    ),
    row(
        "tool",
        [{"type": "text", "text": "OBSERVATION:\nThe file /r/a has been edited."}],
        message_type="observation",
        tool_call_ids=["c-str_replace_editor"],
    ),
    row("assistant", "Done.", message_type="action", tool_calls=[call("submit")]),
]


def test_version_1_has_calls_and_results(tmp_path):
    config = {"agent": {"model": {"name": "claude-3-7-sonnet-20250219"}}}
    trace = saved(tmp_path / "v1.traj", V1, replay_config=json.dumps(config))
    assert trace.model == "claude-3-7-sonnet-20250219"
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.messages[2].answers == trace.messages[1].calls[0].id
    assert [(e.old, e.new, e.path) for e in trace.events] == [("1", "2", "/r/a")]


def test_history_rows_alone_are_read(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in V1))
    (trace,) = read(path)
    assert (trace.source, trace.steps) == ("swe-agent", 2)


@pytest.mark.parametrize("harm", [{"history": 3}, {"history": [None, 3]}, {"history": []}])
def test_nonsense_is_refused_in_one_line(tmp_path, harm):
    from bench.errors import BenchError

    path = tmp_path / "bad.traj"
    path.write_text(json.dumps({"trajectory": [], "history": [], **harm}))
    with pytest.raises(BenchError):
        read(path)


@pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded sessions are not at hand")
def test_recorded_trajectories_have_the_steps_of_the_index():
    index = json.loads((TRACES.parent / "index.json").read_text())
    for entry in (entry for entry in index if entry["fmt"] == "swe-agent"):
        (trace,) = read(TRACES / entry["name"])
        calls = sum(len(message.calls) for message in trace.messages)
        # the index counts the commands of version 0 as calls, and views as edits
        assert trace.steps == entry["turns"]
        assert calls == (0 if entry["name"].startswith("v0") else entry["calls"])
        assert len(trace.events) <= entry["edits"]
