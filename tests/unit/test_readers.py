"""Any file offered as a trace is read, or refused with one clear line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.readers import read, source
from bench.readers.openai_chat import dump
from bench.trace import Message, Trace

GOLDEN = Path(__file__).parents[1] / "golden" / "readers"
ROW = '{"role": "user", "content": "hi"}'
ANSWER = '{"role": "assistant", "content": "hello"}'
SMALL = f"{ROW}\n{ANSWER}\n"

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(content: str | bytes) -> Path:
        path = tmp_path / "chat.whatever"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return made


def refusal(path: Path, **options: str) -> str:
    with pytest.raises(BenchError) as caught:
        read(path, **options)
    line = str(caught.value)
    assert "\n" not in line
    return line


def same(left: Trace, right: Trace) -> bool:
    return repr(left) == repr(right)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        ("\n \r\n\n", "the file is empty"),
        ('{"role": "user", "content": "hi"', "line 1: broken JSON"),
        ("[\n1,\n2,\n}\n", "line 4: broken JSON"),
        (f"{ROW}\n{ROW[:-9]}\n{ANSWER}\n", "line 2: broken JSON"),
        (f"{ROW}\n{ROW[:20]}\n\n{ANSWER}\n", "line 2: broken JSON"),
        ("# Notes\n\nwords\n", "no known format; known are claude-code (records with uuid"),
        ('{"some": "thing"}\n', "no known format"),
        ("[" * 100_000, "line 1: JSON nested too deeply"),
        (f"{ROW}\n" + '{"a":' * 100_000, "line 2: JSON nested too deeply"),
        (ROW, "a trace without steps"),
        ('{"messages": []}', "no known format"),
        ("9" * 5000, "not JSON|no known format"),
        (bytes(range(256)) * 40, "binary data"),
        (b"\x1f\x8b\x08\x00broken", "cannot be read"),
        (gzip.compress(SMALL.encode())[:-12], "cannot be read"),
        ('\ufeff{"a": 1}'.encode("utf-16-le"), "UTF-16 text; convert it to UTF-8"),
    ],
)
def test_refused_with_one_line(write: Write, content: str | bytes, said: str) -> None:
    line = refusal(write(content))
    assert any(one in line for one in said.split("|"))


def test_missing_file_and_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.jsonl").endswith("none.jsonl: no such file")
    assert "a directory; give one transcript file" in refusal(tmp_path)


def test_unknown_format_name_lists_the_known(write: Write) -> None:
    assert "known are claude-code, swe-agent, openai-chat" in refusal(write(SMALL), format="word")
    assert "not JSON; it begins 'words'" in refusal(write("words"), format="openai-chat")


def test_bounds(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 1 << 20)
    long = json.dumps({"role": "user", "content": "x" * (1 << 20)})
    assert "line 2: a line of more than 1 MB" in refusal(write(f"{ROW}\n{long}\n"))
    monkeypatch.setattr(source, "MAX_FILE", 2 << 20)
    packed = gzip.compress((f"{ROW}\n" * 200_000).encode())
    assert "more than 2 MB of text" in refusal(write(packed))


@pytest.mark.parametrize(
    "content",
    [
        SMALL,
        SMALL.replace("\n", "\r\n"),
        f"\n\n{ROW}\n \n{ANSWER}",
        ROW + ANSWER,
        f"{ROW}  {ANSWER}\n",
        b"\xef\xbb\xbf" + SMALL.encode(),
        gzip.compress(SMALL.encode()),
        f"[{ROW}, {ANSWER}]",
        f"[\n  {ROW},\n  {ANSWER}\n]\n",
        f'{{"messages": [{ROW}, {ANSWER}]}}',
        f'{{\n"messages": [\n{ROW}, {ANSWER}]}}',
    ],
)
def test_harmless_differences_give_the_same_messages(write: Write, content: str | bytes) -> None:
    (trace,) = read(write(content))
    assert [(m.id, m.role, m.text) for m in trace.messages] == [
        ("m1", "user", "hi"),
        ("m2", "assistant", "hello"),
    ]
    assert (trace.id, trace.source, trace.repairs) == ("chat", "openai-chat", ())


@pytest.mark.parametrize(
    ("content", "where", "why", "text"),
    [
        (f"{SMALL}{ROW[:9]}", "line 3", "cut off", "hi"),
        (SMALL.encode().replace(b"hi", b"h\xffi"), "line 1", "not UTF-8", "h\ufffdi"),
        (SMALL.encode().replace(b"hi", b"h\0i"), "line 1", "NUL", "hi"),
        (SMALL.replace("hi", "h\\ud83di"), "line 1", "surrogate", "h\ufffdi"),
        (f"{SMALL}7\n", "line 3", "neither a message nor a chat", "hi"),
    ],
)
def test_mended_and_told(
    write: Write, content: str | bytes, where: str, why: str, text: str
) -> None:
    (trace,) = read(write(content))
    (repair,) = trace.repairs
    assert repair.where == where
    assert why in repair.why
    assert trace.messages[0].text == text


def test_whole_surrogate_pairs_are_left_alone(write: Write) -> None:
    (trace,) = read(write(SMALL.replace("hi", "\\ud83d\\ude00 \\\\ud83d")))
    assert trace.messages[0].text == "😀 \\ud83d"
    assert not trace.repairs


def test_golden_session_of_claude_code() -> None:
    traces = read(GOLDEN / "claude-session.jsonl")
    lines = "".join(f"{line}\n" for trace in traces for line in dump(trace))
    assert lines == (GOLDEN / "claude-session.expected.jsonl").read_text()
    again = read(GOLDEN / "claude-session.expected.jsonl")
    assert all(same(*pair) for pair in zip(traces, again, strict=True))


def parts_in_order(messages: tuple[Message, ...]) -> bool:
    """Whether each tool message stands in the run behind the assistant message it answers."""
    open_: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            open_ = {call.id for call in message.calls}
        elif message.role != "tool":
            open_ = set()
        elif message.answers not in open_:
            return False
    return True


def recorded() -> list[Path]:
    folder = Path(__file__).parents[3] / "shared" / "traces"
    return [path for part in ("claude-code", "openai-chat") for path in (folder / part).glob("*")]


@pytest.mark.skipif(not recorded(), reason="the recorded traces are not here")
def test_recorded_sessions_hold_what_the_index_says() -> None:
    index = {
        (entry["fmt"], entry["name"]): entry
        for entry in json.loads((recorded()[0].parents[1] / "index.json").read_text())
    }
    for path in recorded():
        traces = read(path)
        known = index[path.parent.name, path.name]
        notices = sum("notice of the harness" in r.why for t in traces for r in t.repairs)
        calls = [call for trace in traces for message in trace.messages for call in message.calls]
        assert sum(trace.steps for trace in traces) + notices == known["turns"]
        assert len(calls) == known["calls"]
        assert sum(call.name in EDITS for call in calls) == known["edits"]
        assert sum(len(trace.compactions) for trace in traces) == known["comp"]
        for trace in traces:
            ids = [message.id for message in (*trace.pinned, *trace.messages)]
            assert len(set(ids)) == len(ids)
            assert parts_in_order(trace.messages)
            for compaction in trace.compactions:
                assert compaction.before in ids
                summary = (compaction.summary or "")[:500]
                assert not summary or not any(summary in one.text for one in trace.messages)


EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
