"""Results on disk: the same bytes whatever happened on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

import bench
from bench.errors import BenchError
from bench.run import store
from bench.run.plan import Plan, Settings
from bench.run.runner import Runner
from bench.run.store import Store
from strategies.floor import Floor
from strategies.keep_last import KeepLast
from strategies.none import NoCompaction

VARIES = {"manifest.json", "timing.jsonl", ".lock"}
SMALL = ["--scenario", "generated[steps=60]", "--window", "16k"]


def plan(**parts):
    from bench import catalogue

    return Plan(
        catalogue.scenarios("generated[steps=60]"),
        (("keep-last", parts.get("strategy", KeepLast())),),
        floor=("floor", Floor()),
        ceiling=("none", NoCompaction()),
        windows=(16_000,),
        settings=parts.get("settings", Settings()),
    )


def play(folder, **parts):
    with Store(folder) as kept:
        stored = list(Runner(plan(**parts)).play(kept))
    return kept, stored


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in VARIES)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_same_run_twice_is_the_same_bytes(tmp_path):
    play(tmp_path / "a")
    play(tmp_path / "b")
    first = contents(tmp_path / "a")
    assert first == contents(tmp_path / "b")
    play(tmp_path / "a")
    assert first == contents(tmp_path / "a")
    timing = (tmp_path / "a" / "timing.jsonl").read_text().splitlines()
    assert len(timing) == 3  # the second time nothing was run


def test_what_was_kept_is_read_back_as_it_was(tmp_path):
    _, played = play(tmp_path)
    assert store.cells(tmp_path) == played
    again = [Runner(plan()).run(cell) for cell in Runner(plan()).cells]
    assert [one.result for one in played] == again


@pytest.mark.parametrize(
    "harm", [lambda b: b[:-40], lambda b: b"", lambda b: b.replace(b"1", b"2")]
)
def test_a_torn_spool_file_is_said_and_run_again(tmp_path, harm):
    play(tmp_path)
    whole = contents(tmp_path)
    spool = sorted((tmp_path / "cells").iterdir())[1]
    spool.write_bytes(harm(spool.read_bytes()))
    kept, _ = play(tmp_path)
    assert kept.torn == [spool.name]
    assert contents(tmp_path) == whole


def test_a_folder_of_another_run_is_refused_with_what_differs(tmp_path):
    play(tmp_path)
    with pytest.raises(BenchError, match=r"another run: .*0\.25") as refused:
        play(tmp_path, strategy=KeepLast(target=0.25))
    assert "\n" not in str(refused.value)


def test_a_second_process_on_a_run_folder_is_refused(tmp_path):
    with Store(tmp_path), pytest.raises(BenchError, match="another process"), Store(tmp_path):
        pass
    with Store(tmp_path):
        pass


def test_everything_that_changes_an_answer_changes_the_key():
    def keys(**parts):
        runner = Runner(plan(**parts))
        manifest = runner.manifest()
        return {manifest.key(cell, 1024) for cell in runner.cells}

    usual = keys()
    assert usual == keys()
    assert len(usual) == 3
    assert len(usual - keys(strategy=KeepLast(target=0.3))) == 1
    assert not usual & keys(settings=Settings(profile="none"))
    assert not usual & keys(settings=Settings(summariser="broken:empty"))
    assert not usual & keys(settings=Settings(encoding="cl100k_base"))


def test_runs_load_as_frames(tmp_path):
    play(tmp_path)
    frames = bench.load(tmp_path)
    assert list(frames.cells.strategy) == ["floor", "keep-last", "none"]
    assert (frames.cells.dollars > 0).all()
    steps = frames.steps[frames.steps.strategy == "keep-last"]
    assert (steps["read"] + steps["write"] + steps["uncached"] == steps["size"]).all()
    assert set(frames.probes.status) <= {"retained", "changed", "recoverable", "stale", "missing"}


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 99}', "[]"])
def test_a_foreign_manifest_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(BenchError):
        store.manifest(tmp_path)


def start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench", "run", *SMALL, "--json", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80"},
    )


def test_killed_at_any_moment_the_same_command_ends_in_the_same_bytes(tmp_path):
    begun = time.monotonic()
    out, _ = start(tmp_path / "whole").communicate(timeout=120)
    took = time.monotonic() - begun
    whole = contents(tmp_path / "whole")
    random = Random(5)
    for number in range(6):
        folder = tmp_path / str(number)
        victim = start(folder)
        time.sleep(random.uniform(0.3, 1.0) * took)
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        again, _ = start(folder).communicate(timeout=120)
        assert json.loads(again) == json.loads(out)
        assert contents(folder) == whole


def test_interrupted_it_says_how_to_go_on(tmp_path):
    command = [sys.executable, "-m", "bench", "run", "--scenario", "generated[steps=3000]"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not list((tmp_path / "cells").glob("*.jsonl")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"the same command goes on" in said
    assert b"Traceback" not in said
    assert store.cells(tmp_path)
