"""Each structural rule: two right and two wrong cases."""

import pytest

from bench.measure.validity import faults
from bench.trace import Image, Message, Text, ToolCall


def user(name, text="hi"):
    return Message(name, "user", (Text(text),))


def calls(name, *ids):
    return Message(name, "assistant", tuple(ToolCall(i, "read", "{}") for i in ids))


def result(name, answers, text="out"):
    return Message(name, "tool", (Text(text),), answers=answers)


RIGHT = {
    "one pair": [user("u"), calls("a", "1"), result("r", "1")],
    "parallel, results in another order": [
        user("u"),
        calls("a", "1", "2"),
        result("r2", "2"),
        result("r1", "1"),
    ],
    "an id used again after its answer": [
        user("u"),
        calls("a", "1"),
        result("r", "1"),
        calls("b", "1"),
        result("s", "1"),
    ],
    "an empty tool result": [user("u"), calls("a", "1"), result("r", "1", "")],
    "an image alone": [Message("u", "user", (Image("data"),))],
    "emoji and CJK": [user("u", "\U0001f600 漢字")],
}
WRONG = {
    "result without call": ([user("u"), result("r", "1")], [("orphan-result", "r")]),
    "second result for one call": (
        [user("u"), calls("a", "1"), result("r", "1"), result("s", "1")],
        [("orphan-result", "s")],
    ),
    "call without result": ([user("u"), calls("a", "1"), user("v")], [("unanswered-call", "a")]),
    "half of a batch": (
        [user("u"), calls("a", "1", "2"), result("r", "2")],
        [("unanswered-call", "a")],
    ),
    "result behind a user message": (
        [user("u"), calls("a", "1"), user("v"), result("r", "1")],
        [("unanswered-call", "a"), ("orphan-result", "r")],
    ),
    "nothing": ([], [("empty-view", "")]),
    "assistant first": (
        [Message("a", "assistant", (Text("x"),)), user("u")],
        [("first-not-user", "a")],
    ),
    "result first": ([result("r", "1")], [("first-not-user", "r"), ("orphan-result", "r")]),
    "blank text": ([user("u", " \n")], [("empty-message", "u")]),
    "no parts": ([user("u"), Message("a", "assistant")], [("empty-message", "a")]),
    "half an emoji": ([user("u", "x\ud83d")], [("broken-unicode", "u")]),
    "half an emoji in a result": (
        [user("u"), calls("a", "1"), result("r", "1", "\ude00x")],
        [("broken-unicode", "r")],
    ),
}


@pytest.mark.parametrize("messages", RIGHT.values(), ids=RIGHT)
def test_accepted(messages):
    assert faults(messages) == []


@pytest.mark.parametrize(("messages", "expected"), WRONG.values(), ids=WRONG)
def test_refused(messages, expected):
    assert faults(messages) == expected


def test_a_stretch_is_widened_to_whole_groups():
    messages = [user("u"), calls("a", "1", "2"), result("r", "1"), result("s", "2"), user("v")]
    for start in range(5):
        for end in range(start, 6):
            assert faults(messages, start, end) == []
    for missing in ("r", "s"):
        torn = [m for m in messages if m.id != missing]
        for at in (2, 3):
            assert faults(torn, at, at) == [("unanswered-call", "a")]


def test_what_lies_outside_the_stretch_is_not_looked_at():
    messages = [user("u"), calls("a", "1"), user("v"), user("w")]
    assert faults(messages, 3, 4) == []
