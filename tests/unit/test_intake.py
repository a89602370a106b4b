"""What a plug-in hands over is checked and rebuilt."""

import pytest

from bench.errors import StrategyFault
from bench.run.intake import Intake
from bench.trace import Image, Message, Opaque, Reasoning, Text, ToolCall

GOOD = Message(
    "m", "assistant", (Reasoning("r", "s"), Text("t"), Image("d"), ToolCall("c", "n", "{}"))
)


def test_messages_of_the_record_stay_themselves_and_others_become_ours_once():
    intake = Intake()
    recorded = Message("r", "user", (Text("hi"),))
    intake.register(recorded)
    ours = intake.take("compact", [recorded, GOOD])
    assert ours[0] is recorded
    assert ours[1] is not GOOD
    assert ours[1].same(GOOD)
    assert intake.take("compact", [GOOD, ours[1]]) == (ours[1], ours[1])


def test_what_is_changed_after_it_was_handed_over_changes_nothing():
    intake = Intake()
    note = Message("n", "user", (Text("short"),))
    (ours,) = intake.take("compact", [note])
    object.__setattr__(note.parts[0], "text", "long " * 1000)
    assert intake.take("compact", [note])[0].text == ours.text == "short"


class Liar(str):
    def __len__(self):
        return 1


class Mine(Text):
    pass


BAD = {
    "no sequence": 3,
    "a text": "messages",
    "a generator": (m for m in [GOOD]),
    "no message": [None],
    "id": [Message(b"m", "user")],
    "role": [Message("m", "boss")],
    "parts": [Message("m", "user", [Text("t")])],
    "no part": [Message("m", "user", ("t",))],
    "a part of one's own": [Message("m", "user", (Mine("t"),))],
    "a text that lies": [Message("m", "user", (Text(Liar("long " * 100)),))],
    "text that is none": [Message("m", "user", (Text(None),))],
    "negative size": [Message("m", "user", (Opaque(-5),))],
    "size that is no number": [Message("m", "user", (Opaque("5"),))],
    "covers": [Message("m", "user", covers=[3])],
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
def test_anything_else_is_a_fault_with_the_method_named(answer):
    with pytest.raises(StrategyFault, match="compact"):
        Intake().take("compact", answer)
