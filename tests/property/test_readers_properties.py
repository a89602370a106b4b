"""What holds for every trace, and for every file."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.errors import BenchError
from bench.readers import read
from bench.readers.openai_chat import dump, from_rows
from bench.trace import (
    Compaction,
    FileEvent,
    Image,
    Message,
    Opaque,
    Reasoning,
    Repair,
    Text,
    ToolCall,
    Trace,
    Usage,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "readers" / "claude-session.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text().replace("}{", "}\n{").splitlines()[:-1]]

words = st.text(max_size=12)
counts = st.integers(0, 1 << 40)
times = st.none() | st.floats(allow_nan=False, allow_infinity=False)
urls = words | st.just("data:image/png;base64,AAAA") | st.just("AAAA")
parts = st.one_of(
    st.builds(Text, words),
    st.builds(Reasoning, words, words),
    st.builds(Image, urls, words | st.just("image/png"), counts, counts),
    st.builds(ToolCall, words, words, words),
    st.builds(Opaque, counts),
)
roles = st.sampled_from(["system", "developer", "user", "assistant", "tool"])
messages = st.lists(
    st.builds(
        Message,
        words.filter(bool),
        roles,
        st.lists(parts, max_size=4).map(tuple),
        answers=words,
        name=words,
        error=st.booleans(),
        time=times,
        injected=st.booleans(),
        origin=words,
        covers=st.lists(words, max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda message: message.id,
).map(tuple)
kinds = st.sampled_from(["write", "edit", "delete"])


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    said = draw(messages)
    pinned = draw(st.integers(0, len(said) - 1))
    ids = st.sampled_from([message.id for message in said]) | words
    texts = st.none() | words
    event = st.builds(FileEvent, ids, words, kinds, texts, texts, texts)
    compaction = st.builds(
        Compaction,
        ids,
        words,
        times,
        st.none() | counts,
        st.none() | counts,
        texts,
        st.lists(ids, max_size=2).map(tuple),
    )
    billed = st.tuples(ids, st.builds(Usage, counts, counts, counts, counts, counts))
    return Trace(
        draw(words.filter(bool)),
        said[pinned:],
        pinned=said[:pinned],
        tools=draw(st.lists(words, max_size=2).map(tuple)),
        model=draw(words),
        source=draw(words),
        licence=draw(words),
        events=draw(st.lists(event, max_size=3).map(tuple)),
        compactions=draw(st.lists(compaction, max_size=2).map(tuple)),
        repairs=draw(st.lists(st.builds(Repair, words, words), max_size=2).map(tuple)),
        usage=draw(st.lists(billed, max_size=3).map(tuple)),
    )


@settings(deadline=None)
@given(traces())
def test_reading_a_dump_gives_the_same_trace(trace: Trace) -> None:
    lines = list(dump(trace))
    assert all("\n" not in line for line in lines)
    again = from_rows([json.loads(line) for line in lines], id="other")
    assert repr(again) == repr(trace)
    assert list(dump(again)) == lines


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a JSON document."""
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    return [at, *(place for key, item in inner for place in places(item, (*at, key)))]


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_session_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    rows = json.loads(json.dumps(ROWS))
    for _ in range(data.draw(st.integers(1, 4))):
        *way, last = data.draw(st.sampled_from(places(rows)[1:]))
        at = rows
        for step in way:
            at = at[step]
        at[last] = data.draw(json_values)
    path = tmp_path / "damaged.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    with suppress(BenchError):
        for trace in read(path):
            ids = [message.id for message in (*trace.pinned, *trace.messages)]
            assert len(set(ids)) == len(ids)
            again = from_rows([json.loads(line) for line in dump(trace)], id="")
            assert repr(again) == repr(trace)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(
                ["role", "content", "tool_calls", "tool_call_id", "name", "function_call", "bench"]
            ),
            json_values | roles,
        ),
        max_size=5,
    )
)
def test_any_rows_are_read_or_refused(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with suppress(BenchError):
        read(path)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(content)
    with suppress(BenchError):
        read(path)
