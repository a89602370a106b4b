"""Run cells and add up what they measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import fmean

from bench.errors import BenchError, StrategyFault
from bench.measure import cache, validity
from bench.measure.columns import CellRow, PassRow, ProbeRow, Status
from bench.run.desk import Desk
from bench.run.plan import PINNED, Cell, Plan
from bench.run.replay import Replay, Rows
from bench.services.models import summariser
from bench.services.prices import Price, PriceList, cost
from bench.services.tokens import Tokens
from bench.trace import Message, Trace, Usage
from bench.window import UNLIMITED


@dataclass(frozen=True, slots=True)
class Result:
    """A finished cell: its totals, and every row behind them."""

    row: CellRow
    rows: Rows


@dataclass
class Runner:
    """Runs the cells of a plan; counts, hashes and checks of a trace are shared by them."""

    plan: Plan
    told: Callable[[Cell, PassRow], None]
    _tokens: Tokens = field(init=False)
    _digests: dict[Message, bytes] = field(default_factory=dict, init=False)
    _inherited: dict[int, frozenset[validity.Fault]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._tokens = Tokens(self.plan.settings.encoding)
        self._summariser = summariser(self.plan.settings.summariser)
        self._prices = PriceList.load()
        if self.plan.settings.profile not in cache.PROFILES:
            raise BenchError(
                f"no cache profile called {self.plan.settings.profile!r}",
                hint=f"there are {', '.join(cache.PROFILES)}",
            )
        named = self.plan.settings.price_model
        if named and self._prices.find(named) is None:
            close = ", ".join(self._prices.nearest(named)) or "none that looks like it"
            raise BenchError(f"no price for {named!r}", hint=f"the price list has {close}")

    @property
    def conditions(self) -> dict[str, str]:
        """What the numbers depend on beside the cells: to be said wherever they are shown."""
        source = self._prices.source
        return {
            "replay": "open loop: the recorded agent's answers, whatever it would have been shown",
            "profile": self.plan.settings.profile,
            "summariser": self.plan.settings.summariser,
            "tokens": self._tokens.fingerprint,
            "prices": f"litellm {source['litellm']}, sha256 {source['sha256'][:12]}",
            "price_model": self.plan.settings.price_model or "the recorded model",
        }

    def run(self) -> Iterator[Result]:
        """Run every cell, in the order of the plan."""
        for cell in self.plan.cells():
            pinned = self._pinned(cell.scenario.trace)
            if cell.limit - cell.reserve <= pinned:
                raise BenchError(
                    f"a window of {cell.limit} tokens leaves nothing beside the {pinned} tokens "
                    f"of the pinned part and the reserve of {cell.reserve}",
                    where=cell.scenario.slug,
                    hint="choose a larger --window",
                )
        for cell in self.plan.cells():
            yield self._run(cell)

    def _run(self, cell: Cell) -> Result:
        trace = cell.scenario.trace
        encoded = self._tokens.chars_encoded
        price = self._prices.find(self.plan.settings.price_model or trace.model)
        pinned = self._pinned(trace)
        desk = Desk(self._tokens, self._summariser, cell.limit, pinned)
        replay = Replay(
            cell.scenario,
            cell.strategy.at(cell.limit),
            limit=cell.limit,
            reserve=cell.reserve,
            profile=cache.profile(
                self.plan.settings.profile, minimum=price.cache_minimum if price else None
            ),
            desk=desk,
            digests=self._digests,
            inherited=self._faults(trace),
            seed=cell.seed,
            told=lambda row: self.told(cell, row),
        )
        status: Status = "ok"
        detail = ""
        try:
            replay.run()
        except StrategyFault as error:
            status, detail = "strategy_error", str(error)
        rows = replay.rows
        if status == "ok" and any(step.refused for step in rows.steps):
            status = "refused"
        encoded = self._tokens.chars_encoded - encoded
        return Result(self._total(cell, rows, price, pinned, status, detail, encoded), rows)

    def _total(
        self,
        cell: Cell,
        rows: Rows,
        price: Price | None,
        pinned: int,
        status: Status,
        detail: str,
        encoded: int,
    ) -> CellRow:
        answered = [step for step in rows.steps if not step.refused]
        whole = status == "ok"
        agent = _dollars(
            price,
            [Usage(step.uncached, step.read, step.write, output=step.output) for step in answered],
        )
        summaries = _dollars(
            price, [Usage(ask.uncached, ask.read, output=ask.output) for ask in rows.asks]
        )
        strategy, limit = cell.strategy, cell.limit
        scaled = strategy.at(limit) != strategy and strategy.native
        at_end = [probe for probe in rows.probes if probe.number == 0]
        return CellRow(
            scenario=cell.scenario.slug,
            strategy=cell.label,
            limit=None if limit >= UNLIMITED else limit,
            reserve=cell.reserve,
            pinned=pinned,
            profile=self.plan.settings.profile,
            summariser=self.plan.settings.summariser,
            scale=limit / strategy.native if scaled and strategy.native else None,
            status=status,
            detail=" ".join(detail.split())[:500],
            steps=cell.scenario.trace.steps,
            answered=len(answered),
            passes=sum(row.outcome == "applied" for row in rows.passes),
            failed=sum(row.outcome == "failed" for row in rows.passes),
            invalid=rows.invalid_renders + sum(bool(row.invalid) for row in rows.passes),
            mean_size=fmean(step.size for step in answered) if answered else None,
            invalidations=sum(bool(step.lost) for step in answered) if whole else None,
            lost=sum(step.lost for step in answered) if whole else None,
            agent_dollars=agent if whole else None,
            summary_dollars=summaries if whole else None,
            dollars=agent + summaries
            if whole and agent is not None and summaries is not None
            else None,
            probes=len(at_end),
            retained_end=_share(at_end) if whole else None,
            retained_passes=_mean_over_passes(rows.probes) if whole else None,
            chars_encoded=encoded,
        )

    def _pinned(self, trace: Trace) -> int:
        """Size of what opens every request; logs without it are given a usual size."""
        if not trace.pinned and not trace.tools:
            return PINNED
        return self._tokens.tools(trace.tools) + sum(map(self._tokens.message, trace.pinned))

    def _faults(self, trace: Trace) -> frozenset[validity.Fault]:
        known = self._inherited.get(id(trace))
        if known is None:
            found = validity.faults(trace.messages)
            if trace.messages[0].role == "assistant":  # a log that begins in the middle
                found += validity.faults(())
            known = self._inherited[id(trace)] = frozenset(found)
        return known


def _dollars(price: Price | None, bills: list[Usage]) -> float | None:
    """The sum of some calls, 0 where there are none; None where a price is not known.

    Requests of a size that is billed by other prices count as not known.
    """
    if not bills:
        return 0.0
    if price is None or (price.flat_up_to and max(u.input for u in bills) > price.flat_up_to):
        return None
    costs = [cost(price, usage) for usage in bills]
    return None if None in costs else sum(each for each in costs if each is not None)


def _share(probes: list[ProbeRow]) -> float | None:
    if not probes:
        return None
    return sum(probe.status == "retained" for probe in probes) / len(probes)


def _mean_over_passes(probes: list[ProbeRow]) -> float | None:
    """Share retained after each pass, averaged over the passes at which anything was asked."""
    by_pass: dict[int, list[ProbeRow]] = {}
    for probe in probes:
        if probe.number:
            by_pass.setdefault(probe.number, []).append(probe)
    shares = [share for asked in by_pass.values() if (share := _share(asked)) is not None]
    return fmean(shares) if shares else None
