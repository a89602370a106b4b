"""Every column of the results, declared once: name, type, unit, direction, meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Better = Literal["", "more", "less"]
Outcome = Literal["applied", "noop", "declined", "failed"]
Status = Literal["ok", "refused", "strategy_error", "infra_error"]


def column(text: str, *, unit: str = "", better: Better = "") -> Any:
    """A field of a row, with what it means, in which unit, and which way is better."""
    return field(metadata={"text": text, "unit": unit, "better": better})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One model call of the recorded agent."""

    step: int = column("number of the model call, from 0")
    message: str = column("id of the recorded answer")
    size: int = column("size of the request", unit="tokens")
    refused: bool = column("the request was larger than the window after all attempts")
    read: int = column("input read from the cache", unit="tokens", better="more")
    write: int = column("input written to the cache", unit="tokens")
    uncached: int = column("input neither read nor written", unit="tokens")
    output: int = column("the recorded answer, the same for every strategy", unit="tokens")
    lost: int = column("stored by the request before, not read now", unit="tokens", better="less")
    cause: str = column("why the cached prefix was lost, empty if it was not")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRow:
    """One compaction."""

    number: int = column("number of the pass, from 1")
    step: int = column("the model call before which it happened")
    reason: str = column("threshold, overflow or requested")
    outcome: Outcome = column("applied, noop, declined or failed")
    detail: str = column("why it was declined or failed")
    before: int = column("size of the request before", unit="tokens")
    after: int = column("size of the request after", unit="tokens", better="less")
    kept: int = column("messages kept unchanged", unit="messages")
    moved: tuple[str, ...] = column("messages kept in another place")
    copied: tuple[str, ...] = column("messages that repeat one of the record")
    rewritten: tuple[str, ...] = column("messages whose content was changed")
    dropped: tuple[str, ...] = column("messages taken out of the view")
    written: tuple[str, ...] = column("messages that the strategy wrote")
    rungs: tuple[tuple[str, int, int], ...] = column("rung, size before, size after")
    invalid: tuple[str, ...] = column("why a provider would refuse the view: rule and message")
    notices: tuple[str, ...] = column("what the user was told")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRow:
    """One summary call."""

    number: int = column("number of the pass that made it")
    contract: str = column("the contract it was to fill")
    shown: str = column("conversation or text")
    read: int = column("input read from the agent's cache", unit="tokens", better="more")
    uncached: int = column("input not read from the cache", unit="tokens", better="less")
    output: int = column("the summary", unit="tokens", better="less")
    error: str = column("TooLong or SummaryFailed, empty if it was answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRow:
    """One answer to one probe."""

    number: int = column("number of the pass after which it was asked, 0 at the end")
    probe: str = column("id of the probe")
    kind: str = column("kind of fact")
    status: str = column("retained, changed, recoverable, stale or missing")
    by: str = column("rung whose work changed the status at this pass, empty if unchanged")
    distance: int = column("size of the record since the fact was stated", unit="tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """One strategy on one scenario in one window. A total is null where steps were refused."""

    scenario: str = column("slug of the scenario")
    strategy: str = column("label of the strategy")
    limit: int | None = column("input tokens the model takes, null if unlimited", unit="tokens")
    reserve: int = column("room kept for the answer, in triggers only", unit="tokens")
    pinned: int = column("system prompt and tool schemas", unit="tokens")
    profile: str = column("how the provider caches")
    summariser: str = column("who wrote the summaries")
    scale: float | None = column("limit / native, null where nothing was scaled")
    status: Status = column("ok, or why there is no result")
    detail: str = column("what went wrong")
    steps: int = column("model calls of the recorded agent")
    answered: int = column("model calls whose request fitted", better="more")
    passes: int = column("passes that changed the view")
    failed: int = column("passes that failed", better="less")
    invalid: int = column("passes and renders a provider would refuse", better="less")
    mean_size: float | None = column("mean request over answered steps", unit="tokens")
    invalidations: int | None = column("steps that lost cached input", better="less")
    lost: int | None = column("cached input that was lost", unit="tokens", better="less")
    model: str = column("model by whose prices the agent's calls are billed")
    summary_model: str = column("model by whose prices the summary calls are billed")
    largest: int | None = column("largest request, summary calls included", unit="tokens")
    read: int | None = column("agent: input read from the cache", unit="tokens", better="more")
    write: int | None = column("agent: input written to the cache", unit="tokens")
    uncached: int | None = column("agent: input neither read nor written", unit="tokens")
    output: int | None = column("agent: recorded answers", unit="tokens")
    summary_read: int | None = column("summaries: input read from the cache", unit="tokens")
    summary_uncached: int | None = column("summaries: input not read", unit="tokens")
    summary_output: int | None = column("summaries: text written", unit="tokens")
    probes: int = column("probes asked at the end")
    retained_end: float | None = column("share of probes retained at the end", better="more")
    retained_passes: float | None = column(
        "share retained, mean over passes after the statement", better="more"
    )
