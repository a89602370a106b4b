"""What a provider's prompt cache holds: simulated, block by block, as documented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from bench.trace import Image, Message, Reasoning, Text, ToolCall

LOOK_BACK = 20  #: blocks before a mark in which the provider looks for an older entry


class Chain:
    """The request of a step as a chain of prefix hashes, extended or cut, never rebuilt.

    ``keys[n]``, ``ends[n]`` and ``blocks[n]`` describe the prefix up to and without message
    ``n``: its hash, its tokens and its content blocks. Index 0 is the pinned part.
    """

    def __init__(self, pinned: int, digests: dict[Message, bytes]) -> None:
        self.messages: list[Message] = []
        self.sent = 0  # messages of the request that was sent last
        self.same = 0  # how many of them still stand unchanged at the front
        self.keys = [b"pinned"]
        self.ends = [pinned]
        self.blocks = [1 if pinned else 0]
        self._digests = digests  # shared between cells: a message is hashed once

    @property
    def size(self) -> int:
        """Tokens of the whole request."""
        return self.ends[-1]

    def cut(self, length: int) -> None:
        """Forget everything behind the first ``length`` messages."""
        self.same = min(self.same, length)
        del self.messages[length:]
        del self.keys[length + 1 :], self.ends[length + 1 :], self.blocks[length + 1 :]

    def extend(self, messages: Sequence[Message], sizes: Sequence[int]) -> None:
        """Add messages of known sizes at the end."""
        for message, size in zip(messages, sizes, strict=True):
            key = blake2b(self.keys[-1] + self._digest(message), digest_size=16).digest()
            self.messages.append(message)
            self.keys.append(key)
            self.ends.append(self.ends[-1] + size)
            self.blocks.append(self.blocks[-1] + max(1, len(message.parts)))

    def _digest(self, message: Message) -> bytes:
        known = self._digests.get(message)
        if known is None:
            known = self._digests[message] = _content(message)
        return known


def _content(message: Message) -> bytes:
    """A hash of the bytes that a provider is sent for a message."""
    pieces = [message.role, message.answers, "error" if message.error else ""]
    for part in message.parts:
        if type(part) is Text:
            pieces += ("text", part.text)
        elif type(part) is Reasoning:
            pieces += ("reasoning", part.text, part.signature)
        elif type(part) is Image:
            pieces += ("image", part.data)
        elif type(part) is ToolCall:
            pieces += ("call", part.id, part.name, part.arguments)
        else:  # opaque: its bytes are not known, its message is
            pieces += ("opaque", message.id)
    sent = "\0".join(pieces).encode("utf-8", "surrogatepass")
    return blake2b(sent, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Billed:
    """Input tokens of a request by class; they sum to its size."""

    read: int
    write: int
    uncached: int
    stored: int = 0  #: tokens that the request leaves in the cache
    expired: bool = False  #: an entry that would have served was too old


class Profile(Protocol):
    """A provider's cache. One instance serves one cell."""

    name: str
    strips: bool  #: reasoning of a finished turn is dropped at the next message of the user's

    def send(self, chain: Chain, now: float, answered: float) -> Billed:
        """Bill a request made at ``now``, and store what it marks as used at ``answered``."""

    def peek(self, chain: Chain, length: int, now: float) -> int:
        """Tokens of the first ``length`` messages that a side call would read."""


class Uncached:
    """A provider without a cache: every request is paid in full."""

    name = "none"
    strips = False

    def send(self, chain: Chain, now: float, answered: float) -> Billed:
        """Bill everything as uncached."""
        return Billed(0, 0, chain.size)

    def peek(self, chain: Chain, length: int, now: float) -> int:
        """Nothing is stored, so nothing is read."""
        return 0


