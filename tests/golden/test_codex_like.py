"""codex-like against facts about codex: formulas, indices, layouts; no wording."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench import Declined, Image, Message, SummaryFailed, Text, ToolCall, TooLong, Usage
from bench.window import Reported
from strategies.blocks.truncate_middle import estimate, truncate_middle
from strategies.codex_like import CodexLike
from strategies.contracts.codex import PREFACE, SUMMARY

FACTS = json.loads((Path(__file__).parent / "strategies" / "codex.json").read_text())
SHARED = Path(__file__).parents[3] / "shared" / "harness" / "golden"
MARKER = re.compile(r"\[(\d+) tokens cut out\]")

#: Cases of the shared files that are not compared, and why.
LISTED = {
    "thresholds:None/50000": "a window of unknown size does not exist here",
    "truncate_bytes:10000": "the policy in bytes belongs to older models",
    "truncate_bytes:12001": "the policy in bytes belongs to older models",
    "truncate_bytes:50000": "the policy in bytes belongs to older models",
    "remote:all fit": "the remote summariser is another strategy",
    "remote:oldest truncated then dropped": "the remote summariser is another strategy",
    "pretrim:0": "only the remote summariser trims before it asks",
    "pretrim:1": "only the remote summariser trims before it asks",
    "pretrim:2": "only the remote summariser trims before it asks",
}

Items = Sequence[tuple[str, int]]


def facts(group: str) -> Any:
    cases = FACTS[group]
    names = [case["name"] if "name" in case else str(case) for case in cases]
    return pytest.mark.parametrize("fact", cases, ids=names)


def messages(items: Items) -> list[Message]:
    made = []
    for at, (kind, size) in enumerate(items):
        text = (Text(f"{PREFACE}\nold" if kind == "summary" else "x" * size),)
        if kind == "call":
            made.append(Message(f"m{at}", "assistant", (ToolCall(f"c{at}", "run", "{}"),)))
        elif kind == "output":
            made.append(Message(f"m{at}", "tool", text, answers=f"c{at - 1}"))
        else:
            role = "assistant" if kind == "assistant" else "user"
            made.append(Message(f"m{at}", role, text, injected=kind == "context"))
    return made


def index(message: Message) -> int:
    return int(message.id.removeprefix("m"))


def seen(after: Sequence[Message]) -> list[Any]:
    """What a view after a pass is made of: numbers of old messages, and the summary."""
    notes = [at for at, message in enumerate(after) if not message.id.startswith("m")]
    assert all(after[at].text.startswith(f"{PREFACE}\nSUMMARY#") for at in notes)
    return ["summary" if at in notes else index(message) for at, message in enumerate(after)]


def around(text: str) -> tuple[int, int, int]:
    """Sizes before and after the marker, and the tokens that it says are missing."""
    found = MARKER.search(text)
    if not found:
        return len(text), 0, 0
    return found.start(), len(text) - found.end(), int(found[1])


def check_kept(chars: list[int], kept: list[list[int]], cut: list[int], make_window: Any) -> bool:
    view = messages([("user", size) for size in chars])
    after = CodexLike().compact(make_window(view))[:-1]
    sizes = [[index(message), sum(around(message.text)[:2])] for message in after]
    return sizes == kept and [index(m) for m in after if MARKER.search(m.text)] == cut


def removed(items: Items, make_window: Any, make_desk: Any) -> list[list[int]]:
    """What each retry of a summary request that is never short enough leaves out."""
    desk = make_desk(max_source=0)
    with pytest.raises(TooLong):
        CodexLike().compact(make_window(messages(items), services=desk))
    asked = [[index(message) for message in source] for _, source, _, _ in desk.asked]
    return [[at for at in before if at not in after] for before, after in pairwise(asked)]


@facts("bounds")
def test_bound(fact: Any) -> None:
    assert CodexLike(trigger=fact["trigger"]).bound(fact["window"]) == fact["bound"]


@pytest.mark.parametrize(("size", "tokens"), FACTS["estimates"])
def test_estimate(size: int, tokens: int) -> None:
    assert estimate("x" * size) == tokens


@facts("cuts")
def test_cut(fact: Any) -> None:
    text = truncate_middle("x" * fact["chars"], fact["tokens"])
    assert around(text) == (fact["head"], fact["tail"], fact["removed"])


@facts("kept_users")
def test_users_kept(fact: Any, make_window: Any) -> None:
    assert check_kept(fact["chars"], fact["kept"], fact["cut"], make_window)


@facts("views")
def test_view_after_a_pass(fact: Any, make_window: Any) -> None:
    assert seen(CodexLike().compact(make_window(messages(fact["view"])))) == fact["sees"]


def test_oldest_group_goes_first(make_window: Any, make_desk: Any) -> None:
    fact = FACTS["overflow"]
    assert removed(fact["view"], make_window, make_desk) == fact["removed"]


def shared_cases(make_window: Any, make_desk: Any) -> Iterator[tuple[str, bool]]:
    """Every case of the shared files, with whether it agrees."""
    cuts = json.loads((SHARED / "codex-truncation.json").read_text())
    for size, tokens in cuts["approx_token_count"]:
        yield f"estimate:{size}", estimate("x" * size) == tokens
    for case in cuts["truncate_tokens"]:
        head, tail, count = around(truncate_middle("x" * case["chars"], case["max_tokens"]))
        marker = f"…{case['marker']}…" if case["marker"] else ""
        agrees = (head, head + tail + len(marker)) == (case["prefix_chars"], case["out_chars"])
        yield (
            f"truncate_tokens:{case['chars']}/{case['max_tokens']}",
            agrees and f"{count} tokens truncated" == (case["marker"] or "0 tokens truncated"),
        )
    for case in cuts["truncate_bytes"]:
        yield f"truncate_bytes:{case['chars']}", False
    for case in cuts["local_user_message_selection"]:
        first = len(case["user_message_chars"]) - len(case["kept_chars_and_truncated"])
        out = [
            (first + at, size, truncated)
            for at, (size, truncated) in enumerate(case["kept_chars_and_truncated"])
        ]
        agrees = check_layout([("user", n) for n in case["user_message_chars"]], out, make_window)
        yield f"kept:{case['name']}", agrees
    for case in cuts["remote_v2_retained"]:
        yield f"remote:{case['name']}", False

    worked = json.loads((SHARED / "codex-worked.json").read_text())
    for case in worked["thresholds"]:
        window, asked = case["context_window"], case["config_auto_compact_limit"]
        share = asked / window if window and asked else 0.9
        agrees = bool(window) and (
            CodexLike(trigger=share).bound(window) == case["auto_compact_limit"]
            and case["auto_compact_limit"] < case["effective_window_95pct"]  # which so never acts
        )
        yield f"thresholds:{window}/{asked}", agrees
    for case in worked["local"]:
        # context that codex inserts again is part of what is pinned here
        out = [part for part in case["out"] if not part["kind"].startswith("context")]
        assert out.pop()["kind"] == "summary_user"
        kept = [(part["src"], part["chars"], part["truncated"]) for part in out]
        yield f"local:{case['name']}", check_layout(kinds(case["items"]), kept, make_window)
    for at, _ in enumerate(worked["remote_pretrim"]):
        yield f"pretrim:{at}", False
    case = worked["local_overflow_retry"]
    items = kinds([[kind, 1] for kind, _ in case["items"][:-1]])  # the prompt comes with asking
    counts = [len(step["removed"]) for step in case["steps"]]
    found = [len(step) for step in removed(items, make_window, make_desk)]
    yield "overflow", found[: len(counts)] == counts


def kinds(items: Sequence[Any]) -> list[tuple[str, int]]:
    words = {"context_developer": "context", "context_user": "context", "summary_user": "summary"}
    return [(words.get(kind, kind), size) for kind, size in items]


def check_layout(items: Items, out: list[tuple[int, int, bool]], make_window: Any) -> bool:
    """Whether a pass leaves these messages, at these sizes with the marker of the original."""
    after = CodexLike().compact(make_window(messages(items)))
    found = []
    for message in after[:-1]:
        head, tail, count = around(message.text)
        marker = len(f"…{count} tokens truncated…") if count else 0
        found.append((index(message), head + tail + marker, count > 0))
    return found == out and seen(after)[-1] == "summary"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared facts are not here")
def test_shared_facts(make_window: Any, make_desk: Any) -> None:
    outcome = list(shared_cases(make_window, make_desk))
    assert len(outcome) == 9 + 6 + 3 + 4 + 2 + 7 + 5 + 3 + 1
    assert {name for name, agrees in outcome if not agrees} == set(LISTED)


# The trigger


def reported(tokens: int, covers: str = "m0") -> Reported:
    return Reported(Usage(uncached=tokens - 10, output=10), covers)


def test_inside_a_turn_what_came_since_counts(make_window: Any) -> None:
    view = messages([("user", 4), ("call", 0), ("output", 400)])
    parts = {"limit": 1_000, "new": (view[2],)}
    assert CodexLike().due(make_window(view, usage=reported(800), **parts))
    assert not CodexLike().due(make_window(view, usage=reported(799), **parts))


def test_before_a_turn_its_message_does_not_count(make_window: Any) -> None:
    view = messages([("user", 4), ("assistant", 4), ("user", 4_000)])
    parts = {"limit": 1_000, "new": (view[2],)}
    assert not CodexLike().due(make_window(view, usage=reported(899), **parts))
    assert CodexLike().due(make_window(view, usage=reported(900), **parts))


def test_with_nothing_reported_all_is_estimated(make_window: Any) -> None:
    view = messages([("user", 400), ("call", 0), ("output", 2_800)])
    size = 100 + 2 + 700  # "run{}" is two tokens
    assert CodexLike().due(make_window(view, limit=1_000, pinned=900 - size, new=(view[2],)))
    assert not CodexLike().due(make_window(view, limit=1_000, pinned=899 - size, new=(view[2],)))
    image = Message("m3", "tool", (Image("data"),), answers="c1")
    assert CodexLike().due(make_window([*view[:2], image], limit=2_000, new=(image,)))


def test_a_refused_request_is_left_to_the_next_turn(make_window: Any) -> None:
    view = messages([("user", 4), ("call", 0), ("output", 4), ("assistant", 4), ("user", 4)])
    parts = {"limit": 1_000, "usage": reported(700), "used": 1_100}
    assert CodexLike.attempts == 0
    assert not CodexLike().due(make_window(view[:3], new=(view[2],), **parts))
    assert CodexLike().due(make_window(view, new=(view[4],), **parts))


# The pass


def test_a_new_turn_begins_behind_the_summary(make_window: Any, make_desk: Any) -> None:
    view = messages([("user", 4), ("assistant", 4), ("context", 4), ("user", 4)])
    desk = make_desk()
    after = CodexLike().compact(make_window(view, services=desk, new=tuple(view[2:])))
    assert seen(after) == [0, "summary", 2, 3]
    contract, source, shown, _ = desk.asked[0]
    assert (contract, list(source), shown) == (SUMMARY, view[:2], "conversation")
    assert len(desk.notices) == 1
    with pytest.raises(Declined):
        CodexLike().compact(make_window(view[3:], new=tuple(view[3:])))


def test_second_pass_reads_the_first_summary_and_drops_it(make_window: Any, make_desk: Any) -> None:
    desk = make_desk()
    first = CodexLike().compact(make_window(messages([("user", 4), ("call", 0)]), services=desk))
    later = Message("m9", "assistant", (Text("later"),))
    second = CodexLike().compact(make_window([*first, later], services=desk))
    assert list(desk.asked[1][1]) == [*first, later]
    assert seen(second) == [0, "summary"]
    assert second[1].text.endswith("SUMMARY#2")
    assert second[0] is first[0]


def test_a_broken_summariser_is_asked_once(make_window: Any, make_desk: Any) -> None:
    desk = make_desk(fail_first=9)
    with pytest.raises(SummaryFailed):
        CodexLike().compact(make_window(messages([("user", 4), ("call", 0)]), services=desk))
    assert (len(desk.asked), len(desk.notices)) == (1, 1)


def test_text_only_is_kept_of_what_the_user_sent(make_window: Any) -> None:
    both = Message("m0", "user", (Text("a"), Image("data"), Text("b")))
    image = Message("m1", "user", (Image("data"),))
    after = CodexLike().compact(make_window([both, image]))
    assert seen(after) == [0, "summary"]
    assert after[0].parts == (Text("a\nb"),)


# At the source


def test_tool_results_are_cut_on_arrival(make_window: Any) -> None:
    view = messages([("user", 60_000), ("call", 0), ("output", 48_000), ("call", 0)])
    long = Message("m4", "tool", (Text("é" * 24_001), Image("data")), answers="c3", error=True)
    batch = [*view, long]
    admitted = CodexLike().admit(batch, make_window(batch))
    assert admitted[:4] == view
    assert around(admitted[4].text) == (12_000, 12_000, 1)
    assert (admitted[4].id, admitted[4].error) == ("m4", True)
    assert admitted[4].parts[1] == Image("data")


def test_characters_are_not_torn() -> None:
    text = truncate_middle("é" * 100, 5)  # 20 bytes: ten a side
    assert text == "é" * 5 + "[45 tokens cut out]" + "é" * 5
    assert truncate_middle("aé" * 50, 1)[:2] == "a["
    assert around(truncate_middle("\ud800" * 10, 3)) == (2, 2, 5)


def test_amounts_follow_the_window() -> None:
    assert CodexLike().at(68_000) == CodexLike(user_tokens=5_000, tool_tokens=2_500)
