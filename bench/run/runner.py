"""Run the cells of a plan and add up what they measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from statistics import fmean
from time import monotonic

from bench.errors import BenchError, ModelUnavailable, StrategyFault, one_line
from bench.ladder import Ladder
from bench.measure import cache, validity
from bench.measure.columns import CellRow, ProbeRow, Status
from bench.run.desk import Desk
from bench.run.intake import contents
from bench.run.manifest import Manifest
from bench.run.plan import PINNED, Cell, Plan
from bench.run.replay import Replay
from bench.run.result import Result, Rows
from bench.run.store import Store, Stored
from bench.services.calls import Calls
from bench.services.models import is_live, summariser
from bench.services.prices import Price, PriceList
from bench.services.tokens import Tokens
from bench.strategy import Strategy
from bench.trace import Message, Trace
from bench.window import UNLIMITED


class Runner:
    """Runs cells; counts, hashes and checks of a trace are shared by them.

    Raises ``BenchError`` at once for what would only fail later: an unknown profile, summariser
    or price, a window without room.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.cells = list(plan.cells())
        self._settings = plan.settings
        self._tokens = Tokens(plan.settings.encoding)
        self._summariser = summariser(plan.settings.summariser, Calls())
        self._prices = PriceList.load()
        self._digests: dict[Message, bytes] = {}
        self._inherited: dict[int, frozenset[validity.Fault]] = {}
        self._contents: dict[int, list[object]] = {}
        self._check()

    def _check(self) -> None:
        if self._settings.profile not in cache.PROFILES:
            raise BenchError(
                f"no cache profile called {self._settings.profile!r}",
                hint=f"there are {', '.join(cache.PROFILES)}",
            )
        named = self._settings.price_model
        if named and self._prices.find(named) is None:
            close = ", ".join(self._prices.nearest(named)) or "none that looks like it"
            raise BenchError(f"no price for {named!r}", hint=f"the price list has {close}")
        twins = [slug for slug, n in Counter(s.slug for s in self.plan.scenarios).items() if n > 1]
        if twins:
            raise BenchError(
                f"two scenarios are called {twins[0]!r}", hint="rename one of the files"
            )
        for cell in self.cells:
            if not cell.scenario.trace.steps:
                raise BenchError("a trace without steps", where=cell.scenario.slug)
            pinned = self._pinned(cell.scenario.trace)
            if cell.limit - cell.reserve <= pinned:
                raise BenchError(
                    f"a window of {cell.limit} tokens leaves nothing beside the {pinned} tokens "
                    f"of the pinned part and the reserve of {cell.reserve}",
                    where=cell.scenario.slug,
                    hint="choose a larger --window",
                )

    @property
    def prices(self) -> dict[str, Price | None]:
        """The prices of the models that are billed."""
        models = {self._model(scenario.trace) for scenario in self.plan.scenarios}
        if is_live(self._settings.summariser):
            models.add(self._settings.summariser)
        return {model: self._prices.find(model) for model in sorted(models)}

    def manifest(self) -> Manifest:
        """The identity of the run."""
        entries = {model: price and asdict(price) for model, price in self.prices.items()}
        prices = {**self._prices.source, "entries": entries}
        return Manifest(self.plan, tokens=self._tokens.fingerprint, prices=prices)

    def play(self, store: Store) -> Iterator[Stored]:
        """Run what is not finished in the store, in the order of the plan; tables at the end."""
        manifest = self.manifest()
        store.begin(manifest.document())
        done: list[Stored] = []
        try:
            for cell in self.cells:
                price = self._prices.find(self._model(cell.scenario.trace))
                key = manifest.key(cell, price.cache_minimum if price else None)
                result = store.finished(key)
                if result is None:
                    started, encoded = monotonic(), self._tokens.chars_encoded
                    result = self.run(cell)
                    encoded = self._tokens.chars_encoded - encoded
                    store.keep(key, result, monotonic() - started, encoded)
                done.append(Stored(key, result))
                yield done[-1]
        finally:
            store.tabulate(done)

    def run(self, cell: Cell) -> Result:
        """Replay one cell."""
        trace = cell.scenario.trace
        if id(trace) not in self._contents:
            self._contents[id(trace)] = contents(trace.messages)
        price = self._prices.find(self._model(trace))
        desk = Desk(self._tokens, self._summariser, cell.limit, self._pinned(trace))
        status: Status = "ok"
        detail = ""
        fitted = cell.strategy
        try:
            fitted = _strategy(cell.strategy.at(cell.limit))
        except Exception as error:
            status, detail = "strategy_error", f"at raised {type(error).__name__}"
        replay = Replay(
            cell.scenario,
            fitted,
            limit=cell.limit,
            reserve=cell.reserve,
            profile=cache.profile(
                self._settings.profile,
                model=self._model(trace),
                minimum=price.cache_minimum if price else None,
            ),
            desk=desk,
            digests=self._digests,
            inherited=self._faults(trace),
            seed=cell.seed,
        )
        try:
            if status == "ok":
                replay.run()
        except StrategyFault as error:
            status, detail = "strategy_error", str(error)
        except ModelUnavailable as error:
            status, detail = "infra_error", str(error)
        if status == "ok" and any(step.refused for step in replay.rows.steps):
            status = "refused"
        if contents(trace.messages) != self._contents[id(trace)]:
            raise BenchError(
                f"{cell.label} changed the record, and with it every later result",
                where=cell.scenario.slug,
                hint="messages are read only; leave this strategy out",
            )
        return Result(self._total(cell, replay, status, detail), replay.rows)

    def _total(self, cell: Cell, replay: Replay, status: Status, detail: str) -> CellRow:
        rows, limit = replay.rows, cell.limit
        answered = [step for step in rows.steps if not step.refused]
        at_end = [probe for probe in rows.probes if probe.number == 0]
        native = _native(cell.strategy) if replay.strategy != cell.strategy else None
        sizes = [step.size for step in answered] + [ask.read + ask.uncached for ask in rows.asks]

        def total(value: int) -> int | None:
            return value if status == "ok" else None

        return CellRow(
            scenario=cell.scenario.slug,
            strategy=cell.label,
            limit=None if limit >= UNLIMITED else limit,
            reserve=cell.reserve,
            pinned=replay.desk.pinned,
            profile=self._settings.profile,
            summariser=self._settings.summariser,
            scale=limit / native if native else None,
            status=status,
            detail=one_line(detail),
            steps=cell.scenario.trace.steps,
            answered=len(answered),
            passes=sum(row.outcome == "applied" for row in rows.passes),
            failed=sum(row.outcome == "failed" for row in rows.passes),
            invalid=replay.invalid_requests + sum(bool(row.invalid) for row in rows.passes),
            mean_size=fmean(step.size for step in answered) if answered else None,
            invalidations=total(sum(bool(step.lost) for step in answered)),
            lost=total(sum(step.lost for step in answered)),
            model=self._model(cell.scenario.trace),
            summary_model=self._settings.summariser
            if is_live(self._settings.summariser)
            else self._model(cell.scenario.trace),
            largest=total(max(sizes, default=0)),
            read=total(sum(step.read for step in answered)),
            write=total(sum(step.write for step in answered)),
            uncached=total(sum(step.uncached for step in answered)),
            output=total(sum(step.output for step in answered)),
            summary_read=total(sum(ask.read for ask in rows.asks)),
            summary_uncached=total(sum(ask.uncached for ask in rows.asks)),
            summary_output=total(sum(ask.output for ask in rows.asks)),
            probes=len(at_end),
            retained_end=_share(at_end) if status == "ok" else None,
            retained_passes=_mean_over_passes(rows) if status == "ok" else None,
        )

    def _model(self, trace: Trace) -> str:
        return self._settings.price_model or trace.model

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


def _native(strategy: Strategy) -> int | None:
    """The window that the scaled amounts were made for; a plain ladder's is that of its rungs."""
    rungs = strategy.rungs if isinstance(strategy, Ladder) else ()
    return strategy.native or next((rung.native for rung in rungs if rung.native), None)


def _strategy(fitted: object) -> Strategy:
    if not isinstance(fitted, Strategy):
        raise TypeError(type(fitted).__name__)
    return fitted


def _share(probes: list[ProbeRow]) -> float | None:
    if not probes:
        return None
    return sum(probe.status == "retained" for probe in probes) / len(probes)


def _mean_over_passes(rows: Rows) -> float | None:
    """Share retained after each pass, averaged over the passes at which anything was asked."""
    by_pass: dict[int, list[ProbeRow]] = {}
    for probe in rows.probes:
        if probe.number:
            by_pass.setdefault(probe.number, []).append(probe)
    shares = [share for asked in by_pass.values() if (share := _share(asked)) is not None]
    return fmean(shares) if shares else None
