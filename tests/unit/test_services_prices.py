"""Prices: what the list says, what it does not say, and agreement with litellm's own functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.services.prices import Price, PriceList, cost
from bench.trace import Usage


@pytest.fixture(scope="module")
def prices() -> PriceList:
    return PriceList.load()


def test_the_list_is_read_once_and_says_what_it_is(prices: PriceList) -> None:
    assert PriceList.load() is prices
    assert set(prices.source) == {"litellm", "sha256"}
    assert len(prices.source["sha256"]) == 64


def test_an_entry(prices: PriceList) -> None:
    price = prices.find("claude-sonnet-4-5")
    assert price is not None
    assert (price.input, price.output) == (3e-6, 1.5e-5)
    assert (price.cache_read, price.cache_write_5m, price.cache_write_1h) == (3e-7, 3.75e-6, 6e-6)
    assert (price.cache_minimum, price.max_input) == (1024, 200_000)


@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"),
        ("claude-sonnet-4-5-20991231", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20991231", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("Claude-Sonnet-4-5", "claude-sonnet-4-5"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openai/gpt-5-2099-01-31", "gpt-5"),
    ],
)
def test_names_that_are_found(prices: PriceList, model: str, entry: str) -> None:
    price = prices.find(model)
    assert price is not None
    assert price.name == entry


@pytest.mark.parametrize("model", ["", "/", "no-such-model", "sample_spec", "shop/gpt-5", "gpt"])
def test_names_that_are_not(prices: PriceList, model: str) -> None:
    assert prices.find(model) is None


def test_a_provider_is_put_in_front() -> None:
    entry = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    found = PriceList({"xai/some-model": entry}, {}).find("some-model-2031-01-01")
    assert found == Price("xai/some-model", 1e-6, 2e-6)


def test_zero_for_both_is_not_free() -> None:
    entry = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
    assert PriceList({"m": entry}, {}).find("m") is None


def test_what_the_list_does_not_say_is_none(prices: PriceList) -> None:
    price = prices.find("gpt-5")
    assert price is not None
    assert price.cache_write_5m is None
    assert price.cache_write_1h is None


def test_long_requests_have_other_prices(prices: PriceList) -> None:
    price = prices.find("gemini/gemini-2.5-pro")
    assert price is not None
    assert price.flat_up_to == 200_000


def test_cost_over_disjoint_classes() -> None:
    price = Price("m", 1.0, 10.0, cache_read=0.1, cache_write_5m=1.25, cache_write_1h=2.0)
    usage = Usage(uncached=1, cache_read=10, cache_write_5m=4, cache_write_1h=3, output=2)
    assert cost(price, usage) == 1 + 1 + 5 + 6 + 20


def test_cost_is_none_only_where_a_missing_price_is_needed() -> None:
    price = Price("m", 1.0, 10.0)
    assert cost(price, Usage(uncached=2, output=1)) == 12
    assert cost(price, Usage(uncached=2, cache_read=1)) is None
    assert cost(price, Usage()) == 0


def test_nearest_names(prices: PriceList) -> None:
    assert "claude-sonnet-4-5" in prices.nearest("claude-sonet-4.5")
    assert prices.nearest("%%%%%%%%%%%%") == ()


@pytest.mark.parametrize("content", [None, "not json"])
def test_a_list_that_cannot_be_read(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "prices.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BenchError, match="price list cannot be read"):
        PriceList.read(path)


def test_litellm_comes_to_the_same_dollars(prices: PriceList) -> None:
    """In a process of its own: importing litellm takes seconds and warns."""
    models = ["claude-sonnet-4-5", "claude-opus-4-5", "gpt-5", "deepseek/deepseek-chat"]
    models.append("gemini/gemini-2.5-pro")
    code = (
        "import json, sys, litellm\n"
        "calls = [litellm.cost_per_token(model=m, prompt_tokens=9000, completion_tokens=700,\n"
        "         cache_read_input_tokens=4000, cache_creation_input_tokens=w)\n"
        "         for m in json.loads(sys.argv[1]) for w in (0, 2000 * m.startswith('claude'))]\n"
        "print(json.dumps([sum(call) for call in calls]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, json.dumps(models)],
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = []
    for model in models:
        price = prices.find(model)
        assert price is not None
        for written in (0, 2000 * model.startswith("claude")):
            usage = Usage(5000 - written, cache_read=4000, cache_write_5m=written, output=700)
            ours.append(cost(price, usage))
    assert ours == pytest.approx(theirs, rel=1e-12)
