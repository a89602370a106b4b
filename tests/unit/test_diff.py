"""The fate of every message id."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.diff import diff
from bench.errors import StrategyFault
from bench.trace import Message, Text


def message(name: str, text: str = "") -> Message:
    return Message(name, "user", (Text(text or name),))


A, B, C, D, E = (message(name) for name in "ABCDE")
RECORD = {m.id: m for m in (A, B, C, D, E)}


def test_untouched_is_not_changed():
    assert not diff((A, B, C), (A, B, C), RECORD).changed


def test_every_fate():
    note = message("note")
    copy = replace(A, id="copy", origin="A")
    change = diff((A, B, C, D, E), (copy, note, D, C, message("E", "other")), RECORD)
    assert change.copied == ("copy",)
    assert change.written == ("note",)
    assert change.rewritten == ("E",)
    assert change.dropped == ("A", "B")
    assert set(change.kept) | set(change.moved) == {"C", "D"}
    assert len(change.moved) == 1


def test_common_head_and_tail_are_counted_not_listed():
    change = diff((A, B, C, D), (A, D), RECORD)
    assert (change.head, change.tail, change.kept, change.dropped) == (1, 1, (), ("B", "C"))


def test_a_message_of_the_record_that_comes_back_is_a_copy():
    assert diff((A, B), (A, B, C), RECORD).copied == ("C",)


def test_a_forged_message_of_the_record_is_written():
    assert diff((A, B), (A, B, message("C", "forged")), RECORD).written == ("C",)


@pytest.mark.parametrize("after", [(A, A), (A, B, A), (C, C, B), (A, message("A", "other"))])
def test_an_id_twice_is_a_fault(after):
    with pytest.raises(StrategyFault, match="twice"):
        diff((A, B), after, RECORD)


@given(st.permutations([A, B, C, D, E]), st.integers(0, 5), st.sets(st.integers(0, 4)))
def test_every_id_has_exactly_one_fate(order, keep, changed):
    before = (A, B, C, D, E)
    after = tuple(
        message(m.id, "changed") if at in changed else m for at, m in enumerate(order[:keep])
    )
    change = diff(before, after, RECORD)
    edges = [m.id for m in (*before[: change.head], *before[len(before) - change.tail :])]
    fates = [*edges, *change.kept, *change.moved, *change.rewritten, *change.dropped]
    assert sorted(fates) == sorted(m.id for m in before)
    fates = [*edges, *change.kept, *change.moved, *change.rewritten, *change.written]
    assert sorted(fates) == sorted(m.id for m in after)
    in_order = [m.id for m in after if m.id in (*edges, *change.kept)]
    assert in_order == sorted(in_order)
