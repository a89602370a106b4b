"""How many tokens a text or a message takes; each distinct text is encoded once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b, sha256
from importlib.metadata import version
from pathlib import Path

from bench.errors import BenchError
from bench.services import bundled
from bench.trace import Image, Message, Opaque, Part, Reasoning, Text, ToolCall

PIECE = 100_000  #: characters encoded at a time: a run of a million blanks makes tiktoken panic
MESSAGE = 4  #: tokens around every message
CALL = 4  #: tokens around every tool call
SIDE = 1568  #: pixels that a longer side of an image is scaled down to
IMAGE = 1600  #: most tokens of an image, and those of one whose size is unknown

# tiktoken names a cached vocabulary by the SHA-1 of its address, and checks this SHA-256.
VOCABULARIES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


class Tokens:
    """Counts with one tiktoken encoding, offline.

    A text longer than ``PIECE`` counts as the sum of its pieces. The vocabulary is loaded at the
    first text; messages are remembered by identity and kept alive by that.
    """

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in VOCABULARIES:
            raise BenchError(
                f"unknown encoding {encoding!r}", hint=f"choose one of {', '.join(VOCABULARIES)}"
            )
        self.encoding = encoding
        self.chars_encoded = 0  #: characters that were really sent to tiktoken
        self._folder = _holding(encoding)
        self._texts: dict[bytes, int] = {}
        self._messages: dict[Message, int] = {}

    @property
    def fingerprint(self) -> str:
        """What the counts depend on: encoding, tiktoken's version, hash of the vocabulary."""
        return (
            f"{self.encoding}/tiktoken-{version('tiktoken')}/{VOCABULARIES[self.encoding][1][:12]}"
        )

    def text(self, text: str) -> int:
        """Tokens of a text."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        count = self._texts.get(key)
        if count is None:
            encode = self._encode
            count = sum(
                len(encode(text[start : start + PIECE])) for start in range(0, len(text), PIECE)
            )
            self._texts[key] = count
            self.chars_encoded += len(text)
        return count

    def message(self, message: Message) -> int:
        """Tokens of a message: its parts and what a provider wraps around them."""
        count = self._messages.get(message)
        if count is None:
            count = self._messages[message] = MESSAGE + sum(map(self._part, message.parts))
        return count

    def tools(self, schemas: Sequence[str]) -> int:
        """Tokens of tool schemas, given as JSON text."""
        return sum(map(self.text, schemas))

    def _part(self, part: Part) -> int:
        match part:
            case Text():
                return self.text(part.text)
            case ToolCall():
                return CALL + self.text(part.name) + self.text(part.arguments)
            case Reasoning(signature=""):
                return self.text(part.text)
            case Reasoning():
                # Shown words are a summary of what is billed: fitted on bills, see the docs.
                return round(0.16 * len(part.signature) + 0.29 * self.text(part.text))
            case Image():
                return _image(part.width, part.height)
            case Opaque():
                return part.tokens

    @cached_property
    def _encode(self) -> Callable[[str], list[int]]:
        import tiktoken

        with _cache_folder(self._folder):
            return tiktoken.get_encoding(self.encoding).encode_ordinary


def _image(width: int, height: int) -> int:
    """Anthropic's documented rule, in whole numbers: pixels / 750 once scaled to fit."""
    longer = max(width, height)
    if min(width, height) <= 0:
        return IMAGE
    pixels, parts = width * height, 750
    if longer > SIDE:
        pixels, parts = pixels * SIDE**2, parts * longer**2
    return min(IMAGE, -(-pixels // parts))


def _holding(encoding: str) -> Path:
    """The folder with the vocabulary: the user's own if it is there, else litellm's."""
    name, digest = VOCABULARIES[encoding]
    own = os.environ.get("TIKTOKEN_CACHE_DIR")
    folders = [Path(own)] if own else []
    folders.append(bundled.folder() / "litellm_core_utils" / "tokenizers")
    for folder in folders:
        file = folder / name
        # A file that fails its check would make tiktoken delete it and go to the network.
        if file.is_file() and sha256(file.read_bytes()).hexdigest() == digest:
            return folder
    raise BenchError(
        f"the vocabulary of {encoding} is missing or damaged",
        where=str(folders[-1] / name),
        hint="run: pip install --force-reinstall --no-deps litellm",
    )


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
