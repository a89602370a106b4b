"""The archive: one handle a text, and no way from a handle to a file that is not its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.services.archive import Archive


@pytest.fixture(params=["memory", "folder"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    return Archive() if request.param == "memory" else Archive(tmp_path / "archive")


@pytest.mark.parametrize("text", ["", "one\r\ntwo\n", "\ud800 lone", "漢字 🙂", "\0"])
def test_round_trip(archive: Archive, text: str) -> None:
    handle = archive.put(text)
    assert len(handle) == len("archive:1a2b3c4d5e6f7a8b")
    assert archive.get(handle) == text
    assert archive.put(text) == handle


@pytest.mark.parametrize(
    "handle",
    ["", "archive:", "archive:../../etc/passwd", "archive:1A2B3C4D5E6F7A8B", "1a2b3c4d5e6f7a8b",
     "archive:1a2b3c4d5e6f7a8b\n", "archive:1a2b3c4d5e6f7a8b/..", "archive:1a2b3c4d5e6f7a8٣"],
)  # fmt: skip
def test_what_is_not_a_handle(archive: Archive, handle: str) -> None:
    with pytest.raises(BenchError, match="is not a handle"):
        archive.get(handle)
    assert archive.find(handle) is None


def test_a_handle_of_another_archive(archive: Archive) -> None:
    with pytest.raises(BenchError, match="nothing is archived"):
        archive.get("archive:1a2b3c4d5e6f7a8b")
    assert archive.find("archive:1a2b3c4d5e6f7a8b") is None


def test_a_folder_holds_whole_files_and_nothing_else(tmp_path: Path) -> None:
    first = Archive(tmp_path)
    handle = first.put("kept")
    assert [path.name for path in tmp_path.iterdir()] == [f"{handle.partition(':')[2]}.txt"]
    assert Archive(tmp_path).get(handle) == "kept"


def test_a_text_that_was_changed_on_disk_is_not_given(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    handle = archive.put("kept")
    next(tmp_path.iterdir()).write_text("other")
    with pytest.raises(BenchError, match="changed on disk"):
        archive.get(handle)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        Archive(tmp_path).put("kept")
    assert list(tmp_path.iterdir()) == []
