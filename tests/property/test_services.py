"""Laws of the services, on anything hypothesis can think of."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.contract import Contract, Section
from bench.services.archive import Archive
from bench.services.calls import Calls
from bench.services.models import summariser
from bench.services.tokens import PIECE, Tokens
from bench.trace import Message, Text

TOKENS = Tokens()
ARCHIVE = Archive()
CONTRACT = Contract(
    "laws", (Section("Goal", "what the user wants"), Section("Errors", "what failed and why"))
)
anything = st.text(st.characters(codec=None))  # lone surrogates as well
lines = st.lists(st.text(max_size=60), max_size=30).map("\n".join)


@given(anything)
def test_a_remembered_count_is_a_fresh_one(text: str) -> None:
    fresh = Tokens()
    fresh.__dict__["_encode"] = TOKENS._encode
    assert fresh.text(text) == TOKENS.text(text) == TOKENS.text(text)
    assert 0 <= TOKENS.text(text) <= 4 * len(text)


@given(st.lists(anything, max_size=8))
def test_a_message_is_the_sum_of_its_texts(texts: list[str]) -> None:
    message = Message("m", "user", tuple(map(Text, texts)))
    assert TOKENS.message(message) == 4 + sum(map(TOKENS.text, texts))
    assert TOKENS.tools(texts) == sum(map(TOKENS.text, texts))


@settings(max_examples=20, deadline=None)
@given(st.text(min_size=1, max_size=20), st.integers(0, 30))
def test_a_long_text_is_the_sum_of_its_pieces(text: str, extra: int) -> None:
    long = (text * (2 * PIECE // len(text) + 1))[: 2 * PIECE] + text[:extra]
    cut = (long[:PIECE], long[PIECE : 2 * PIECE], long[2 * PIECE :])
    assert TOKENS.text(long) == sum(map(TOKENS.text, cut))


@given(anything)
def test_the_archive_gives_back_what_it_was_given(text: str) -> None:
    assert ARCHIVE.get(ARCHIVE.put(text)) == text


@settings(deadline=None)
@given(lines, st.integers(0, 300))
def test_an_extract_is_never_above_the_cap_and_always_the_same(source: str, cap: int) -> None:
    extractive = summariser("extractive", Calls())
    summary = extractive.summarise(CONTRACT, source, cap, TOKENS)
    assert TOKENS.text(summary) <= cap
    assert summary == extractive.summarise(CONTRACT, source, cap, Tokens())
    words = set(source.split())
    for line in summary.splitlines():
        if line.startswith("- ") and line != "- (nothing)":
            assert set(line[2:].split()) <= words
