"""The strategies that fit on a page, and the corners of the two that do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench import (
    BenchError,
    Declined,
    Image,
    Message,
    Strategy,
    SummaryFailed,
    Text,
    ToolCall,
    Window,
)
from strategies.contracts.openhands import shortened, shown
from strategies.floor import Floor
from strategies.keep_last import KeepLast
from strategies.none import NoCompaction
from strategies.observation_masking import ObservationMasking
from strategies.openhands_like import OpenHandsLike, gaps, log

Make = Callable[..., Window]
Talk = Callable[..., list[Message]]


def ids(messages: Any) -> list[str]:
    return [message.id for message in messages]


def parallel(at: int, calls: int = 2) -> list[Message]:
    asked = tuple(ToolCall(f"p{at}.{n}", "read", "{}") for n in range(calls))
    results = [
        Message(f"m{at}r{n}", "tool", (Text("x"),), answers=call.id, name="read")
        for n, call in enumerate(asked)
    ]
    return [Message(f"m{at}", "assistant", (Text("both"), *asked)), *results]


@pytest.mark.parametrize("strategy", [NoCompaction(), Floor(), ObservationMasking()])
def test_never_due(strategy: Strategy, make_window: Make, talk: Talk) -> None:
    window = make_window(talk("ucc"), limit=1)
    assert not strategy.due(window)
    with pytest.raises(Declined):
        strategy.compact(window)


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("ucc", ["m0", "m2", "m2r"]),
        ("ucu", ["m2"]),
        ("ucuca", ["m2", "m4"]),
        ("u", ["m0"]),
        ("", []),
    ],
)
def test_floor(script: str, shown: list[str], make_window: Make, talk: Talk) -> None:
    assert ids(Floor().render(make_window(talk(script)))) == shown


def test_floor_keeps_parallel_results_together(make_window: Make, talk: Talk) -> None:
    view = [*talk("uc"), *parallel(5)]
    assert ids(Floor().render(make_window(view))) == ["m0", "m5", "m5r0", "m5r1"]


def test_floor_passes_over_injected_messages(make_window: Make, talk: Talk) -> None:
    view = [*talk("uc"), Message("i", "user", (Text("reminder"),), injected=True), *talk("a")]
    view[-1] = replace(view[-1], id="end")
    assert ids(Floor().render(make_window(view))) == ["m0", "end"]


def test_floor_opens_a_view_of_tools_only(make_window: Make, talk: Talk) -> None:
    request = Floor().render(make_window(talk("cc")))
    assert [m.role for m in request] == ["user", "assistant", "tool"]


def test_keep_last_keeps_what_fits_behind_an_opening(make_window: Make, talk: Talk) -> None:
    window = make_window(talk("ucccc", size=10), limit=120)
    after = KeepLast().compact(window)
    assert ids(after) == ["m0", "m4", "m4r"]
    assert window.tokens(after[1:]) <= 60
    again = KeepLast().compact(replace(window, view=tuple(after)))
    assert ids(again) == ids(after)


@pytest.mark.parametrize("script", ["u", "ccc"])
def test_keep_last_in_small_views(script: str, make_window: Make, talk: Talk) -> None:
    after = KeepLast().compact(make_window(talk(script), limit=10))
    assert after[0].role == "user"


def test_masking_makes_a_note_once_a_cell(make_window: Make, make_desk: Any, talk: Talk) -> None:
    strategy, view = ObservationMasking(n=1), talk("uccc")
    window = make_window(view)
    first, second = strategy.render(window), strategy.render(window)
    assert [a is b for a, b in zip(first, second, strict=True)] == [True] * 7
    other = strategy.render(make_window(view, services=make_desk()))
    assert [a is b for a, b in zip(first, other, strict=True)].count(False) == 2


def test_masking_counts_every_result_of_a_batch(make_window: Make, talk: Talk) -> None:
    view = [*talk("u"), *parallel(1, 3), *parallel(2, 2)]
    request = ObservationMasking(n=3).render(make_window(view))
    changed = [new.id for new, old in zip(request, view, strict=True) if new is not old]
    assert changed == ["m1r0", "m1r1"]
    assert all(new.answers == old.answers for new, old in zip(request, view, strict=True))


def test_masking_says_what_is_gone(make_window: Make) -> None:
    call = ToolCall("c", "look", "{}")
    view = [
        Message("u", "user", (Text("task"),)),
        Message("a", "assistant", (call,)),
        Message("t", "tool", (Text("one\ntwo\nthree"), Image("x")), answers="c"),
        *parallel(9),
    ]
    masked = ObservationMasking(n=1).render(make_window(view))[2]
    assert masked.text == "[output not shown: 3 line(s) and 1 image(s)]"
    assert len(masked.parts) == 1


@pytest.mark.parametrize("script", ["", "u", "a", "cc"])
def test_masking_leaves_small_views_alone(script: str, make_window: Make, talk: Talk) -> None:
    window = make_window(talk(script))
    assert ids(ObservationMasking().render(window)) == ids(window.messages)


def test_masking_without_a_task_spares_the_first_result(make_window: Make, talk: Talk) -> None:
    view = talk("cccc")
    request = ObservationMasking(n=1).render(make_window(view))
    assert [new is old for new, old in zip(request, view, strict=True)][1::2] == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("params", [{"n": 0}, {"polling": 0}])
def test_masking_refuses_counts_below_one(params: dict[str, int]) -> None:
    with pytest.raises(BenchError, match="at least 1"):
        ObservationMasking(**params)


def test_openhands_refuses_a_head_without_a_tail() -> None:
    with pytest.raises(BenchError, match="no tail"):
        OpenHandsLike(max_size=10, keep_first=4)


def test_openhands_declines_an_empty_view(make_window: Make) -> None:
    with pytest.raises(Declined):
        OpenHandsLike().compact(make_window([], reason="requested"))


def test_openhands_stays_due_while_no_cut_is_valid(make_window: Make, talk: Talk) -> None:
    window = make_window([*talk("u"), *parallel(1, 9)], pinned=5)
    strategy = OpenHandsLike(max_size=10, keep_first=3)  # the head ends inside the batch
    assert strategy.reasons(window) == {"EVENTS"}
    with pytest.raises(Declined, match="no place to cut"):
        strategy.compact(window)
    assert strategy.due(window)


def test_openhands_does_not_forget_single_events(make_window: Make, talk: Talk) -> None:
    window = make_window([*talk("ua"), *parallel(2, 12)], pinned=5)
    with pytest.raises(Declined, match="too few"):
        OpenHandsLike(max_size=26, keep_first=2, minimum_progress=0.95).compact(window)


def test_openhands_resets_when_a_refused_view_has_no_cut(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk()
    window = make_window(talk("uc"), pinned=5, reason="overflow", services=desk)
    (note,) = OpenHandsLike().compact(window)
    assert note.role == "user"
    assert note.covers == ("m0", "m1", "m1r")
    again = OpenHandsLike().compact(replace(window, view=(note,)))
    assert again[0].covers == (note.id,)


def test_openhands_shows_less_of_each_event_every_try(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk(fail_first=3)
    window = make_window(talk("ucc", size=90), pinned=5, reason="requested", services=desk)
    OpenHandsLike().compact(window)
    sizes = [len(source) for _, source, _, _ in desk.asked]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes) == 4


def test_openhands_fails_when_no_reset_is_written(
    make_window: Make, make_desk: Any, talk: Talk
) -> None:
    desk = make_desk(fail_first=99)
    window = make_window(talk("ucc"), pinned=5, limit=20, services=desk)
    with pytest.raises(SummaryFailed):
        OpenHandsLike().compact(window)
    assert len(desk.asked) == 6


def test_openhands_obeys_a_pass_that_was_not_its_own_idea(make_window: Make, talk: Talk) -> None:
    window = make_window(talk("u" + "c" * 10), pinned=5)
    assert not OpenHandsLike().due(window)
    assert len(OpenHandsLike().compact(window)) < 21


def test_openhands_is_not_held_up_by_a_call_without_an_answer(
    make_window: Make, talk: Talk
) -> None:
    lost = Message("lost", "assistant", (ToolCall("gone", "read", "{}"),))
    window = make_window([*talk("u"), lost, *talk("uc")[1:]])
    assert gaps(log(window)) == [0, 1, 2, 4]


def test_openhands_never_shows_arguments() -> None:
    calls = (ToolCall("a", "write", '{"text": "secret"}'), ToolCall("b", "read", '"secret"'))
    message = Message("m", "assistant", (Text("π" * 600), *calls))
    assert shown(message, 0) == f"action of the agent\n  thought: {'π' * 500}...\n  tool: write"
    assert shown(message, 1) == "action of the agent\n  tool: read"


@pytest.mark.parametrize("longest", [1, 7, 8, 20, 99])
def test_shortened_keeps_both_ends(longest: int) -> None:
    text = "".join(chr(200 + n) for n in range(100))
    short = shortened(text, longest)
    assert len(short) <= max(longest, 7)
    if longest > 8:
        assert (short[0], short[-1]) == (text[0], text[-1])
    assert shortened(text, None) == text == shortened(text, 100)
