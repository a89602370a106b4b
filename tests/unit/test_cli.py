"""The command line: what is printed, and one clear line with exit code 2 for every mistake."""

import gzip
import json
import os
import subprocess
import sys

import pytest

from bench.run.plan import window
from bench.window import UNLIMITED


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Runs are kept in the current folder."""
    monkeypatch.chdir(tmp_path)


def command(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "bench", *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", **environment},
        timeout=120,
        check=False,
    )


SHORT = ("run", "--scenario", "generated[steps=60]", "--window", "16k")


def test_a_table_with_floor_and_ceiling_fits_eighty_columns():
    done = command(*SHORT, "-s", "harness-zero", "-s", "goose-like", "-s", "observation-masking")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "summ. $" in done.stdout
    body = [line.split()[0] for line in lines[4:] if line.strip()]
    assert body[0] == "floor"
    assert "none (unlimited)" in done.stdout
    assert "Simulated" in done.stdout


def test_progress_is_plain_lines_on_the_other_stream():
    done = command(*SHORT, "-s", "keep-last")
    assert done.stderr.splitlines()[0].startswith("1/3 generated[seed=7,steps=60] floor 16k: ok")
    assert "\x1b" not in done.stderr + done.stdout


def test_verbose_shows_every_pass():
    done = command("run", "-s", "harness-zero", "--window", "32k", "-v")
    assert "pass 1 (threshold) applied" in done.stderr
    assert "Prune" in done.stderr


def test_json_is_the_same_bytes_under_any_hash_seed():
    specs = ("keep-last", "harness-zero", "goose-like", "openhands-like", "codex-like")
    words = [word for spec in specs for word in ("-s", spec)]
    first, second = (command(*SHORT, "--json", *words, PYTHONHASHSEED=seed) for seed in "17")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    document = json.loads(first.stdout)
    assert [cell["strategy"] for cell in document["cells"]] == ["floor", *specs, "none"]
    assert document["cells"][1]["log"]


WRONG = {
    "unknown strategy": (("run", "-s", "gose-like"), "did you mean goose-like"),
    "unknown scenario": (("run", "--scenario", "generatd"), "did you mean generated"),
    "unknown parameter": (("run", "-s", "keep-last[size=3]"), "there are trigger, target"),
    "bad value": (("run", "-s", "keep-last[target=much]"), "'much' is not"),
    "bad window": (("run", "--window", "64x"), "is not a window"),
    "window below the pinned part": (("run", "--window", "50"), "choose a larger --window"),
    "unknown profile": (("run", "--profile", "antropic"), "there are anthropic, openai, none"),
    "unknown summariser": (("run", "--summariser", "gpt"), "extractive"),
    "no price": (("run", "--price-model", "claude-sonet-4-5"), "claude-sonnet-4-5"),
    "no steps": (("run", "--scenario", "generated[steps=0]"), "without steps"),
    "endless number": (("run", "--window", "9" * 5000), "is not a window"),
    "endless name": (("run", "--scenario", "x" * 5000), "no scenario"),
    "not a number": (("run", "-s", "keep-last[target=nan]"), "is not"),
    "empty ladder": (("run", "-s", "ladder:"), "a ladder needs rungs"),
    "no file": (("import", "nowhere.jsonl"), "nowhere.jsonl"),
    "unknown command": (("rnu",), "No such command"),
    "file without a strategy": (("run", "-s", "setup.py:Thing"), "no such file"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_one_line_and_exit_code_2(words, said):
    done = command(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if words[0] != "rnu":
        assert done.stderr.count("\n") == 1


BAD_FILES = {
    "empty": (b"", "empty"),
    "broken JSON": (b'{"role": "user", "content": "a"}\n{"role": \n{"role": "user"}\n', "line 2"),
    "not a session": (b'{"a": 1}\n', "known are claude-code"),
    "no steps": (b'{"role": "user", "content": "a"}\n', "without steps"),
    "binary": (bytes(range(256)) * 10, ""),
    "torn gzip": (gzip.compress(b"x" * 10_000)[:40], ""),
}


@pytest.mark.parametrize(("content", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_one_line_and_exit_code_2(tmp_path, content, said):
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    for words in (("import", path), ("run", "--scenario", path)):
        done = command(*words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "session.jsonl" in done.stderr
        assert said in done.stderr


def test_a_strategy_of_ones_own_runs_from_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        '"""Mine."""\n'
        "from dataclasses import dataclass\n"
        "from bench import Strategy\n\n\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Strategy):\n"
        "    share: float = 0.5\n\n"
        "    def compact(self, window):\n"
        "        return window.opened(window.last(self.share * window.budget))\n"
    )
    done = command(*SHORT, "--json", "-s", f"{path}:Mine[share=0.25]")
    assert done.returncode == 0, done.stderr
    cell = json.loads(done.stdout)["cells"][1]
    assert (cell["status"], cell["strategy"]) == ("ok", f"{path}:Mine[share=0.25]")
    assert cell["passes"] > 0


def test_a_finished_run_is_shown_and_reported_again():
    first = command(*SHORT, "-s", "harness-zero")
    assert command("report").stdout == first.stdout
    assert "| strategy |" in command("report", "--markdown").stdout
    assert "harness-zero  ok" in command("show").stdout
    shown = command("show", "latest", "harness-zero").stdout
    assert "at the end" in shown
    assert command("doctor").returncode == 0
    nowhere = command("show", "nowhere")
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (2, 1)


def test_names_with_brackets_are_shown_whole():
    done = command(*SHORT, "-s", "keep-last[target=0.3]", "-s", "keep-last[target=0.1234567]")
    for shown in ("generated[seed=7,steps=60]", "keep-last[target=0.3]", "keep-last[target=0.1234"):
        assert shown in done.stdout


def test_a_terminal_that_knows_only_ascii_is_served():
    done = command(*SHORT, "-s", "keep-last", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "keep-last" in done.stdout


def test_list_and_import_say_what_there_is(tmp_path):
    assert "goose-like" in command("list").stdout
    assert "generated" in command("list", "scenarios").stdout
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n')
    assert "1 steps, 2 messages" in command("import", path).stdout


@pytest.mark.parametrize(
    ("text", "size"),
    [("64k", 64_000), ("200_000", 200_000), ("1M", 1_000_000), ("unlimited", UNLIMITED)],
)
def test_windows_as_people_write_them(text, size):
    assert window(text) == size
