"""The loop: what is charged, refused, restored, and never taken on trust."""

from dataclasses import dataclass, replace

import pytest

from bench import BenchError, Declined, Probe, Reasoning, Scenario, Strategy, Text, Trace
from bench.measure.cost import bill
from bench.registry import strategy
from bench.run.plan import Plan, Settings
from bench.run.runner import Runner
from bench.scenario import Request
from bench.window import UNLIMITED
from strategies.floor import Floor
from strategies.none import NoCompaction


@dataclass(frozen=True)
class Halve(Strategy):
    """Drops the older half of the groups."""

    def compact(self, window):
        return window.opened(window.groups[len(window.groups) // 2 :])


def scenario(messages, **parts):
    trace = Trace("t", tuple(messages), model="claude-sonnet-4-5")
    return Scenario("t", trace, windows=(6_000,), **parts)


def run(what, strategy, *, window=0, **settings):
    """The result of one strategy, without its controls."""
    runner = Runner(planned(what, strategy, window=window, **settings))
    return runner.run(next(cell for cell in runner.cells if cell.label == "it"))


def planned(what, strategy, *, window=0, **settings):
    return Plan(
        (what,),
        (("it", strategy),),
        floor=("floor", Floor()),
        ceiling=("none", NoCompaction()),
        windows=(window,) if window else (),
        settings=Settings(**settings),
    )


def dollars(what, strategy, **settings):
    runner = Runner(planned(what, strategy, **settings))
    cell = next(cell for cell in runner.cells if cell.label == "it")
    row = runner.run(cell).row
    return bill(row, runner.prices).total


@pytest.fixture
def long(talk):
    """Forty calls with results: more than the 3,000 tokens that 6,000 leave beside the rest."""
    return talk("u" + "c" * 40, size=60)


def test_every_class_sums_to_the_request_and_the_pass_shows(long):
    result = run(scenario(long), Halve())
    assert result.row.status == "ok"
    assert result.row.passes >= 1
    for step in result.rows.steps:
        assert step.read + step.write + step.uncached == step.size
    first = result.rows.passes[0]
    assert first.after < first.before
    assert first.dropped
    assert first.invalid == ()
    lost = [step for step in result.rows.steps if step.lost]
    assert {step.cause for step in lost} == {"compaction"}


def test_doing_nothing_is_refused_and_enters_no_total(long):
    row = run(scenario(long), NoCompaction()).row
    assert row.status == "refused"
    assert 0 < row.answered < row.steps == 40
    assert (row.read, row.lost, row.retained_end) == (None, None, None)
    assert dollars(scenario(long), NoCompaction()) is None


def test_a_failure_leaves_view_and_memory_as_they_were(long):
    @dataclass(frozen=True)
    class Fails(Halve):
        def compact(self, window):
            window.memory["tries"] = window.memory.get("tries", 0) + 1
            if len(window.record) < 66:
                raise RuntimeError("no")
            assert window.memory["tries"] == 1
            return super().compact(window)

    result = run(scenario(long), Fails())
    outcomes = [row.outcome for row in result.rows.passes]
    assert outcomes[0] == "failed"
    assert "applied" in outcomes
    failed = result.rows.passes[0]
    assert (failed.detail, failed.before, failed.dropped) == ("RuntimeError: no", failed.after, ())


def test_declined_says_why(long):
    @dataclass(frozen=True)
    class Declines(Strategy):
        def compact(self, window):
            raise Declined("nothing to cut")

    first = run(scenario(long), Declines()).rows.passes[0]
    assert (first.outcome, first.detail) == ("declined", "nothing to cut")


@pytest.mark.parametrize("method", ["due", "render", "admit"])
def test_an_exception_elsewhere_ends_the_cell_and_names_the_method(long, method):
    def broken(*_):
        raise ValueError("bad")

    kind = dataclass(frozen=True)(type("Broken", (Strategy,), {method: broken}))
    row = run(scenario(long), kind()).row
    assert (row.status, row.detail) == ("strategy_error", f"{method} raised ValueError: bad")


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("compact", lambda self, w: [*w.messages, w.messages[0]]),
        ("compact", lambda self, w: ["text"]),
        ("admit", lambda self, batch, w: batch[1:]),
        ("render", lambda self, w: [None]),
    ],
)
def test_a_broken_interface_is_a_strategy_error(long, method, answer):
    kind = dataclass(frozen=True)(type("Broken", (Strategy,), {method: answer}))
    assert run(scenario(long), kind()).row.status == "strategy_error"


def test_a_torn_pair_is_charged(long):
    @dataclass(frozen=True)
    class Tears(Strategy):
        def compact(self, window):
            return (window.messages[0], *window.messages[-1:])

    result = run(scenario(long), Tears())
    assert result.row.invalid
    assert result.rows.passes[0].invalid[0].startswith("orphan-result")


def test_a_fault_of_the_record_is_not_charged(long):
    torn = [message for message in long if message.id != "m38r"]
    assert run(scenario(torn), Halve()).row.invalid == 0


def test_a_request_is_obeyed_by_those_who_do(long):
    @dataclass(frozen=True)
    class Obeys(Halve):
        requests = frozenset({"user"})

    what = scenario(long, requests=(Request("m5r", "user"), Request("m6r", "agent")))
    assert [p.reason for p in run(what, Obeys(), window=64_000).rows.passes] == ["requested"]
    assert run(what, Halve(), window=64_000).rows.passes == []


