"""The rows of a session: its history, completed by what only its trajectory holds.

The saved history is what the model was sent, with templates, roles and ids; the trajectory has
each step's bare answer and observation. A history that was processed before it was saved has
old observations elided; one of version 0 ends before the last observation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from bench.readers.loose import items, obj, text

Row = dict[str, Any]
Note = Callable[[str, str], None]  #: where, and what was mended there

_ELIDED = re.compile(
    r"\s*(OBSERVATION:\s*)?Old environment output: \(\d+ lines? omitted\)"
    r"|(?s:.{0,2000}?)^Outdated window with \d+ lines omitted\.\.\.$",
    re.MULTILINE,
)


def rows(run: Row, note: Note) -> list[Row]:
    """The rows of one saved run; ``note`` is told what was mended."""
    steps = [obj(step) for step in items(run.get("trajectory"))]
    saved = items(run.get("history"))
    made = [row for row in saved if isinstance(row, dict) and row]
    if len(made) < len(saved):
        note("history", f"{len(saved) - len(made)} rows are no messages, left out")
    if not made and steps:
        made = _rebuilt(steps)
        note("history", "not in the file: rebuilt from the steps of the trajectory")
    return _completed(made, steps, note)


def demonstrates(row: Row) -> bool:
    """Whether a row is part of a demonstration."""
    return row.get("is_demo") is True or row.get("message_type") == "demonstration"


def said(row: Row) -> str:
    """The text of a row."""
    content = row.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text(obj(item).get("text")) for item in items(content))


def _rebuilt(steps: Sequence[Row]) -> list[Row]:
    """The prompt of the last step that has one, and the steps that it does not hold."""
    made: list[Row] = []
    for step in reversed(steps):
        prompt = items(step.get("query")) or items(step.get("messages"))
        made = [row for row in prompt if isinstance(row, dict) and row.get("role")]
        if made:
            break
    for step in steps[len(_answers(made)) :]:
        answer = {"role": "assistant", "content": step.get("response")}
        made += [answer | {"action": step.get("action")}, _observation(step, {})]
    return made


def _answers(made: Sequence[Row]) -> list[int]:
    """Places of the model's own answers."""
    places = enumerate(made)
    return [at for at, row in places if row.get("role") == "assistant" and not demonstrates(row)]


def _observation(step: Row, answer: Row) -> Row:
    """An observation as the row that follows an answer."""
    calls = [text(obj(call).get("id")) for call in items(answer.get("tool_calls"))]
    made = {"role": "tool", "tool_call_ids": calls[:1]} if calls else {"role": "user"}
    return {"agent": answer.get("agent"), **made, "content": text(step.get("observation"))}


def _completed(made: list[Row], steps: Sequence[Row], note: Note) -> list[Row]:
    made = list(made)
    full = _observed(made, steps, note)
    for at, row in enumerate(made):
        if (
            row.get("role") in ("user", "tool")
            and not demonstrates(row)
            and _ELIDED.match(said(row))
        ):
            row_at = f"message {at + 1}"
            found = text(full.get(at - 1, {}).get("observation"))
            if found:
                made[at] = {**row, "content": found}
                note(row_at, "an elided observation, put back from the trajectory")
            else:
                note(row_at, "an elided observation, whose text is not in the file")
    last = len(made) - 1
    if text(full.get(last, {}).get("observation")):
        made.append(_observation(full[last], made[last]))
        size = len(said(made[-1]))
        note("history", f"the last observation ({size:,} characters) is not in it: appended")
    return made


def _observed(made: Sequence[Row], steps: Sequence[Row], note: Note) -> dict[int, Row]:
    """The step of each answer, by the place of the answer.

    By order where the numbers agree; else by text, since steps such as an automatic submission
    are in no history.
    """
    answers = _answers(made)
    if len(answers) == len(steps):
        return dict(zip(answers, steps, strict=True))
    texts: dict[str, list[int]] = {}
    for order, at in enumerate(answers):
        texts.setdefault(said(made[at]).strip(), []).append(order)
    found: dict[int, Row] = {}
    following = 0
    for number, step in enumerate(steps, 1):
        response = text(step.get("response")).strip()
        same = texts.get(response, []) if response else range(len(answers))
        place = bisect_left(same, following)
        if place == len(same):
            words = " ".join(response.split())[:60]
            note(f"step {number}", f"not in the history, left out: {words!r}")
            continue
        found[answers[same[place]]] = step
        following = same[place] + 1
    return found
