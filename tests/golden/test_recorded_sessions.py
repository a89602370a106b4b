"""Every recorded session at hand: each cell ends in a status, none in a crash."""

from pathlib import Path

import pytest

from bench import catalogue, registry
from bench.run.plan import Plan
from bench.run.runner import Runner

TRACES = Path(__file__).parents[3] / "shared" / "traces"
FILES = sorted(
    path
    for folder in ("claude-code", "openai-chat", "swe-agent")
    for path in (TRACES / folder).glob("*")
)


@pytest.mark.skipif(not FILES, reason="the recorded sessions are not at hand")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_cell_ends_in_a_status(path):
    plan = Plan(
        catalogue.scenarios(str(path)),
        tuple((name, registry.strategy(name)) for name in registry.names()),
        floor=("floor", registry.strategy("floor")),
        ceiling=("none", registry.strategy("none")),
        windows=(32_000, 64_000),
    )
    runner = Runner(plan)
    for cell in runner.cells:
        result = runner.run(cell)
        row = result.row
        assert row.status in ("ok", "refused"), row
        assert (row.status == "ok") == (row.answered == row.steps)
        assert row.invalid == 0, row
        assert row.failed == 0, row
        for step in result.rows.steps:
            assert step.refused or step.read + step.write + step.uncached == step.size
        if row.limit is None:
            assert row.answered == row.steps
