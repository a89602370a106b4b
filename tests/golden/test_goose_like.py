"""goose-like against facts about goose: formulas, indices, layouts; no wording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import Message, SummaryFailed, Text, ToolCall, TooLong, Usage
from bench.window import Reported
from strategies.blocks.middle_out import middle_out
from strategies.blocks.pair_summaries import calls_kept, oldest
from strategies.contracts.goose import PAIR, SUMMARY, readable, transcript
from strategies.goose_like import _GO_ON, GooseLike

FACTS = json.loads((Path(__file__).parent / "strategies" / "goose.json").read_text())
SHARED = Path(__file__).parents[3] / "shared" / "harness" / "golden" / "goose.json"


def named(group: str) -> Any:
    facts = FACTS[group]
    return pytest.mark.parametrize("fact", facts, ids=[f.get("name", str(f)) for f in facts])


def messages(kinds: list[str]) -> list[Message]:
    made = []
    for at, kind in enumerate(kinds):
        text = (Text(f"{kind} {at}"),)
        if kind == "call":
            made.append(Message(f"m{at}", "assistant", (ToolCall(f"t{at}", "read", "{}"),)))
        elif kind == "result":
            made.append(Message(f"m{at}", "tool", text, answers=f"t{at - 1}"))
        elif kind == "summary":
            made.append(Message(f"m{at}", "user", text, covers=("gone",)))
        else:
            made.append(Message(f"m{at}", "assistant" if kind == "assistant" else "user", text))
    return made


def loop(calls: int, before: str = "u", after: str = "u") -> list[Message]:
    kinds = {"u": "user", "a": "assistant"}
    return messages(
        [*(kinds[k] for k in before), *["call", "result"] * calls, *(kinds[k] for k in after)]
    )


def reported(tokens: int) -> Reported:
    return Reported(Usage(cache_read=tokens - 10, output=10), "m0")


def seen(view: list[Message], after: Any) -> list[Any]:
    """What a view after a pass is made of, in the words of the facts."""
    index = {message.id: at for at, message in enumerate(view)}
    variants = {text: name for name, text in _GO_ON.items()}
    found: list[Any] = []
    for message in after:
        if message.origin:
            assert (message.role, message.text) == ("user", view[index[message.origin]].text)
            found.append(index[message.origin])
        elif message.role == "assistant":
            found.append(variants[message.text])
        else:
            assert (message.role, set(message.covers)) == ("user", set(index))
            found.append("summary")
    return found


def lines(text: str) -> list[str]:
    """Non-blank lines, without the title above all and with headings in one spelling."""
    found = [line for line in text.splitlines() if line.strip() and not line.startswith("# ")]
    return [
        line.lower().replace(" + code", "").replace(" + ", " and ") if line[:3] == "## " else line
        for line in found
    ]


def check_trigger(fact: Any, make_window: Any) -> bool:
    window = make_window(
        loop(1, after=""), limit=fact["window"], usage=reported(fact["tokens"]), pinned=5_000
    )
    return GooseLike(trigger=fact["trigger"]).due(window) is fact["due"]


def check_view(fact: Any, make_window: Any) -> bool:
    view = messages(fact["view"])
    reason = "requested" if fact["manual"] else "overflow"
    return seen(view, GooseLike().compact(make_window(view, reason=reason))) == fact["sees"]


def check_answer(fact: Any) -> bool:
    read = readable(fact["answer"])
    return read == fact["answer"] if fact["lines"] is None else lines(read) == fact["lines"]


@named("trigger")
def test_trigger(fact: Any, make_window: Any) -> None:
    assert check_trigger(fact, make_window)


@named("cutoff")
def test_cutoff(fact: Any) -> None:
    assert calls_kept(fact["window"], fact["trigger"]) == fact["cutoff"]


@named("middle_out")
def test_middle_out(fact: Any) -> None:
    assert list(middle_out(fact["results"], fact["percent"])) == fact["left_out"]


@named("pairs")
def test_pair_selection(fact: Any) -> None:
    calls = range(fact["calls"])
    assert list(oldest(calls, len(calls) - fact["protected"], fact["cutoff"])) == fact["taken"]


@named("views")
def test_view_after_a_pass(fact: Any, make_window: Any) -> None:
    assert check_view(fact, make_window)


@named("answers")
def test_answer(fact: Any) -> None:
    assert check_answer(fact)


def shared_cases(shared: Any, make_window: Any, make_desk: Any) -> Iterator[tuple[str, bool]]:
    """Every case of the shared file, with whether it agrees.

    Visibility flags, finish reasons and usage have no counterpart here. A blank answer agrees
    as far as it is read; the services of a real cell do not let one through.
    """
    for case in shared["summarise"]:
        shown = transcript([_said(line) for line in case["request"]["rendered_lines"]])
        agrees = shown.splitlines() == case["request"]["rendered_lines"]
        if case["case"] == "overflow":
            desk = make_desk(max_source=0)
            with pytest.raises(TooLong):
                GooseLike().compact(make_window(messages(["user", "assistant"]), services=desk))
            agrees &= len(desk.asked) == case["requests"]
        else:
            read = readable(case["model_reply"])
            agrees &= lines(read) == lines(case["summary_text"])
        yield f"summarise:{case['case']}", agrees
    for case in shared["middle_out"]:
        left_out = list(middle_out(case["tool_responses"], case["percent"]))
        kept = [at for at in range(case["tool_responses"]) if at not in left_out]
        agrees = (left_out, kept) == (case["removal_order"], case["kept"])
        yield f"middle_out:{case['tool_responses']}@{case['percent']}", agrees
    for case in shared["cutoff"]:
        agrees = calls_kept(case["window"], case["threshold"]) == case["cutoff"]
        yield f"cutoff:{case['window']}@{case['threshold']}", agrees
    for at, case in enumerate(shared["composition_by_hand"]):
        fact = {
            "view": [_kind(item) for item in case["input"]],
            "manual": case.get("manual", False),
            "sees": [_part(item, case["input"]) for item in case["agent_sees"]],
        }
        yield f"composition:{at}", check_view(fact, make_window)
    for at, case in enumerate(shared["tool_pairs_by_hand"]):
        calls = range(case["tool_calls"])
        taken = oldest(calls, len(calls) - case["protect"], case["cutoff"])
        yield f"tool_pairs:{at}", list(taken) == case["selected"]
    for at, case in enumerate(shared["trigger_by_hand"]):
        fact = case | {"trigger": case["threshold"], "due": case["compact"]}
        yield f"trigger:{at}", check_trigger(fact, make_window)


def _said(line: str) -> Message:
    role, text = line.removeprefix("[").split("]: ", 1)
    return Message("m", "user" if role == "user" else "assistant", (Text(text),))


def _kind(item: str) -> str:
    role, content = item.split(":", 1)
    kinds = {"SUMMARY(": "summary", "tool_req": "call", "tool_res": "result"}
    return kinds.get(content[:8], role)


def _part(item: str, view: list[str]) -> Any:
    role, content = item.split(":", 1)
    if content.startswith("SUMMARY"):
        return "summary"
    if role == "assistant":
        variant = content.removeprefix("CONTINUATION(").removesuffix(")")
        return {"tool_loop": "tool loop", "manual": "requested"}.get(variant, variant)
    return next(at for at, old in enumerate(view) if old.replace("text ", "") == item)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared facts are not here")
def test_shared_facts(make_window: Any, make_desk: Any) -> None:
    shared = json.loads(SHARED.read_text())
    outcome = dict(shared_cases(shared, make_window, make_desk))
    assert len(outcome) == sum(len(cases) for cases in shared.values() if isinstance(cases, list))
    assert [name for name, agrees in outcome.items() if not agrees] == []


# The summary request


def test_a_long_request_is_tried_with_fewer_results(make_window: Any, make_desk: Any) -> None:
    view = loop(10, after="")
    full = len(transcript(view))
    desk = make_desk(max_source=full - 8 * len("[user]: tool_response: result 10"))
    GooseLike().compact(make_window(view, services=desk, reason="overflow"))
    assert [source.count("tool_response") for _, source, _, _ in desk.asked] == [10, 9, 8, 5, 0]
    assert {source.count("tool_request") for _, source, _, _ in desk.asked} == {10}
    assert {(contract, shown) for contract, _, shown, _ in desk.asked} == {(SUMMARY, "text")}


def test_a_request_that_is_never_short_enough_fails(make_window: Any, make_desk: Any) -> None:
    desk = make_desk(max_source=0)
    with pytest.raises(TooLong):
        GooseLike().compact(make_window(loop(3, after=""), services=desk, reason="overflow"))
    assert (len(desk.asked), len(desk.notices)) == (5, 1)


def test_a_broken_summariser_is_asked_once(make_window: Any, make_desk: Any) -> None:
    desk = make_desk(fail_first=9)
    window = make_window(loop(3, after=""), services=desk, reason="overflow")
    with pytest.raises(SummaryFailed):
        GooseLike().compact(window)
    assert (len(desk.asked), len(desk.notices), window.memory) == (1, 1, {})


def test_what_is_shown(make_desk: Any) -> None:
    view = messages(["user", "call", "result"])
    assert transcript(view).splitlines() == [
        "[user]: user 0",
        "[assistant]: tool_request(read): {}",
        "[user]: tool_response: result 2",
    ]


# The trigger between a pass and the next answer


def test_after_a_pass_only_the_summary_counts(make_window: Any) -> None:
    window = make_window(loop(9, after=""), limit=40, pinned=30)
    assert GooseLike().due(window)
    after = GooseLike().compact(window)
    assert window.memory == {"size": window.tokens(after[:1])}
    assert not GooseLike().due(make_window(after, limit=40, pinned=30, memory=window.memory))


def test_second_pass_sums_up_the_first(make_window: Any, make_desk: Any) -> None:
    desk = make_desk()
    first = GooseLike().compact(make_window(loop(2, after=""), services=desk, reason="overflow"))
    view = [*first, *loop(1, before="", after="")]
    second = GooseLike().compact(make_window(view, services=desk, reason="overflow"))
    assert "SUMMARY#1" in desk.asked[1][1]
    assert [m.role for m in second] == ["user", "assistant", "user"]
    assert (second[2].origin, second[2].text) == ("m0", "user 0")


def test_a_wish_that_comes_with_a_message_is_served_before_it(
    make_window: Any, make_desk: Any
) -> None:
    view, desk = messages(["user", "assistant", "user"]), make_desk()
    window = make_window(view, services=desk, reason="requested", new=tuple(view[2:]))
    after = GooseLike().compact(window)
    assert after[2:] == (view[2],)
    assert "user 2" not in desk.asked[0][1]


# Pairs


def pair_window(make_window: Any, view: list[Message], **parts: Any) -> Any:
    return make_window(view, new=(view[-1],), **parts)


def test_old_pairs_become_notes_in_their_places(make_window: Any, make_desk: Any) -> None:
    view, desk = loop(35), make_desk(fail_first=1)
    window = pair_window(make_window, view, services=desk, limit=200_000)
    assert GooseLike().due(window)
    assert not GooseLike(pairs=False).due(window)
    after = GooseLike().compact(window)
    assert {contract for contract, *_ in desk.asked} == {PAIR}
    assert len(desk.asked) == 10
    assert after[:3] == tuple(view[:3])  # the first pair failed and stays
    assert [m.covers for m in after[3:12]] == [(f"m{n}", f"m{n + 1}") for n in range(3, 20, 2)]
    assert {m.role for m in after[3:12]} == {"user"}
    assert after[12:] == tuple(view[21:])


def test_a_batch_once_a_turn_and_none_inside_it(make_window: Any) -> None:
    view = loop(60, after="")
    assert not GooseLike(cutoff=0).due(make_window(view, new=tuple(view[-1:])))
    assert not GooseLike(cutoff=0).due(make_window(loop(60), new=()))
    assert not GooseLike().due(pair_window(make_window, loop(34), limit=200_000))
    assert GooseLike(cutoff=49).due(pair_window(make_window, loop(60)))
    assert not GooseLike(cutoff=50).due(pair_window(make_window, loop(60)))


def test_parallel_calls_fill_the_batch_and_stay(make_window: Any, make_desk: Any) -> None:
    both = (ToolCall("x", "read", "{}"), ToolCall("y", "read", "{}"))
    batch = [
        Message("p", "assistant", both),
        Message("px", "tool", (Text("x"),), answers="x"),
        Message("py", "tool", (Text("y"),), answers="y"),
    ]
    single, desk = loop(12), make_desk()
    view = [single[0], *batch, *single[1:]]
    after = GooseLike(cutoff=2).compact(pair_window(make_window, view, services=desk))
    assert after[1:4] == tuple(batch)
    assert len(desk.asked) == 8


def test_above_the_trigger_everything_is_summed_up(make_window: Any) -> None:
    view = loop(60)
    window = pair_window(make_window, view, usage=reported(60_000), limit=64_000)
    assert seen(view, GooseLike().compact(window)) == ["summary", "conversation", len(view) - 1]
