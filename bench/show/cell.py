"""One cell in the terminal: what each pass did, and what became of each fact."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from bench.measure.columns import PassRow, ProbeRow
from bench.run.store import Stored
from bench.show.progress import told
from bench.show.tables import thousands, window

WIDE = 12  #: ids named of each fate before they are only counted


def listing(stored: Sequence[Stored]) -> str:
    """The cells of a run, with the keys that name them."""
    return "\n".join(
        f"{one.key[:8]}  {one.result.row.scenario}  {window(one.result.row.limit)}  "
        f"{one.result.row.strategy}  {one.result.row.status}, {one.result.row.passes} passes"
        for one in stored
    )


def described(one: Stored) -> str:
    """Every pass of a cell, with the fate of the messages and of the probes."""
    row, rows = one.result.row, one.result.rows
    lines = [
        f"{row.scenario}, {row.strategy}, window {window(row.limit)}: {row.status}"
        + (f" ({row.detail})" if row.detail else ""),
        f"{row.answered}/{row.steps} calls answered, {row.passes} passes, {row.failed} failed",
    ]
    asked = {
        number: list(group) for number, group in groupby(rows.probes, lambda probe: probe.number)
    }
    known: dict[str, ProbeRow] = {}
    for one_pass in rows.passes:
        lines += ["", *told(row, one_pass), *_fates(one_pass)]
        lines += _news(asked.get(one_pass.number, []), known)
    if 0 in asked:
        lines += ["", "at the end"]
        lines += [
            f"  {probe.status:<12}{probe.probe} ({probe.kind}, "
            f"{thousands(probe.distance)} tokens ago)"
            for probe in asked[0]
        ]
    return "\n".join(lines)


def _fates(row: PassRow) -> list[str]:
    fates = {
        "moved": row.moved,
        "copied": row.copied,
        "rewrote": row.rewritten,
        "dropped": row.dropped,
        "wrote": row.written,
    }
    return [f"  {name}: {_some(ids)}" for name, ids in fates.items() if ids]


def _some(ids: Sequence[str]) -> str:
    if len(ids) <= WIDE:
        return ", ".join(ids)
    return f"{', '.join(ids[: WIDE // 2])} ... {', '.join(ids[-WIDE // 2 :])} ({len(ids)})"


def _news(asked: Sequence[ProbeRow], known: dict[str, ProbeRow]) -> list[str]:
    """What a pass changed about the facts, and what it kept."""
    lines = []
    for probe in asked:
        before = known.get(probe.probe)
        was = before.status if before else "retained"
        if probe.status != was or probe.by:
            by = f" by {probe.by}" if probe.by else ""
            lines.append(f"  {probe.probe}: {was} -> {probe.status}{by}")
        known[probe.probe] = probe
    kept = [probe.probe for probe in asked if probe.status == "retained"]
    if kept:
        lines.append(f"  still retained: {', '.join(kept)}")
    return lines
