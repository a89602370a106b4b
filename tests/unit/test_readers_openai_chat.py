"""Chats in the OpenAI shape, and the sizes of images."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from bench.errors import BenchError
from bench.readers import read
from bench.readers.images import from_url, image
from bench.readers.openai_chat import from_rows
from bench.trace import Image, Reasoning, Text, ToolCall


def call(id: str, name: str = "f", arguments: Any = "{}") -> dict[str, Any]:  # noqa: A002
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*made: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(made)}


def result(id: str | None, content: Any = "ok", **more: Any) -> dict[str, Any]:  # noqa: A002
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


USER = {"role": "user", "content": "hi"}


def test_leading_instructions_are_pinned_and_later_ones_stay() -> None:
    system, developer = {"role": "system", "content": "s"}, {"role": "developer", "content": "d"}
    trace = from_rows([system, developer, USER, system, calls(call("a"))], id="t")
    assert [message.role for message in trace.pinned] == ["system", "developer"]
    assert [message.role for message in trace.messages] == ["user", "system", "assistant"]
    assert [message.id for message in trace.messages] == ["m3", "m4", "m5"]


def test_arguments_are_kept_raw_or_dumped() -> None:
    rows = [calls(call("a", arguments='{"x": 1'), call("b", arguments={"y": "ü"})), USER]
    first, second = from_rows(rows, id="t").messages[0].calls
    assert (first.arguments, second.arguments) == ('{"x": 1', '{"y":"ü"}')
    flat = {"id": "c", "name": "g", "arguments": {"z": 1}}
    assert from_rows([calls(flat)], id="t").messages[0].calls == (ToolCall("c", "g", '{"z":1}'),)


def test_contents_of_every_kind() -> None:
    url = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
    content = [{"type": "text", "text": "a"}, url, {"type": "input_audio"}, "b"]
    rows = [
        {"role": "user", "content": content},
        {"role": "assistant", "content": "", "reasoning": "why", "tool_calls": None},
    ]
    trace = from_rows(rows, id="t")
    assert trace.messages[0].parts == (
        Text("a"),
        Image("https://x/y.png"),
        Text('{"type":"input_audio"}'),
        Text("b"),
    )
    assert trace.messages[1].parts == (Reasoning("why"),)
    assert [repair.where for repair in trace.repairs] == ["message 1"]


def test_results_are_put_behind_their_calls() -> None:
    rows = [
        calls(call("a"), call("b")),
        result("b"),
        USER,
        result("a", "late"),
        calls(call("a", "g")),
        result("a", "reused"),
        result("gone", "lost"),
        result(None, "also lost"),
    ]
    trace = from_rows(rows, id="t")
    assert [(m.role, m.answers, m.name) for m in trace.messages] == [
        ("assistant", "", ""),
        ("tool", "b", "f"),
        ("tool", "a", "f"),
        ("user", "", ""),
        ("assistant", "", ""),
        ("tool", "a", "g"),
        ("user", "", ""),
        ("user", "", ""),
    ]
    assert [m.injected for m in trace.messages[-2:]] == [True, True]
    assert [repair.where for repair in trace.repairs] == ["message 4", "message 7", "message 8"]


def test_calls_without_ids() -> None:
    rows = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "one"},
        calls(call(""), call("")),
        result(None, "two"),
        result(None, "three"),
    ]
    trace = from_rows(rows, id="t")
    made = [one.id for message in trace.messages for one in message.calls]
    assert made == ["m1-0", "m3-0", "m3-1"]
    assert [message.answers for message in trace.messages if message.role == "tool"] == made


def test_rows_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    answer = {"role": "assistant", "content": "yes"}
    rows = [
        {"messages": [USER, answer], "tools": [{"name": "f"}], "model": "gpt"},
        {"messages": [USER]},
        {"messages": [USER, answer], "tools": '[{"name": "g"}]'},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    first, last = read(path)
    assert (first.id, first.tools, first.model) == ("rows#1", ('{"name":"f"}',), "gpt")
    assert (last.id, last.tools) == ("rows#3", ('{"name":"g"}',))
    assert [repair.where for repair in first.repairs] == ["rows#2"]
    path.write_text(json.dumps(rows))
    assert [repr(one) for one in read(path)] == [repr(one) for one in (first, last)]


def test_unknown_roles_and_double_ids() -> None:
    trace = from_rows([{"role": "critic", "content": "no"}, calls()], id="t")
    assert trace.messages[0].role == "user"
    assert "critic" in trace.repairs[0].why
    twice = {**USER, "bench": {"id": "x"}}
    with pytest.raises(BenchError, match="two messages have the id 'x'"):
        from_rows([twice, twice], id="t")


def test_messages_of_another_api_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    path.write_text(json.dumps([USER, {"role": "assistant", "content": [block]}]))
    with pytest.raises(BenchError, match="no known format"):
        read(path)


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
JPEG = (
    b"\xff\xd8\xff\xe0"
    + struct.pack(">H", 4)
    + b"xx\xff\xc2\0\x11\x08"
    + struct.pack(">HH", 480, 640)
)
VP8 = b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 640, 480)
VP8L = b"RIFF\0\0\0\0WEBPVP8L" + bytes(5) + struct.pack("<I", 639 | 479 << 14)
VP8X = b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x7f\x02\0" + b"\xdf\x01\0"


@pytest.mark.parametrize("head", [PNG, GIF, JPEG, VP8, VP8L, VP8X])
def test_sizes_of_images(head: bytes) -> None:
    data = base64.b64encode(head + bytes(9)).decode()
    assert image(data, "image/x") == Image(data, "image/x", 640, 480)
    assert from_url(f"data:image/x;base64,{data}") == Image(data, "image/x", 640, 480)


@pytest.mark.parametrize("data", ["", "§", "AAAA", base64.b64encode(PNG[:17]).decode()])
def test_broken_images_have_no_size(data: str) -> None:
    assert image(data).height == 0