def test_overflow_is_tried_as_often_as_the_strategy_says(long):
    @dataclass(frozen=True)
    class Late(Halve):
        attempts = 2

        def due(self, window):
            return False

    result = run(scenario(long), Late())
    assert {row.reason for row in result.rows.passes} == {"overflow"}
    assert result.row.answered == 40

    @dataclass(frozen=True)
    class Never(Late):
        attempts = 0

    assert run(scenario(long), Never()).row.status == "refused"


def test_the_record_is_the_trace_whatever_a_strategy_returns(long):
    seen = []

    @dataclass(frozen=True)
    class Looks(Halve):
        def admit(self, batch, window):
            return [window.replace(message, text="cut") for message in batch]

        def compact(self, window):
            seen.append(tuple(window.record))
            return super().compact(window)

    run(scenario(long), Looks())
    assert seen
    for record in seen:
        assert list(record) == long[: len(record)]


def test_who_changes_the_record_is_refused(long):
    @dataclass(frozen=True)
    class Scribbles(Halve):
        def due(self, window):
            object.__setattr__(window.record[0], "parts", (Text("gone"),))
            return False

    with pytest.raises(BenchError, match="changed the record"):
        run(scenario(long), Scribbles())


def test_admission_that_empties_a_message_is_charged(long):
    @dataclass(frozen=True)
    class Empties(Strategy):
        def admit(self, batch, window):
            return [window.replace(message, text=" ") for message in batch]

    assert run(scenario(long), Empties(), window=64_000).row.invalid == 1  # the user's message


def test_a_ladder_that_renders_counts_its_passes_in_whole_views(long):
    ladder = strategy("ladder:observation-masking>prune[keep_tokens=100]>keep-last")
    stages = [stage for row in run(scenario(long), ladder).rows.passes for stage in row.rungs]
    assert stages
    assert all(was > 0 and now > 0 for _, was, now in stages)


def test_rendering_is_priced_and_its_invalidations_have_their_own_cause(long):
    @dataclass(frozen=True)
    class Masks(Strategy):
        def render(self, window):
            *old, last = window.messages
            return [*(m if m.role != "tool" else window.replace(m, text="-") for m in old), last]

    result = run(scenario(long), Masks(), window=64_000)
    assert result.row.passes == 0
    assert result.row.mean_size < run(scenario(long), NoCompaction(), window=64_000).row.mean_size
    assert {step.cause for step in result.rows.steps if step.lost} == {"render"}


def test_openai_sends_the_reasoning_of_a_finished_turn_no_more(talk):
    thought = Reasoning("because " * 400)
    messages = [
        replace(m, parts=(thought, *m.parts)) if m.role == "assistant" else m
        for m in talk("ucccuccc", size=60)
    ]
    what = scenario(messages)
    whole = run(what, NoCompaction(), window=64_000, profile="none").rows.steps
    steps = run(what, NoCompaction(), window=64_000, profile="openai").rows.steps
    assert [step.size for step in steps[:3]] == [step.size for step in whole[:3]]
    assert whole[3].size - steps[3].size == 3 * 401
    assert [step.cause for step in steps if step.lost] == ["prefix drift"]


def test_idle_time_is_the_cause_before_any_other(long):
    late = [replace(m, time=0.0 if at < 70 else 1_000.0) for at, m in enumerate(long)]
    result = run(scenario(late), NoCompaction(), window=64_000)
    assert [step.cause for step in result.rows.steps if step.lost] == ["ttl"]


def test_an_unknown_price_is_null_not_zero(long):
    what = scenario(long)
    unknown = Scenario("t", replace(what.trace, model="nobody-knows"), windows=(64_000,))
    assert dollars(unknown, Halve()) is None
    assert dollars(unknown, Halve(), price_model="claude-sonnet-4-5") > 0


def probed(messages):
    return scenario(
        messages,
        probes=(
            Probe("task", "goal", "What is the task?", "u0", "m0"),
            Probe("early", "fact", "What was read third?", "c3 ", "m3r"),
            Probe("late", "fact", "What was read at the end?", "c40 ", "m40r", forbid=("c1 ",)),
        ),
    )


@pytest.mark.parametrize("strategy", [Halve(), Floor(), NoCompaction()])
def test_floor_is_at_most_a_strategy_is_at_most_the_ceiling(long, strategy):
    what = probed(long)
    floor = run(what, Floor()).row
    ceiling = run(what, NoCompaction(), window=UNLIMITED).row
    row = run(what, strategy, window=UNLIMITED if strategy == NoCompaction() else 0).row
    assert floor.retained_end <= row.retained_end <= ceiling.retained_end == 1.0
    assert floor.retained_end < 1.0


def test_probes_are_asked_after_each_pass_of_what_was_stated_so_far(long):
    rows = run(probed(long), Halve()).rows
    for number in range(1, len(rows.passes) + 1):
        assert {row.probe for row in rows.probes if row.number == number} == {"task", "early"}
    end = {row.probe: row for row in rows.probes if row.number == 0}
    assert set(end) == {"task", "early"}  # the last result comes after the last call
    assert end["early"].status == "missing"
    assert end["early"].distance > 0
