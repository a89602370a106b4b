"""The recorded scenario is what it says, and so is the place where its facts are lost."""

import sys
from pathlib import Path

import pytest

from bench import catalogue, registry
from bench.measure.probes import occurs, visible
from bench.run.plan import Plan
from bench.run.recorder import written
from bench.run.runner import Runner
from bench.services.tokens import Tokens

LIKE = [name for name in registry.names() if name.endswith("-like")]


@pytest.fixture(scope="module")
def scenario():
    return catalogue.scenarios("auth-cookie")[0]


def test_it_is_long_and_full(scenario):
    tokens = Tokens()
    assert scenario.trace.steps >= 120
    assert sum(map(tokens.message, scenario.trace.messages)) >= 130_000
    assert len(scenario.probes) >= 12
    assert scenario.windows == (64_000,)


def test_every_value_stands_in_its_source_and_in_no_later_message(scenario):
    order = {message.id: at for at, message in enumerate(scenario.trace.messages)}
    texts = [visible(message) for message in scenario.trace.messages]
    pinned = "\n".join(map(visible, scenario.trace.pinned))
    for probe in scenario.probes:
        at = order[probe.source]
        assert occurs(probe.expect, texts[at]), probe.id
        assert not occurs(probe.expect, pinned), probe.id
        assert not [n for n in range(at + 1, len(texts)) if occurs(probe.expect, texts[n])], (
            probe.id
        )
        for stale in probe.forbid:
            assert not [n for n in range(at + 1, len(texts)) if occurs(stale, texts[n])], probe.id
            assert any(occurs(stale, text) for text in texts[: at + 1]), probe.id


@pytest.fixture(scope="module")
def results(scenario):
    plan = Plan(
        (scenario,),
        tuple((name, registry.strategy(name)) for name in registry.names()),
        floor=("floor", registry.strategy("floor")),
        ceiling=("none", registry.strategy("none")),
    )
    runner = Runner(plan)
    return {(cell.label, cell.limit == 64_000): runner.run(cell) for cell in runner.cells}


@pytest.mark.parametrize("name", LIKE)
def test_the_window_fills_more_than_twice(results, name):
    assert results[name, True].row.passes >= 2


def test_floor_and_ceiling_bound_every_row(results):
    floor = results["floor", True].row.retained_end
    ceiling = results["none", False].row.retained_end
    assert ceiling == 1.0
    assert all(
        floor <= result.row.retained_end <= ceiling
        for result in results.values()
        if result.row.status == "ok"
    )


def test_it_is_told_which_pass_and_rung_lost_the_state_of_auth_py(results):
    for name, by in (("goose-like", "compact"), ("harness-zero", "Summarise")):
        rows = [row for row in results[name, True].rows.probes if row.probe == "auth-state"]
        lost = next(row for row in rows if row.status != "retained")
        assert lost.by == by
        assert lost.number > 0


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="tracebacks look different in other versions of Python"
)
def test_recording_it_again_gives_the_same_bytes():
    folder = catalogue.folder("auth-cookie")
    assert written(folder) == (folder / "trace.jsonl").read_text(encoding="utf-8")


def test_the_recorder_is_bounded_and_tells_true_failures(tmp_path):
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "a.txt").write_text("one\ntwo\ntwo\n")
    (tmp_path / "script.toml").write_text(
        'clock = 1000\nmodel = "m"\nsystem = "s"\n'
        '[[step]]\nuser = "go"\nidle = 5\n'
        '[[step]]\nsay = "look"\ncalls = [{tool = "read", path = "a.txt"}]\n'
        '[[step]]\ncalls = [{tool = "edit", path = "a.txt", old = "two", new = "2"}]\n'
        '[[step]]\ncalls = [{tool = "edit", path = "a.txt", old = "one", new = "1"}]\n'
        '[[step]]\ncalls = [{tool = "bash", command = "pwd; cat a.txt; exit 3"}]\n'
        '[[step]]\ncalls = [{tool = "read", path = "../../etc/passwd"}]\n'
        '[[step]]\ncalls = [{tool = "bash", command = "yes | head -c 40000"}]\n'
    )
    lines = written(tmp_path)
    assert lines == written(tmp_path)
    from bench.run.recorder import record

    trace = record(tmp_path)
    results = [message for message in trace.messages if message.role == "tool"]
    assert [message.error for message in results] == [False, True, False, False, True, False]
    assert "stands 2 times" in results[1].text
    assert results[3].text == "/work/project\n1\ntwo\ntwo\n\n[exit code 3]"
    assert "lies outside" in results[4].text
    assert results[5].text.endswith("more characters]")
    assert [(event.path, event.content) for event in trace.events] == [("a.txt", "1\ntwo\ntwo\n")]
    assert str(Path(tmp_path)) not in lines
