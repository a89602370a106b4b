"""The one loop: replay a trace through a strategy, one model call at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bench.diff import Diff, common_head, diff
from bench.errors import Declined, ModelUnavailable, StrategyFault, one_line
from bench.measure import validity
from bench.measure.cache import Billed, Profile
from bench.measure.columns import Outcome, PassRow, ProbeRow, StepRow
from bench.measure.ledger import Entry, Ledger
from bench.measure.probes import Grader, Status
from bench.run.desk import Desk
from bench.run.intake import Intake
from bench.run.outgoing import Outgoing
from bench.run.result import Rows
from bench.scenario import Scenario
from bench.strategy import Strategy
from bench.trace import Message, Record, Usage
from bench.window import Reason, Reported, Window


class Replay:
    """One strategy on one trace. ``run`` plays it; everything else is a part of one step."""

    def __init__(
        self,
        scenario: Scenario,
        strategy: Strategy,
        *,
        limit: int,
        reserve: int,
        profile: Profile,
        desk: Desk,
        digests: dict[Message, bytes],
        inherited: frozenset[validity.Fault],
        seed: int,
    ) -> None:
        self.strategy = strategy
        self.limit = limit
        self.reserve = reserve
        self.ledger = Ledger(profile)
        self.desk = desk
        self.inherited = inherited
        self.seed = seed
        self.trace = scenario.trace
        self.rows = Rows(asks=desk.asks)
        self.invalid_requests = 0
        self.requests = {request.at: request.by for request in scenario.requests}
        self.grader = Grader.over(scenario.probes, self.trace.messages, desk.archived.find)
        desk.peek = self._peek

        self.intake = Intake()
        self.record: list[Message] = []
        self.stated: dict[str, int] = {}  # size of the record once a message was in it, by id
        self.by_id: dict[str, Message] = {}
        self.recorded = 0  # tokens of the record
        self.view: list[Message] = []
        self.size = desk.pinned  # tokens of the view and the pinned part
        self.new: tuple[Message, ...] = ()
        self.usage: Reported | None = None
        self.memory: dict[str, Any] = {}
        self.now = 0.0
        self.outgoing = Outgoing(desk, digests)  # the request as it would be sent now
        self.chain = self.outgoing.chain

    def run(self) -> Rows:
        """Play the whole trace. Raises ``StrategyFault`` where the strategy broke the rules."""
        if type(self.strategy.attempts) is not int or self.strategy.attempts < 0:
            raise StrategyFault("attempts must be a whole number, 0 or more")
        if not isinstance(self.strategy.requests, frozenset):
            raise StrategyFault("requests must be a frozenset")
        last = next((m for m in reversed(self.trace.messages) if m.role == "assistant"), None)
        batch: list[Message] = []
        for message in self.trace.messages:
            if message.role != "assistant":
                batch.append(message)
                continue
            self.step(batch, message)
            if message is last:
                self._note_probes(0, self._asked(), [])
                break
            self._append([message], [message])
            self._note_time([message])
            self.outgoing.answered(message)
            batch = []
        return self.rows

    def step(self, batch: Sequence[Message], answer: Message) -> None:
        """One model call: what arrived, what the strategy made of it, what was sent."""
        asked = self._arrive(batch)
        self._render()
        if asked and asked in self.strategy.requests:
            self._compact("requested")
        else:
            window = self._window("threshold", "s")
            with _its_own("due"):
                due = bool(self.strategy.due(window))
            if due:
                self._compact("threshold")
        for _ in range(self.strategy.attempts):
            before = self.chain.size
            if before <= self.limit:
                break
            self._compact("overflow")
            if self.chain.size >= before:
                break
        if self.chain.size > self.limit:
            self.rows.steps.append(self._row(answer, Entry(Billed(0, 0, 0), 0, ""), 0, True))
            return
        answered = max(self.now, answer.time or 0.0)
        entry = self.ledger.send(self.chain, self.now, answered, renders=self.strategy.renders)
        output = self.desk.count(answer)
        self.rows.steps.append(self._row(answer, entry, output, False))
        billed = entry.billed
        self.usage = Reported(
            Usage(billed.uncached, billed.read, billed.write, output=output),
            covers=self.chain.messages[-1].id if self.chain.messages else "",
        )

    def _row(self, answer: Message, entry: Entry, output: int, refused: bool) -> StepRow:
        return StepRow(
            step=len(self.rows.steps),
            message=answer.id,
            size=self.chain.size,
            refused=refused,
            read=entry.billed.read,
            write=entry.billed.write,
            uncached=entry.billed.uncached,
            output=output,
            lost=entry.lost,
            cause=entry.cause,
        )

    def _arrive(self, batch: Sequence[Message]) -> str:
        """Let a batch into record and view; who asked for compaction in it, if anyone did."""
        self._note_time(batch)
        self.new = tuple(batch)
        if self.strategy.admits and batch:
            window = self._window("threshold", "a")
            with _its_own("admit"):
                self.new = self.intake.take("admit", self.strategy.admit(self.new, window))
            if [m.id for m in self.new] != [m.id for m in batch]:
                raise StrategyFault("admit must return the same messages in the same order")
            if [m.role for m in self.new] != [m.role for m in batch]:
                raise StrategyFault("admit must not change roles")
        if self.ledger.profile.strips and any(m.role == "user" and not m.injected for m in batch):
            self.outgoing.finish_turn()
        self._append(batch, self.new)
        if self.strategy.admits and self._charged(
            self.view, len(self.view) - len(batch), len(self.view)
        ):
            self.invalid_requests += 1
        return next((self.requests[m.id] for m in batch if m.id in self.requests), "")

    def _append(self, recorded: Sequence[Message], shown: Sequence[Message]) -> None:
        self.record.extend(recorded)
        for message in recorded:
            self.intake.register(message)
            self.by_id[message.id] = message
            self.recorded += self.desk.count(message)
            self.stated[message.id] = self.recorded
        self.size += sum(map(self.desk.count, shown))
        self.view.extend(shown)
        if not self.strategy.renders:
            self.outgoing.append(shown)

    def _note_time(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.time is not None and message.time > self.now:
                self.now = message.time

    def _window(self, reason: Reason, kind: str) -> Window:
        """The state as the strategy may see it, with a fresh page at the desk."""
        self.desk.open(kind, len(self.rows.passes) + 1)
        clairvoyant = self.strategy.clairvoyant
        return Window(
            record=Record(self.record),
            view=Record(self.view),
            limit=self.limit,
            reserve=self.reserve,
            pinned=self.desk.pinned,
            used=self.size if kind == "p" else self.chain.size,
            services=self.desk,
            new=self.new,
            usage=self.usage,
            reason=reason,
            memory=self.memory,
            now=self.now,
            seed=self.seed + len(self.rows.steps),
            future=self.trace.messages[len(self.record) :] if clairvoyant else None,
        )

    def _render(self) -> None:
        """Bring the chain up to the request that would be sent now."""
        if not self.strategy.renders:
            return
        window = self._window("threshold", "r")
        with _its_own("render"):
            request = self.intake.take("render", self.strategy.render(window))
        head = self.outgoing.shared(request)
        self.outgoing.follow(request, head)
        if self._charged(request, head, len(request)):
            self.invalid_requests += 1

    def _compact(self, reason: Reason) -> None:
        """One pass: let the strategy rewrite the view, and work out what it did."""
        before, size, asked = tuple(self.view), self.size, self._asked()
        window = self._window(reason, "p")
        memory = self._memory()
        change, invalid = Diff(len(before), 0), []
        outcome: Outcome = "noop"
        detail = ""
        try:
            after = self.intake.take("compact", self.strategy.compact(window))
            change = diff(before, after, self.by_id)
        except Declined as answer:
            outcome, detail = "declined", one_line(answer)
        except (StrategyFault, ModelUnavailable):
            raise
        except (Exception, SystemExit) as error:  # an outcome, not the end of the cell
            outcome, detail = "failed", one_line(f"{type(error).__name__}: {one_line(error)}")
        if outcome in ("declined", "failed"):
            self.memory = json.loads(memory)
        else:
            self._memory()
        if outcome == "noop" and change.changed:
            outcome = "applied"
            self._install(before, after, change)
            invalid = self._charged(after, change.head, len(after) - change.tail)
        row = PassRow(
            number=len(self.rows.passes) + 1,
            step=len(self.rows.steps),
            reason=reason,
            outcome=outcome,
            detail=detail,
            before=size,
            after=self.size,
            kept=change.head + change.tail + len(change.kept),
            moved=change.moved,
            copied=change.copied,
            rewritten=change.rewritten,
            dropped=change.dropped,
            written=change.written,
            rungs=tuple(stage[:3] for stage in self.desk.stages),
            invalid=tuple(f"{rule} {identity}".rstrip() for rule, identity in invalid),
            notices=tuple(self.desk.notices),
        )
        stages = self.desk.stages
        self.rows.passes.append(row)
        if outcome == "applied":
            self._render()
            history = [("", asked), *((name, self._asked(left)) for name, _, _, left in stages)]
            self._note_probes(row.number, self._asked(), history)

    def _memory(self) -> str:
        """The strategy's memory as JSON text."""
        try:
            return json.dumps(self.memory)
        except (TypeError, ValueError, RecursionError) as error:
            raise StrategyFault(f"memory must hold JSON values: {one_line(error)}") from error

    def _install(
        self, before: tuple[Message, ...], after: tuple[Message, ...], change: Diff
    ) -> None:
        """Make ``after`` the view, at a cost that grows with what changed."""
        count = self.desk.count
        self.size -= sum(map(count, before[change.head : len(before) - change.tail]))
        self.size += sum(map(count, after[change.head : len(after) - change.tail]))
        self.view = list(after)
        self.usage = None
        shrank = [name for name, was, now, _ in self.desk.stages if now < was]
        self.ledger.since = ":".join(["compaction", *(["+".join(shrank)] if shrank else [])])
        if not self.strategy.renders:
            self.outgoing.follow(after, change.head)

    def _charged(self, view: Sequence[Message], start: int, end: int) -> list[validity.Fault]:
        """Broken rules in a stretch that the record did not already break."""
        found = validity.faults(view, start, end)
        return [fault for fault in found if fault not in self.inherited]

    def _peek(self, messages: Sequence[Message]) -> int:
        """Tokens of a side call over ``messages`` that the agent's cache would serve."""
        shared = common_head(tuple(self.chain.messages), tuple(messages))
        return self.ledger.profile.peek(self.chain, shared, self.now)

    def _asked(self, messages: Sequence[Message] | None = None) -> dict[str, Status]:
        """Status of every probe whose fact was stated so far, by default in the request."""
        request = self.chain.messages if messages is None else messages
        return self.grader.ask(request, self.by_id.__contains__)

    def _note_probes(
        self,
        number: int,
        answers: dict[str, Status],
        history: Sequence[tuple[str, dict[str, Status]]],
    ) -> None:
        """Keep the answers after pass ``number`` (0: the end), and which rung changed them."""
        for probe in self.grader.probes:
            if probe.id not in answers:
                continue
            self.rows.probes.append(
                ProbeRow(
                    number=number,
                    probe=probe.id,
                    kind=probe.kind,
                    status=answers[probe.id],
                    by=_changed_by(probe.id, answers[probe.id], history),
                    distance=self.recorded - self.stated[probe.source],
                )
            )


def _changed_by(
    probe: str, status: Status, history: Sequence[tuple[str, dict[str, Status]]]
) -> str:
    """The rung that left a probe with this status, empty where the pass did not change it."""
    if not history or history[0][1].get(probe) in (status, None):
        return ""
    by = "compact"  # a pass without rungs, or what was done after the last of them
    for name, answers in reversed(history[1:]):
        if answers.get(probe) != status:
            break
        by = name
    return by


@contextmanager
def _its_own(method: str) -> Iterator[None]:
    """Blame what goes wrong in a plug-in's method on the plug-in, not on the suite."""
    try:
        yield
    except (ModelUnavailable, StrategyFault):
        raise
    except (Exception, SystemExit) as error:
        raise StrategyFault(f"{method} raised {type(error).__name__}: {one_line(error)}") from error