class Anthropic:
    """Explicit marks: behind the pinned part, and behind the last two user-side messages.

    A mark stores the prefix that ends there. A later request reads the longest stored prefix
    that ends at one of its marks or at most 20 content blocks before it. Reading or writing an
    entry renews it at the moment the answer begins; unused for ``ttl`` seconds it is gone.
    Prefixes below ``minimum`` tokens are not stored. Source: Anthropic's documentation of
    prompt caching; the smallest prefix is the price map's ``prompt_cache_min_tokens``.
    """

    name = "anthropic"
    strips = False

    def __init__(self, *, minimum: int = 1024, ttl: float = 300.0) -> None:
        self.minimum = minimum
        self.ttl = ttl
        self._used: dict[bytes, float] = {}  # when each stored prefix was last read or written

    def send(self, chain: Chain, now: float, answered: float) -> Billed:
        """Bill a request and store the prefixes at its marks."""
        marks = _marks(chain.messages)
        hit, expired = self._lookup(chain, marks, now)
        last = marks[0]
        stored = chain.ends[last] if chain.ends[last] >= self.minimum else 0
        read = chain.ends[hit] if hit is not None else 0
        for at in marks if hit is None else (*marks, hit):
            if chain.ends[at] >= self.minimum:
                self._used[chain.keys[at]] = answered
        write = max(0, stored - read)
        return Billed(read, write, chain.size - read - write, read + write, expired)

    def peek(self, chain: Chain, length: int, now: float) -> int:
        """Tokens that a call over the first ``length`` messages would read."""
        hit, _ = self._lookup(chain, [length], now)
        return chain.ends[hit] if hit is not None else 0

    def _lookup(self, chain: Chain, marks: list[int], now: float) -> tuple[int | None, bool]:
        """The longest stored prefix still alive, and whether a longer one was too old."""
        expired = False
        for mark in marks:
            at = mark
            while at >= 0 and chain.blocks[mark] - chain.blocks[at] <= LOOK_BACK:
                used = self._used.get(chain.keys[at])
                if used is not None:
                    if now - used <= self.ttl:
                        return at, expired
                    expired = True
                at -= 1
        return None, expired


class OpenAI:
    """Automatic: a request reads what it shares with the one before, in whole steps.

    Nothing is paid for storing. Prefixes below 1,024 tokens are not stored; an hour after its
    last use an entry is gone, though some are gone much earlier and about 6 % of requests miss
    by routing, which is not modelled. Reasoning of a finished turn is not sent again. Source:
    OpenAI's documentation of prompt caching; steps as measured on bills, where every read of
    gpt-5.5 is 384 more than a multiple of 512 and those of other models a multiple of 128.
    """

    name = "openai"
    strips = True
    minimum = 1_024

    def __init__(self, *, model: str = "", ttl: float = 3_600.0) -> None:
        self.ttl = ttl
        self._step, self._rest = (512, 384) if "gpt-5.5" in model else (128, 0)
        self._used: float | None = None  # when the last request was answered

    def send(self, chain: Chain, now: float, answered: float) -> Billed:
        """Bill a request and store it."""
        expired = self._used is not None and now - self._used > self.ttl
        shared = 0 if self._used is None or expired else chain.ends[chain.same]
        self._used = answered
        read = self._whole(shared)
        return Billed(read, 0, chain.size - read, self._whole(chain.size), expired)

    def peek(self, chain: Chain, length: int, now: float) -> int:
        """Tokens that a call over the first ``length`` messages would read."""
        if self._used is None or now - self._used > self.ttl:
            return 0
        return self._whole(chain.ends[min(length, chain.same)])

    def _whole(self, tokens: int) -> int:
        """The stored part of a prefix."""
        if tokens < self.minimum:
            return 0
        return self._rest + (tokens - self._rest) // self._step * self._step


def _marks(messages: Sequence[Message]) -> list[int]:
    """Prefix lengths that end in a mark, longest first: two user-side messages, and the front.

    Results of parallel calls are one message for the provider.
    """
    marks: list[int] = []
    at = len(messages)
    while at > 0 and len(marks) < 2:
        while at > 0 and messages[at - 1].role == "assistant":
            at -= 1
        if at > 0:
            marks.append(at)
        while at > 0 and messages[at - 1].role != "assistant":
            at -= 1
    return [*marks, 0]


PROFILES = ("anthropic", "openai", "none")


def profile(name: str, *, model: str, minimum: int | None) -> Profile:
    """A fresh cache of the provider named; ``minimum`` is the model's, None if unknown."""
    if name == "none":
        return Uncached()
    if name == "openai":
        return OpenAI(model=model)
    return Anthropic() if minimum is None else Anthropic(minimum=minimum)
