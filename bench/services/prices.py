"""What tokens cost, from the price list inside litellm's wheel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from bench.errors import BenchError
from bench.services import bundled
from bench.trace import Usage

FILE = "model_prices_and_context_window_backup.json"
PROVIDERS = ("anthropic", "openai", "gemini", "deepseek", "xai", "mistral", "moonshot", "zai")

_DATE = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d|latest)$")
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per token by class. None: the list does not say, which is not the same as free."""

    name: str  #: the entry of the list that was used
    input: float
    output: float
    cache_read: float | None = None
    cache_write_5m: float | None = None
    cache_write_1h: float | None = None
    cache_minimum: int | None = None  #: shortest prefix that is cached, in tokens
    max_input: int | None = None
    flat_up_to: int | None = None  #: requests with more input tokens are billed at other prices


class PriceList:
    """The dated prices of one installed litellm; ``source`` says which."""

    def __init__(self, entries: dict[str, dict[str, Any]], source: dict[str, str]) -> None:
        self.source = source  #: litellm's version and the SHA-256 of the file
        self._entries = entries

    @classmethod
    @cache
    def load(cls) -> Self:
        """Read the list, once a process."""
        return cls.read(bundled.folder() / FILE)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a list in litellm's format from a file."""
        try:
            content = path.read_bytes()
            entries = json.loads(content)
        except (OSError, ValueError) as error:
            raise BenchError(
                f"the price list cannot be read ({type(error).__name__})",
                where=str(path),
                hint="run: pip install --force-reinstall --no-deps litellm",
            ) from error
        source = {"litellm": version("litellm"), "sha256": sha256(content).hexdigest()}
        return cls(entries, source)

    def find(self, model: str) -> Price | None:
        """The price of a model, None where the list has none.

        Tried in this order, each as written and then in lower case:
        the name itself; without a direct provider in front (``anthropic/``, ``models/``);
        with one in front; and then the same without a date or ``-latest`` at the end.
        A reseller's prefix (``openrouter/``, ``bedrock/``) is never taken off or added: its
        prices are its own. An entry without both prices, or with zero for both, is none.
        """
        for name in _spellings(model):
            price = _price(name, self._entries.get(name))
            if price is not None:
                return price
        return None

    def nearest(self, model: str, count: int = 3) -> tuple[str, ...]:
        """Names in the list that look most like a name, for a hint."""
        names = [name for name, entry in self._entries.items() if _price(name, entry)]
        return tuple(get_close_matches(model.lower(), names, n=count, cutoff=0.5))


def cost(price: Price, usage: Usage) -> float | None:
    """Dollars of some usage; None where a class that was used has no price.

    Prices for long requests are not applied, see ``Price.flat_up_to``.
    """
    total = 0.0
    for tokens, each in (
        (usage.uncached, price.input),
        (usage.cache_read, price.cache_read),
        (usage.cache_write_5m, price.cache_write_5m),
        (usage.cache_write_1h, price.cache_write_1h),
        (usage.output, price.output),
    ):
        if tokens:
            if each is None:
                return None
            total += tokens * each
    return total


def _spellings(model: str) -> Iterator[str]:
    for name in dict.fromkeys((model, model.lower(), _undated(model), _undated(model.lower()))):
        yield name
        provider, _, bare = name.partition("/")
        if provider in (*PROVIDERS, "models", "google") and bare:
            yield bare
            name = bare
        if "/" not in name:
            yield from (f"{provider}/{name}" for provider in PROVIDERS)


def _undated(model: str) -> str:
    return _DATE.sub("", model)


def _price(name: str, entry: dict[str, Any] | None) -> Price | None:
    if entry is None or name == "sample_spec":
        return None
    read, written = _number(entry, "input_cost_per_token"), _number(entry, "output_cost_per_token")
    if read is None or written is None or not (read or written):
        return None
    return Price(
        name,
        read,
        written,
        cache_read=_number(entry, "cache_read_input_token_cost"),
        cache_write_5m=_number(entry, "cache_creation_input_token_cost"),
        cache_write_1h=_number(entry, "cache_creation_input_token_cost_above_1hr"),
        cache_minimum=_whole(entry, "prompt_cache_min_tokens"),
        max_input=_whole(entry, "max_input_tokens"),
        flat_up_to=min(
            (1000 * int(tier[1]) for key in entry if (tier := _TIER.fullmatch(key))), default=None
        ),
    )


def _number(entry: dict[str, Any], key: str) -> float | None:
    value = entry.get(key)
    return float(value) if isinstance(value, int | float) else None


def _whole(entry: dict[str, Any], key: str) -> int | None:
    value = entry.get(key)
    return value if isinstance(value, int) else None
