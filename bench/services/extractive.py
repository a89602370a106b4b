"""A summariser without a model: the lines of the source that match each section best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from bench.contract import Contract, Section
from bench.services.tokens import Tokens
from bench.trace import Message

CAP = 1_000  #: tokens of a summary where nobody sets a cap
SPOKEN, SHOWN = 1_000, 500  #: lines ranked at most: of people and the model, of tools
SHORTEST, LONGEST = 12, 240  #: characters of a line that is ranked, and of one that is written
ENDS = 2_000  #: characters looked at from either end of a longer line
TRIED = 40  #: lines tried for a section before its share counts as full
NOTHING = "(nothing)"

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_MARK = re.compile(r"^(?:[-*•>]\s+|#{1,6}\s+|\d+[.)]\s+)+")


@dataclass(frozen=True, slots=True)
class Extractive:
    """Fills each section with what matches its title and question, ranked by BM25.

    It knows neither the probes nor what counts as a fact. An earlier summary in the source is
    text like any other. Results made with it speak of mechanics, not of a model's skill.
    """

    name: ClassVar[str] = "extractive"

    def summarise(
        self, contract: Contract, source: Sequence[Message] | str, cap: int | None, tokens: Tokens
    ) -> str:
        """The sections as headings with bullets, never more than ``cap`` tokens."""
        sections = contract.sections or (Section("Summary", contract.opening),)
        titles = {section.title.strip().lower() for section in sections}
        lines = [line for line in _candidates(source) if line.lower() not in titles]
        ranked = _ranked(sections, lines)
        room = cap = CAP if cap is None else cap
        written: set[int] = set()
        blocks: list[list[str]] = []
        for at, (section, order) in enumerate(zip(sections, ranked, strict=True)):
            share = room // (len(ranked) - at)
            head = f"## {section.title}"
            left = share - _size(head, tokens) - 1
            chosen: list[int] = []
            for line in islice((n for n in order if n not in written), TRIED):
                size = _size(f"- {lines[line]}", tokens)
                if size <= left:
                    chosen.append(line)
                    left -= size
            written.update(chosen)
            found = [lines[n] for n in sorted(chosen)] or [NOTHING]
            blocks.append([head, *(f"- {line}" for line in found)])
            room -= share - max(left, 0)
        return _fitted(blocks, cap, tokens)


def _size(line: str, tokens: Tokens) -> int:
    return tokens.text(line + "\n")


def _fitted(blocks: list[list[str]], cap: int, tokens: Tokens) -> str:
    """The blocks as one text; from the longest block on, lines go until the cap holds."""
    while True:
        text = "\n\n".join("\n".join(block) for block in blocks)
        if tokens.text(text) <= cap or not blocks:
            return text
        longest = max(range(len(blocks)), key=lambda at: (len(blocks[at]), at))
        blocks[longest].pop()
        if not blocks[longest]:
            del blocks[longest]


def _ranked(sections: Sequence[Section], lines: Sequence[str]) -> list[Iterable[int]]:
    """For each section the lines, best first; of equal ones the newest first."""
    newest = range(len(lines) - 1, -1, -1)
    if not lines:
        return [newest for _ in sections]
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_words(line) for line in lines])
    ranked: list[Iterable[int]] = []
    for section in sections:
        query = dict.fromkeys(_words(f"{section.title} {section.asks}"))
        # Rounded, so that a last bit of another machine's logarithm cannot change an order.
        scores = index.get_scores([word for word in query if word in index.idf]).round(9).tolist()
        ranked.append(sorted(newest, key=lambda at: -scores[at]))
    return ranked


def _words(line: str) -> list[str]:
    return _WORD.findall(line.lower())


def _candidates(source: Sequence[Message] | str) -> list[str]:
    """The lines worth ranking, oldest first, each once.

    What was said goes before what tools showed, which is most of a session and repeats itself.
    Of what was said the first quarter of the room is for the opening, where tasks are stated;
    otherwise the newest lines are taken.
    """
    if isinstance(source, str):
        said, shown = [source], []
    else:
        said = [text for message in source for text in _said(message)]
        shown = [message.text for message in source if message.role == "tool"]
    opening = _distinct((line for text in said for line in _lines(text)), SPOKEN // 4, {})
    recent = _distinct(_backwards(said), SPOKEN - SPOKEN // 4, opening)
    results = _distinct(_backwards(shown), SHOWN, opening | recent)
    return [*opening, *reversed(results), *reversed(recent)]


def _said(message: Message) -> Iterator[str]:
    if message.role != "tool":
        yield message.text
        for call in message.calls:
            yield f"{call.name} {call.arguments[: 2 * ENDS]}".replace("\n", " ")


def _distinct(lines: Iterable[str], limit: int, known: dict[str, None]) -> dict[str, None]:
    """The first ``limit`` lines that are not yet known."""
    found: dict[str, None] = {}
    for line in lines:
        if len(found) >= limit:
            break
        if line not in known:
            found[line] = None
    return found


def _backwards(texts: Sequence[str]) -> Iterator[str]:
    for text in reversed(texts):
        yield from reversed(list(_lines(text)))


def _lines(text: str) -> Iterator[str]:
    """The lines of a text without their list marks, long ones as sentences, none very short."""
    for raw in text.splitlines():
        if len(raw) < SHORTEST:
            continue
        if len(raw) <= LONGEST:
            pieces = [raw]
        else:
            ends = raw if len(raw) <= 2 * ENDS else f"{raw[:ENDS]}. {raw[-ENDS:]}"
            pieces = _SENTENCE.split(ends)
        for piece in pieces:
            line = _clipped(_MARK.sub("", piece.strip()))
            if len(line) >= SHORTEST and _WORD.search(line):
                yield line


def _clipped(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return (cut.rsplit(None, 1)[0] if " " in cut[LONGEST // 2 :] else cut) + "…"
