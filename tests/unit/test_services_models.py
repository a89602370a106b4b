"""Summarisers: the extractive default and the broken ones."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain

import pytest

from bench.contract import Contract, Section
from bench.errors import BenchError, SummaryFailed
from bench.services.broken import MODES
from bench.services.calls import Calls
from bench.services.models import summariser
from bench.services.tokens import Tokens
from bench.trace import Message, Text, ToolCall

CONTRACT = Contract(
    "test",
    (
        Section("Goal", "what the user wants to have built"),
        Section("Errors", "errors and failures that occurred"),
        Section("Next", "the next steps that are pending"),
    ),
)
TALK = [
    Message("m1", "user", (Text("The user wants a parser to be built.\nNever touch setup.cfg."),)),
    Message("m2", "assistant", (Text("I read it."), ToolCall("c", "read", '{"path": "p.py"}'))),
    Message("m3", "tool", (Text("errors occurred: two failures in parse"),), answers="c"),
    Message("m4", "assistant", (Text("The next steps are pending: write the lexer."),)),
]


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def sections(summary: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for block in summary.split("\n\n"):
        head, *lines = block.split("\n")
        found[head] = lines
    return found


def test_each_section_holds_what_matches_it(tokens: Tokens) -> None:
    found = sections(summariser("extractive", Calls()).summarise(CONTRACT, TALK, None, tokens))
    assert list(found) == ["## Goal", "## Errors", "## Next"]
    small = sections(summariser("extractive", Calls()).summarise(CONTRACT, TALK, 60, tokens))
    assert "- The user wants a parser to be built." in small["## Goal"]
    assert "- errors occurred: two failures in parse" in small["## Errors"]
    assert "- The next steps are pending: write the lexer." in small["## Next"]


def test_a_line_is_written_once(tokens: Tokens) -> None:
    source = "errors, failures and next steps of the user\n" * 50
    summary = summariser("extractive", Calls()).summarise(CONTRACT, source, None, tokens)
    assert summary.count("next steps of the user") == 1
    assert summary.count("(nothing)") == 2


def test_its_own_summary_is_a_source_like_any_other(tokens: Tokens) -> None:
    extractive = summariser("extractive", Calls())
    first = extractive.summarise(CONTRACT, TALK, None, tokens)
    second = extractive.summarise(CONTRACT, first, None, tokens)
    assert "- - " not in second
    assert second.count("## Goal") == 1
    bullets = [sorted(chain(*sections(text).values())) for text in (first, second)]
    assert bullets[0] == bullets[1]


def test_without_anything_to_say(tokens: Tokens) -> None:
    found = sections(summariser("extractive", Calls()).summarise(CONTRACT, "", None, tokens))
    assert set(map(tuple, found.values())) == {("- (nothing)",)}


def test_a_contract_without_sections_gets_one(tokens: Tokens) -> None:
    summary = summariser("extractive", Calls()).summarise(Contract("free", ()), TALK, None, tokens)
    assert summary.startswith("## Summary\n- ")


def test_long_lines_are_cut(tokens: Tokens) -> None:
    source = "an error of the user " * 20_000
    summary = summariser("extractive", Calls()).summarise(CONTRACT, source, None, tokens)
    assert 100 < max(map(len, summary.split("\n"))) <= 242


def test_the_opening_of_a_long_source_is_read(tokens: Tokens) -> None:
    rest = "\n".join(f"line number {n} is about nothing" for n in range(50_000))
    source = f"what the user wants to have built is a kite\n{rest}"
    assert "a kite" in summariser("extractive", Calls()).summarise(CONTRACT, source, None, tokens)


def test_a_small_cap_holds(tokens: Tokens) -> None:
    for cap in range(40):
        summary = summariser("extractive", Calls()).summarise(CONTRACT, TALK, cap, tokens)
        assert tokens.text(summary) <= cap


def test_same_bytes_under_any_hash_seed() -> None:
    code = (
        "from bench.contract import Contract, Section\n"
        "from bench.services.calls import Calls\n"
        "from bench.services.models import summariser\n"
        "from bench.services.tokens import Tokens\n"
        "source = '\\n'.join(f'file {n % 97} has error {n * 7 % 31} here' for n in range(900))\n"
        "sections = (Section('Files', 'each file'), Section('Errors', 'each error'))\n"
        "print(summariser('extractive', Calls()).summarise(\n"
        "    Contract('c', sections), source, 200, Tokens()))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1
    assert b"- file" in answers.pop()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", [TALK, "a text to sum up"])
def test_broken_summarisers(tokens: Tokens, mode: str, source: list[Message] | str) -> None:
    broken = summariser(f"broken:{mode}", Calls())
    assert broken.name == f"broken:{mode}"
    if mode == "raises":
        with pytest.raises(SummaryFailed):
            broken.summarise(CONTRACT, source, 100, tokens)
        return
    answer = broken.summarise(CONTRACT, source, 100, tokens)
    text = "a text to sum up" if isinstance(source, str) else TALK[0].text
    expected = {"echoes": 1, "inflates": 2}.get(mode, 0)
    assert answer.count(text) == expected
    assert bool(answer.strip()) == (mode not in ("empty", "blank"))
    assert ("## Goal" in answer) == (mode in ("skeleton", "inflates"))


@pytest.mark.parametrize(
    "name", ["", "gpt-nobody", "broken", "broken:", "broken:nope", "extractive:x"]
)
def test_unknown_summarisers_are_refused_with_a_list(name: str) -> None:
    with pytest.raises(BenchError, match="extractive, broken:empty"):
        summariser(name, Calls())
