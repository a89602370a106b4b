"""A transcript file as a stream of JSON values with line numbers, bounded and tolerant."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.trace import Repair

MAX_FILE = 1 << 29  #: bytes after decompression
MAX_LINE = 64 << 20  #: bytes

_DECODER = json.JSONDecoder(strict=False)
_BLANK = " \t\r\n"
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r"})


class NotJSON(BenchError):
    """The file is text of another kind."""


class Source:
    """One file. ``repairs`` grows while ``values`` is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stem = Path(path.name.removesuffix(".gz")).stem
        self.repairs: list[Repair] = []

    def error(self, what: str, *, line: int = 0, hint: str = "") -> BenchError:
        """Make the error that names this file, and the line if there is one."""
        where = f"{self.path}, line {line}" if line else str(self.path)
        return BenchError(what, where=where, hint=hint)

    def values(self) -> Iterator[tuple[int, Any]]:
        """Yield every JSON value with its line, several from one line where they stand there.

        A broken line is an error, but for the last one, where the writer was cut off. A file that
        does not begin with a whole value is read as one document over all its lines.
        """
        good = False
        torn: tuple[int, ValueError] | None = None
        for line, text in self._texts():
            if torn:
                raise self._broken(*torn)
            at = 0
            try:
                while at < len(text):
                    value, at = self._value(line, text, at)
                    yield line, value
                    good = True
            except ValueError as fault:
                if not good:
                    yield line, self._document(text)
                    return
                torn = line, fault
        if torn:
            self._mend(torn[0], "the last line is cut off and was left out")
        elif not good:
            raise self.error("the file is empty")

    def _value(self, line: int, text: str, at: int) -> tuple[Any, int]:
        """Decode the value that starts at ``at``; also say where the next one starts."""
        try:
            value, end = _DECODER.raw_decode(text, at)
            value = self._mended(line, text, value)
        except RecursionError:
            raise self._deep(line) from None
        while end < len(text) and text[end] in _BLANK:
            end += 1
        return value, end

    def _document(self, first: str) -> Any:
        """Decode the whole file as one value; ``first`` is the line that is none by itself."""
        if first[0] not in "{[":
            raise NotJSON("not JSON", where=str(self.path), hint=f"it begins {first[:40]!r}")
        self.repairs.clear()
        text = "\n".join(text for _, text in self._texts(blank=True))
        try:
            return self._mended(1, text, json.loads(text))
        except RecursionError:
            raise self._deep(1) from None
        except ValueError as fault:
            raise self._broken(getattr(fault, "lineno", 1), fault) from None

    def _mended(self, line: int, text: str, value: Any) -> Any:
        if "\\ud" not in text and "\\uD" not in text:
            return value
        mended = _without_lone_surrogates(value)
        if mended != value:
            self._mend(line, "half a surrogate pair, replaced by U+FFFD")
        return mended

    def _deep(self, line: int) -> BenchError:
        return self.error("JSON nested too deeply", line=line)

    def _broken(self, line: int, fault: ValueError) -> BenchError:
        what = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
        return self.error(f"broken JSON ({what})", line=line)

    def _mend(self, line: int, why: str) -> None:
        self.repairs.append(Repair(f"line {line}", why))

    def _texts(self, *, blank: bool = False) -> Iterator[tuple[int, str]]:
        """Yield the lines as text without their ends; blank ones only if asked for."""
        for line, raw in self._lines():
            if line == 1:
                if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise self.error("UTF-16 text", hint="convert it to UTF-8")
                raw = raw.removeprefix(codecs.BOM_UTF8)
                if _binary(raw):
                    raise self.error("binary data, not a transcript")
            if b"\0" in raw:
                self._mend(line, "NUL bytes, left out")
                raw = raw.replace(b"\0", b"")
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                self._mend(line, "bytes that are not UTF-8, replaced by U+FFFD")
                text = raw.decode(errors="replace")
            text = text.strip(_BLANK)
            if text or blank:
                yield line, text

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        total = 0
        try:
            if not self.path.exists():
                raise self.error("no such file")
            if not self.path.is_file():
                kind = "a directory" if self.path.is_dir() else "not a regular file"
                raise self.error(kind, hint="give one transcript file")
            with self.path.open("rb") as plain:
                packed = plain.peek(2)[:2] == b"\x1f\x8b"
                stream = gzip.GzipFile(fileobj=plain) if packed else plain
                for line in count(1):
                    raw = stream.readline(MAX_LINE + 1)
                    if not raw:
                        return
                    total += len(raw)
                    if len(raw) > MAX_LINE:
                        raise self.error(f"a line of more than {MAX_LINE >> 20} MB", line=line)
                    if total > MAX_FILE:
                        raise self.error(f"more than {MAX_FILE >> 20} MB of text", line=line)
                    yield line, raw
        except (OSError, EOFError, zlib.error) as fault:
            reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
            raise self.error(f"cannot be read ({reason})") from None


def _binary(head: bytes) -> bool:
    """Whether control characters that no text has make up a tenth of the first line."""
    sample = head[:4096].lstrip(b"\0")
    plain = sample.translate(None, delete=_CONTROLS)
    return bool(sample) and (len(sample) - len(plain)) * 10 >= len(sample)


def _without_lone_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {
            _without_lone_surrogates(key): _without_lone_surrogates(item)
            for key, item in value.items()
        }
    return value
