"""What is checked in a changed stretch is what a look at the whole view would find."""

from hypothesis import given
from hypothesis import strategies as st

from bench.diff import diff
from bench.measure.validity import faults
from bench.trace import Message, Text, ToolCall


@st.composite
def sessions(draw):
    """A valid session: turns, calls in batches, results behind them."""
    made = [Message("u", "user", (Text("task"),))]
    for at, size in enumerate(draw(st.lists(st.integers(0, 3), max_size=8))):
        calls = tuple(ToolCall(f"c{n}", "read", "{}") for n in range(size))  # ids are used again
        made.append(Message(f"a{at}", "assistant", (Text("x"), *calls)))
        made += [Message(f"r{at}.{n}", "tool", (Text("y"),), answers=f"c{n}") for n in range(size)]
        if not size or draw(st.booleans()):
            made.append(Message(f"u{at}", "user", (Text("on"),)))
    return tuple(made)


@given(sessions(), st.data())
def test_no_fault_that_a_pass_makes_lies_outside_the_stretch(before, data):
    after = []
    for message in before:
        fate = data.draw(st.sampled_from(["keep"] * 6 + ["drop", "note", "empty"]))
        if fate == "note":
            after.append(Message(f"n{len(after)}", "user", (Text("note"),)))
        if fate == "empty":
            after.append(Message(message.id, message.role, (), answers=message.answers))
        elif fate != "drop":
            after.append(message)
    after = tuple(after)
    change = diff(before, after, {m.id: m for m in before})
    found = faults(after, change.head, len(after) - change.tail)
    assert set(faults(after)) <= set(found) | set(faults(before))
    assert set(found) <= set(faults(after))
