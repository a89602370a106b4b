"""Sessions of Claude Code: trees, split responses, compactions, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.readers import read
from bench.readers.claude_code import attachments, edits
from bench.trace import FileEvent, Image, Reasoning, Text, ToolCall, Trace, Usage

Read = Callable[..., tuple[Trace, ...]]
GOLDEN = Path(__file__).parents[1] / "golden" / "readers" / "claude-session.jsonl"


@pytest.fixture
def session(tmp_path: Path) -> Read:
    def made(*rows: dict[str, Any]) -> tuple[Trace, ...]:
        path = tmp_path / "s.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return read(path)

    return made


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "message": {"role": "user", "content": content},
        **more,
    }


def answer(uuid: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"id": uuid, "role": "assistant", "model": "m", "content": list(blocks)}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **more}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def call(id: str, name: str = "Read", **inputs: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_use", "id": id, "name": name, "input": inputs}


def result(id: str, said: Any = "ok", **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_result", "tool_use_id": id, "content": said, **more}


def ids(trace: Trace) -> list[str]:
    return [message.id for message in trace.messages]


def test_a_split_response_is_one_message_with_its_results_behind() -> None:
    trace, side = read(GOLDEN)
    first = next(message for message in trace.messages if message.id == "msg_1")
    assert [type(part) for part in first.parts] == [Reasoning, Text, ToolCall, ToolCall]
    assert first.parts[0] == Reasoning("Where is the valve?", "c2ln")
    at = ids(trace).index("msg_1")
    assert ids(trace)[at : at + 4] == ["msg_1", "r1", "r2/1", "r2/2"]
    assert [one.error for one in trace.messages[at + 1 : at + 3]] == [False, True]
    assert dict(trace.usage)["msg_1"] == Usage(3, 1000, 150, 50, 31)
    assert trace.messages[0].parts[1] == Image(trace.messages[0].parts[1].data, "image/png", 40, 30)
    assert (side.id, side.steps) == ("claude-session#side-1", 1)


def test_compactions_stay_out_of_the_record() -> None:
    trace, _ = read(GOLDEN)
    micro, manual, auto = trace.compactions
    assert (micro.trigger, micro.before, micro.tokens_after) == ("micro auto", "msg_3", 600)
    assert (manual.before, manual.kept) == ("u3", ("msg_3",))
    assert (auto.before, auto.summary) == ("msg_5", "SUMMARY again")
    assert ids(trace).count("msg_3") == 1
    assert not any("SUMMARY" in message.text for message in trace.messages)


def test_roots_without_a_link_are_conversations_of_their_own(session: Read) -> None:
    traces = session(
        user("u1", None, "one"),
        answer("a1", "u1", text("first")),
        user("u2", None, "two"),
        answer("a2", "u2", text("second")),
        user("u3", None, "never answered"),
    )
    assert [(trace.id, ids(trace)) for trace in traces] == [
        ("s#1", ["u1", "a1"]),
        ("s#2", ["u2", "a2"]),
    ]
    assert [repair.where for repair in traces[0].repairs] == ["line 5"]


def test_a_file_of_a_sub_agent_is_a_conversation(session: Read) -> None:
    (trace,) = session(
        user("u1", None, "do", isSidechain=True, agentId="x"),
        answer("a1", "u1", text("done"), isSidechain=True, agentId="x"),
    )
    assert (trace.id, ids(trace)) == ("s", ["u1", "a1"])


def test_parents_in_a_loop_or_later_in_the_file(session: Read) -> None:
    traces = session(
        user("u1", "a1", "one"),
        answer("a1", "u1", text("first")),
        answer("a2", "u2", text("second")),
        user("u2", "a1", "two"),
    )
    assert sum(trace.steps for trace in traces) >= 1
    assert any("loop" in repair.why for repair in traces[0].repairs)


def test_a_result_without_its_call_is_kept_as_text(session: Read) -> None:
    (trace,) = session(
        user("u1", "before this file", [result("lost", "seen before", is_error=True)]),
        answer("a1", "u1", call("c1"), call("c1")),
        user("r1", "a1", [result("c1", [{"type": "tool_reference", "tool_name": "Grep"}])]),
        user("r2", "r1", [result("c1", "again")]),
        answer("a2", "r2", call("never answered"), {"type": "fallback"}),
    )
    first = trace.messages[0]
    assert (first.role, first.text, first.injected) == ("user", "seen before", True)
    assert ids(trace) == ["u1", "a1", "r1", "a2"]
    assert trace.messages[2].text == "Grep"
    assert [(repair.where, repair.why.partition(",")[0]) for repair in trace.repairs] == [
        ("line 5", 'a block of the unknown type "fallback"'),
        ("line 1", "continues a conversation that began before this file"),
        ("line 1", "the call lost is missing: its result was kept as user text"),
        ("line 2", "a second copy of the call c1"),
        ("line 4", "a second result of the call c1"),
    ]


@pytest.mark.parametrize(
    ("content", "more", "injected"),
    [
        ("please", {}, False),
        ("please", {"isMeta": True}, True),
        ("<command-message>go</command-message>\n<command-name>/go</command-name>", {}, False),
        ("<command-name>/model</command-name>", {}, True),
        ("<local-command-stdout>x</local-command-stdout>", {}, True),
        ("<task-notification>x</task-notification>", {}, True),
        ("anything", {"origin": {"kind": "task-notification"}}, True),
        ([text("<system-reminder>x</system-reminder>")], {}, True),
        ([text("<system-reminder>x</system-reminder>"), text("please")], {}, False),
        ([text("[Request interrupted by user]")], {}, True),
    ],
)
def test_who_wrote_a_user_message(
    session: Read, content: Any, more: dict[str, Any], injected: bool
) -> None:
    (trace,) = session(user("u1", None, content, **more), answer("a1", "u1", text("yes")))
    assert trace.messages[0].injected is injected


@pytest.mark.parametrize(
    ("attachment", "expected"),
    [
        ({"type": "command_permissions", "allowedTools": []}, None),
        ({"type": "hook_success", "hookEvent": "Stop", "content": "x"}, None),
        ({"type": "hook_success", "hookEvent": "SessionStart", "content": "x"}, "x"),
        ({"type": "hook_additional_context", "content": ["a", "b"]}, "a\nb"),
        ({"type": "task_reminder", "content": []}, "The task list is empty."),
        (
            {"type": "task_reminder", "content": [{"status": "done", "subject": "s"}]},
            "Task list:\n- [done] s",
        ),
        (
            {"type": "deferred_tools_delta", "addedNames": ["A"], "removedNames": ["B"]},
            "deferred tools added:\nA\ndeferred tools removed:\nB",
        ),
        ({"type": "edited_text_file", "filename": "f", "snippet": "s"}, "File f was changed:\ns"),
        ({"type": "new_kind", "x": 1}, '{"x":1}'),
    ],
)
def test_attachments_are_written_as_text(attachment: dict[str, Any], expected: str | None) -> None:
    parts = attachments.render(attachment, print)
    assert parts == (() if expected is None else (Text(expected),))


def test_an_attached_picture_is_a_picture() -> None:
    content = {"type": "image", "file": {"base64": "AAAA", "type": "image/png"}}
    attachment = {"type": "file", "filename": "f.png", "content": content}
    assert attachments.render(attachment, print) == (
        Text("File f.png"),
        Image("AAAA", "image/png"),
    )


@pytest.mark.parametrize(
    ("name", "inputs", "report", "expected"),
    [
        (
            "Write",
            {"file_path": "f", "content": "in"},
            {"filePath": "/f", "content": "out"},
            [("/f", "write", "out", None, None)],
        ),
        (
            "Edit",
            {"file_path": "f", "old_string": "a", "new_string": "b"},
            {},
            [("f", "edit", None, "a", "b")],
        ),
        (
            "Edit",
            {},
            {"filePath": "f", "oldString": "a", "newString": "b", "originalFile": "a a"},
            [("f", "edit", "b a", "a", "b")],
        ),
        (
            "Edit",
            {},
            {"filePath": "f", "oldString": "a", "newString": "", "originalFile": "a\nc\n"},
            [("f", "edit", "c\n", "a", "")],
        ),
        (
            "MultiEdit",
            {},
            {
                "filePath": "f",
                "originalFileContents": "a a",
                "edits": [
                    {"old_string": "a", "new_string": "b", "replace_all": True},
                    {"old_string": "z", "new_string": "y"},
                ],
            },
            [("f", "edit", "b b", "a", "b"), ("f", "edit", None, "z", "y")],
        ),
        (
            "NotebookEdit",
            {"notebook_path": "n", "new_source": "x"},
            {"updated_file": "{}"},
            [("n", "edit", "{}", None, "x")],
        ),
        ("Bash", {"command": "rm f"}, {}, []),
    ],
)
def test_file_events(
    name: str, inputs: dict[str, Any], report: dict[str, Any], expected: list[Any]
) -> None:
    made = edits.events("r", ToolCall("c", name, json.dumps(inputs)), report)
    assert list(made) == [FileEvent("r", *fields) for fields in expected]
