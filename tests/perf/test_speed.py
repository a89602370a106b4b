"""Speed against the bars of the design: run by ``make perf``, never by the tests.

Every figure is a ratio to one tokenisation pass over the trace. *cold* is a cell with nothing
counted before; *beyond* is the same with every distinct text already counted and summaries
that cost nothing, so what is left is the suite's own work and the strategy's. Bars hold for
cells without faults so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import catalogue, registry
from bench.run.plan import Cell, Plan, Settings
from bench.run.runner import Runner
from bench.scenario import Scenario
from bench.services.tokens import PIECE, Tokens
from bench.trace import Text, ToolCall

WINDOW = 64_000
BARS = {1_000: 0.4, 10_000: 0.7}  # beyond, by steps; 1.0 for strategies that render
GROWTH = 1.2  # time a step at 10,000 steps against 1,000, without faults
TRACES = Path("../shared/traces/claude-code")
NAMES = registry.names()
SIZES = ("longest", 1_000, 10_000)

Figures = dict[tuple[object, str], dict[str, float]]


@pytest.fixture(scope="module")
def scenarios() -> dict[object, Scenario]:
    """The longest recorded trace at hand, and generated ones of two lengths."""
    made: dict[object, Scenario] = {
        steps: catalogue.scenarios(f"generated[steps={steps}]")[0] for steps in (1_000, 10_000)
    }
    if TRACES.is_dir():
        found = [s for path in sorted(TRACES.glob("*")) for s in catalogue.scenarios(str(path))]
        made["longest"] = max(found, key=lambda s: sum(map(len, texts(s))))
    return made


@pytest.fixture(scope="module")
def figures() -> Iterator[Figures]:
    """Collects the figures and prints them at the end, beside their bars."""
    rows: Figures = {}
    yield rows
    for size in SIZES:
        shown = {name: row for (at, name), row in rows.items() if at == size and name}
        if not shown:
            continue
        floor = rows[size, ""]
        print(f"\n{size} steps: one tokenisation pass {floor['seconds'] * 1000:.0f} ms")
        print(f"{'strategy':<22}{'cold':>7}{'beyond':>8}{'bar':>6}{'us/step':>9}{'growth':>8}")
        for name, row in shown.items():
            before = rows.get((1_000, name)) if size == 10_000 else None
            growth = f"{row['step'] / before['step']:8.2f}" if before else ""
            print(
                f"{name:<22}{row['cold']:7.2f}{row['beyond']:8.2f}{row['bar']:6.1f}"
                f"{row['step'] * 1e6:9.0f}{growth}"
            )
    print(f"\nbar of growth: {GROWTH}")


def texts(scenario: Scenario) -> list[str]:
    """The distinct texts of a trace."""
    found: dict[str, None] = {}
    for message in scenario.trace.messages:
        for part in message.parts:
            if isinstance(part, Text):
                found[part.text] = None
            elif isinstance(part, ToolCall):
                found[part.arguments] = None
    return list(found)


class Instant:
    """Stands for a model: the same words whatever it is asked."""

    name = "instant"

    def summarise(self, contract, source, cap, tokens):
        return "The work goes on; the files are as they were left."


def cell(scenario: Scenario, name: str, tokens: Tokens, *, instant: bool = True) -> float:
    """Run one cell from scratch but for what ``tokens`` knows; the number of its steps."""
    strategy = registry.strategy(name)
    plan = Plan(
        (scenario,),
        ((name, strategy),),
        floor=(name, strategy),
        ceiling=(name, strategy),
        settings=Settings(),
    )
    runner = Runner(plan)
    runner._tokens = tokens
    if instant:
        runner._summariser = Instant()
    return runner.run(Cell(scenario, name, strategy, WINDOW)).row.steps


@pytest.mark.parametrize("size", SIZES)
def test_tokenise(benchmark, scenarios, figures, size):
    if size not in scenarios:
        pytest.skip("no recorded traces at hand")
    encode = Tokens()._encode
    pieces = [
        text[at : at + PIECE]
        for text in texts(scenarios[size])
        for at in range(0, len(text), PIECE)
    ]
    benchmark.pedantic(lambda: [encode(piece) for piece in pieces], rounds=3, warmup_rounds=1)
    figures[size, ""] = {"seconds": benchmark.stats.stats.min}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", SIZES)
def test_cell(benchmark, scenarios, figures, size, name):
    if (size, "") not in figures:
        pytest.skip("no recorded traces at hand, or no tokenisation pass to compare with")
    scenario = scenarios[size]
    known = Tokens()
    cell(scenario, name, known)
    floor = figures[size, ""]["seconds"]

    def counted():
        tokens = Tokens()
        tokens._texts.update(known._texts)
        return (scenario, name, tokens), {}

    benchmark.pedantic(cell, setup=counted, rounds=3)
    beyond = benchmark.stats.stats.min
    from time import perf_counter

    fresh = Tokens()
    fresh._encode  # noqa: B018 (loaded once a process, so not a part of a cell)
    start = perf_counter()
    steps = cell(scenario, name, fresh, instant=False)
    cold = perf_counter() - start
    bar = 1.0 if registry.strategy(name).renders else BARS.get(size, 0.4)
    figures[size, name] = {
        "cold": cold / floor,
        "beyond": beyond / floor,
        "bar": bar,
        "step": beyond / steps,
    }
