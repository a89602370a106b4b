"""Texts kept outside the view, found again by a handle made of their content."""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from pathlib import Path
from tempfile import mkstemp

from bench.errors import BenchError

_HANDLE = re.compile(r"archive:([0-9a-f]{16})")


class Archive:
    """Content-addressed texts, in memory or as files of one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._texts: dict[str, bytes] = {}

    def put(self, text: str) -> str:
        """Keep a text; the same text always has the same handle."""
        content = text.encode("utf-8", "surrogatepass")
        key = _key(content)
        if self.folder is None:
            self._texts[key] = content
        elif not self._file(self.folder, key).exists():
            _write(self._file(self.folder, key), content)
        return f"archive:{key}"

    def get(self, handle: str) -> str:
        """The text behind a handle, byte for byte."""
        if _HANDLE.fullmatch(handle) is None:
            raise BenchError(
                f"{handle[:80]!r} is not a handle of the archive",
                hint="handles look like archive:1a2b3c4d5e6f7a8b",
            )
        text = self.find(handle)
        if text is None:
            raise BenchError("nothing is archived under this handle", where=handle)
        return text

    def find(self, handle: str) -> str | None:
        """The text behind a handle, None where it is not a handle or not one of this archive."""
        found = _HANDLE.fullmatch(handle)
        content = self._read(found[1]) if found else None
        if found is None or content is None:
            return None
        if self.folder is not None and _key(content) != found[1]:
            raise BenchError("the archived text was changed on disk", where=handle)
        return content.decode("utf-8", "surrogatepass")

    def _read(self, key: str) -> bytes | None:
        if self.folder is None:
            return self._texts.get(key)
        try:
            return self._file(self.folder, key).read_bytes()
        except FileNotFoundError:
            return None

    @staticmethod
    def _file(folder: Path, key: str) -> Path:
        return folder / f"{key}.txt"


def _key(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a whole file or none: a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
