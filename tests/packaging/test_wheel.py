"""The wheel holds what a run needs: built, installed elsewhere, one cell run."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*words, **parts):
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **parts,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_installed_elsewhere_runs_a_cell(tmp_path):
    pip = ("-m", "pip", "--disable-pip-version-check", "--quiet")
    python(
        *pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path / "wheel", ROOT
    )
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    python(*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel)
    elsewhere = {
        "cwd": tmp_path,
        "env": {**os.environ, "PYTHONPATH": str(tmp_path / "site")},
    }
    where = python("-c", "import bench, sys; sys.stdout.write(bench.__file__)", **elsewhere)
    assert Path(where).is_relative_to(tmp_path / "site")
    assert not (tmp_path / "site" / "tests").exists()
    run = ("-m", "bench", "run", "--scenario", "generated", "-s", "harness-zero", "--json")
    cells = json.loads(python(*run, **elsewhere))["cells"]
    assert [cell["status"] for cell in cells] == ["ok", "ok", "ok"]
    assert "goose-like" in python("-m", "bench", "list", **elsewhere)
