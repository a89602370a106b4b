"""The rungs of the teaching ladder, alone and together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bench import (
    Declined,
    Image,
    Ladder,
    Message,
    Strategy,
    SummaryFailed,
    Text,
    ToolCall,
    TooLong,
    Window,
)
from strategies.harness_zero import HarnessZero
from strategies.rungs.prune import CLEARED, Prune
from strategies.rungs.summarise import Summarise
from strategies.rungs.truncate import Truncate

Make = Callable[..., Window]
Talk = Callable[..., list[Message]]


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages]


def call(at: int, *outputs: str) -> list[Message]:
    """An answer with a call for each output, and the results."""
    asked = tuple(ToolCall(f"c{at}.{n}", "read", "{}") for n in range(len(outputs)))
    results = [
        Message(f"m{at}r{n}", "tool", (Text(output),), answers=f"c{at}.{n}", name="read")
        for n, output in enumerate(outputs)
    ]
    return [Message(f"m{at}", "assistant", (Text("look"), *asked)), *results]


USER = Message("u", "user", (Text("please"),))


@pytest.mark.parametrize("rung", [Truncate(), Truncate(source=True), Prune(), Summarise()])
@pytest.mark.parametrize("view", [[], [USER], call(1, "x"), [*call(1, "x"), *call(2, "y")]])
def test_nothing_to_do_is_declined(rung: Strategy, view: list[Message], make_window: Make) -> None:
    with pytest.raises(Declined):
        rung.compact(make_window(view))


def test_truncate_keeps_both_ends_and_archives_the_rest(make_window: Make, make_desk: Any) -> None:
    desk = make_desk()
    text = "".join(chr(0x4E00 + n % 5000) for n in range(9_000))
    window = make_window([USER, *call(1, text, "short")], services=desk)
    after = Truncate(chars=1_000).compact(window)
    assert ids(after) == ids(window.messages)
    assert [new is old for new, old in zip(after, window.messages, strict=True)] == [
        True,
        True,
        False,
        True,
    ]
    cut = after[2].text
    assert len(cut) == 1_000
    assert (cut[:400], cut[-400:]) == (text[:400], text[-400:])
    (handle,) = desk.archived
    assert desk.archived[handle] == text
    assert handle in cut
    assert after[2].answers == window.messages[2].answers


@pytest.mark.parametrize("chars", [1, 60, 100, 3_999, 4_000])
def test_truncate_cuts_once(chars: int, make_window: Make) -> None:
    window = make_window([USER, *call(1, "x" * 4_001)])
    after = tuple(Truncate(chars=chars).compact(window))
    assert len(after[2].text) <= max(chars, 100)
    for again in (chars, 1, 50):
        with pytest.raises(Declined):
            Truncate(chars=again).compact(replace(window, view=after))


def test_truncate_never_makes_an_output_longer(make_window: Make) -> None:
    with pytest.raises(Declined):
        Truncate(chars=10).compact(make_window([USER, *call(1, "x" * 30)]))


def test_truncate_leaves_people_and_the_model_alone(make_window: Make) -> None:
    long = (Text("x" * 9_999),)
    view = [replace(USER, parts=long), Message("a", "assistant", long)]
    with pytest.raises(Declined):
        Truncate().compact(make_window(view))


def test_truncate_keeps_images(make_window: Make) -> None:
    asked, result = call(1, "x" * 9_000)
    result = replace(result, parts=(*result.parts, Image("data")), error=True)
    after = Truncate(chars=1_000).compact(make_window([USER, asked, result]))[2]
    assert [type(part) for part in after.parts] == [Text, Image]
    assert after.error


def test_truncate_at_the_source(make_window: Make) -> None:
    batch = call(1, "x" * 9_000, "short")[1:]
    window = make_window([USER])
    assert not Truncate().admits
    assert Truncate().admit(batch, window) is batch
    cut = Truncate(source=True)
    assert cut.admits
    after = cut.admit(batch, window)
    assert ids(after) == ids(batch)
    assert (len(after[0].text), after[1]) == (4_000, batch[1])
    with pytest.raises(Declined):
        cut.compact(make_window([USER, *call(1, "x" * 9_000)]))


def test_truncate_scales() -> None:
    assert Truncate().at(50_000).chars == 1_000
    assert Truncate().at(1_000).chars == 400
    assert Truncate(scale=False).at(50_000).chars == 4_000


def test_prune_clears_what_is_beyond_the_newest(make_window: Make) -> None:
    view = [USER, *call(1, "w " * 50), *call(2, "w " * 50), *call(3, "w " * 50), *call(4, "w")]
    window = make_window(view)
    after = Prune(keep_tokens=60).compact(window)
    assert ids(after) == ids(view)
    assert [m.id for m in after if m.text == CLEARED] == ["m1r0", "m2r0"]
    assert [m.answers for m in after] == [m.answers for m in view]
    with pytest.raises(Declined):
        Prune(keep_tokens=60).compact(replace(window, view=tuple(after)))


def test_prune_spares_results_without_an_answer(make_window: Make) -> None:
    view = [USER, *call(1, "w " * 50), *call(2, "w " * 500, "w " * 500)]
    after = Prune(keep_tokens=10).compact(make_window(view))
    assert [m.id for m in after if m.text == CLEARED] == ["m1r0"]


def test_prune_leaves_small_results(make_window: Make) -> None:
    view = [USER, *call(1, "w " * 4), *call(2, "w " * 50), Message("a", "assistant", USER.parts)]
    after = Prune(keep_tokens=0).compact(make_window(view))
    assert [m.id for m in after if m.text == CLEARED] == ["m2r0"]


def test_prune_clears_one_result_of_a_batch(make_window: Make) -> None:
    view = [USER, *call(1, "w " * 90, "w " * 9), *call(2, "w")]
    after = Prune(keep_tokens=30).compact(make_window(view))
    assert [m.id for m in after if m.text == CLEARED] == ["m1r0"]


def test_summarise_keeps_whole_groups(make_window: Make, make_desk: Any, talk: Talk) -> None:
    desk = make_desk()
    view = talk("ucccccc", size=30)
    window = make_window(view, services=desk)
    note, *tail = Summarise(keep=3).compact(window)
    assert ids(tail) == ["m5", "m5r", "m6", "m6r"]
    assert (note.role, note.text, note.covers) == ("user", "SUMMARY#1", tuple(ids(view[:9])))
    ((contract, source, shown, cap),) = desk.asked
    assert (contract.name, ids(source), shown, cap) == (
        "harness-zero",
        ids(view[:9]),
        "conversation",
        None,
    )


def test_summarise_gives_the_tail_half_of_the_goal(make_window: Make, talk: Talk) -> None:
    window = make_window(talk("ucccccc", size=30), limit=500)
    rung = Summarise(keep=99)
    _, *tail = rung.compact(window)
    assert 0 < window.tokens(tail) <= rung.goal(window) / 2


def test_summarise_keeps_one_group_whatever_its_size(make_window: Make) -> None:
    view = [USER, *call(1, "w " * 90), *call(2, "w " * 9_000, "w " * 9_000)]
    after = Summarise().compact(make_window(view, limit=100))
    assert ids(after[1:]) == ids(view[3:])


def test_summarise_takes_in_the_earlier_summary(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk()
    window = make_window(talk("ucccc", size=30), services=desk)
    first = Summarise(keep=1).compact(window)
    with pytest.raises(Declined):
        Summarise(keep=1).compact(replace(window, view=tuple(first)))
    more = [replace(message, id=f"n{message.id}") for message in talk("uccc", size=30)]
    second = Summarise(keep=1).compact(replace(window, view=(*first, *more)))
    assert second[0].text == "SUMMARY#2"
    assert second[0].covers == (*ids(first), *ids(more[:-2]))
    assert desk.asked[1][1][0] is first[0]


def test_summarise_shows_less_when_the_source_is_too_long(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk(max_source=6)
    view = talk("ucccccc", size=30)
    note, *_ = Summarise(keep=1).compact(make_window(view, services=desk))
    shown = desk.asked[-1][1]
    assert len(shown) <= 6
    assert shown[0].role == "user"
    assert ids(shown)[-1] == "m5r"
    assert len(note.covers) == len(view) - 2


@pytest.mark.parametrize("broken", [{"fail_first": 9}, {"max_source": 0}])
def test_summarise_fails_when_none_is_written(
    broken: dict[str, int], make_window: Make, make_desk: Any, talk: Talk
) -> None:
    window = make_window(talk("ucccc"), services=make_desk(**broken))
    with pytest.raises((SummaryFailed, TooLong)):
        Summarise(keep=1).compact(window)


def test_harness_zero_stops_at_the_goal(make_window: Make, make_desk: Any) -> None:
    outputs = [line for n in range(1, 9) for line in call(n, "w " * 100)]
    desk = make_desk()
    window = make_window([USER, *outputs], limit=1_050, services=desk)
    ladder = HarnessZero(rungs=(Truncate(source=True), Prune(keep_tokens=210), Summarise()))
    assert ladder.due(window)
    after = ladder.compact(window)
    assert [name for name, _, _ in desk.stages] == ["Prune"]
    assert desk.asked == []
    assert window.tokens(after) <= ladder.goal(window)


def test_harness_zero_summarises_what_pruning_cannot_clear(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk()
    window = make_window(talk("u" + "cau" * 9, size=40), limit=1_500, services=desk)
    after = HarnessZero().at(1_500).compact(window)
    assert [name for name, _, _ in desk.stages] == ["Prune", "Summarise"]
    assert after[0].text == "SUMMARY#1"
    assert window.tokens(after) <= HarnessZero().goal(window)


def test_harness_zero_keeps_the_work_of_pruning_when_no_summary_comes(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    window = make_window(
        talk("u" + "cau" * 9, size=40), limit=1_500, services=make_desk(fail_first=9)
    )
    after = HarnessZero().at(1_500).compact(window)
    assert any(message.text == CLEARED for message in after)


def test_harness_zero_scales_its_rungs() -> None:
    truncate, prune, summarise = HarnessZero().at(50_000).rungs
    assert (truncate, prune) == (Truncate(chars=1_000, source=True), Prune(keep_tokens=10_000))
    assert summarise == Summarise()
    assert HarnessZero(scale=False).at(50_000) == HarnessZero(scale=False)
    assert HarnessZero().admits
    assert isinstance(HarnessZero(), Ladder)
