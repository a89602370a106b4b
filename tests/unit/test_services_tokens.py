"""Counting: sizes of parts, memory of what was counted, and a vocabulary that is found offline."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.services import bundled
from bench.services.tokens import PIECE, VOCABULARIES, Tokens
from bench.trace import Image, Message, Opaque, Part, Reasoning, Text, ToolCall


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def size(tokens: Tokens, *parts: Part) -> int:
    return tokens.message(Message("m", "assistant", parts)) - 4


def test_known_counts() -> None:
    assert Tokens().text("hello world") == 2
    assert Tokens("cl100k_base").text("hello world") == 2
    assert Tokens().text("") == 0


def test_special_tokens_are_plain_text(tokens: Tokens) -> None:
    assert tokens.text("<|endoftext|>") > 1


def test_a_distinct_text_is_encoded_once() -> None:
    tokens = Tokens()
    first = tokens.text("a text of some length")
    assert tokens.text("a text of " + "some length") == first
    assert tokens.chars_encoded == len("a text of some length")


def test_a_message_is_counted_once_by_identity() -> None:
    tokens = Tokens()
    message = Message("m", "user", (Text("hello world"), Text("hello world")))
    assert tokens.message(message) == tokens.message(message) == 4 + 2 + 2
    assert tokens.message(Message("m", "user", (Text("hello"),))) == 4 + 1


def test_sizes_of_parts(tokens: Tokens) -> None:
    count = tokens.text
    arguments = '{"path": "a.py"}'
    assert size(tokens, ToolCall("c", "read", arguments)) == 4 + count("read") + count(arguments)
    assert size(tokens, Opaque(1234)) == 1234
    assert size(tokens, Reasoning("let me think about it")) == count("let me think about it")
    signed = Reasoning("let me think about it", "s" * 1000)
    assert size(tokens, signed) == round(160 + 0.29 * count("let me think about it"))
    assert size(tokens, Reasoning("", "s" * 1000)) == 160


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (0, 0, 1600),
        (0, 900, 1600),
        (200, 200, 54),
        (1000, 1000, 1334),
        (1, 1, 1),
        (4000, 4000, 1600),
        (3136, 784, 820),  # halved to 1568 x 392
        (100_000, 1, 1),
    ],
)
def test_images_by_size(tokens: Tokens, width: int, height: int, expected: int) -> None:
    assert size(tokens, Image("data", "image/png", width, height)) == expected


def test_tools_are_their_schemas(tokens: Tokens) -> None:
    schemas = ('{"name": "read"}', '{"name": "write"}')
    assert tokens.tools(schemas) == sum(map(tokens.text, schemas))
    assert tokens.tools(()) == 0


@pytest.mark.parametrize(
    "text", [" " * 1_200_000 + "x", "\t" * 1_200_000, "a" * 300_000, "\ud800", "\udfff x \ud83d"]
)
def test_texts_that_tiktoken_would_not_survive(tokens: Tokens, text: str) -> None:
    assert tokens.text(text) > 0


def test_long_texts_are_the_sum_of_their_pieces(tokens: Tokens) -> None:
    text = "one more line of text\n" * 12_000
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    assert len(pieces) == 3
    assert tokens.text(text) == sum(map(tokens.text, pieces))


def test_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(BenchError, match="o200k_base, cl100k_base"):
        Tokens("p50k_base")


def test_environment_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    Tokens().text("x")
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    Tokens().text("x")
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_the_users_own_is_used_if_it_has_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = VOCABULARIES["o200k_base"][0]
    shipped = bundled.folder() / "litellm_core_utils" / "tokenizers" / name
    (tmp_path / name).write_bytes(shipped.read_bytes())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(bundled, "folder", lambda: tmp_path / "nowhere")
    assert Tokens().text("hello world") == 2


@pytest.mark.parametrize("content", [None, b"damaged"])
def test_no_vocabulary_is_an_error_and_no_download(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(bundled, "folder", lambda: tmp_path)
    file = tmp_path / "litellm_core_utils" / "tokenizers" / VOCABULARIES["o200k_base"][0]
    file.parent.mkdir(parents=True)
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BenchError, match=r"missing or damaged.*pip install"):
        Tokens()
    assert file.exists() == (content is not None)


def test_litellm_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "find_spec", lambda name: None)
    with pytest.raises(BenchError, match="pip install litellm"):
        bundled.folder.__wrapped__()


def test_fingerprint_says_what_counts_depend_on(tokens: Tokens) -> None:
    assert tokens.fingerprint.startswith("o200k_base/tiktoken-")
    assert tokens.fingerprint != Tokens("cl100k_base").fingerprint


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys\n"
        "from bench.services import archive, calls, models, prices, tokens\n"
        "tokens.Tokens(); prices.PriceList.load(); models.summariser('extractive', calls.Calls())\n"
        "print(sorted({'litellm', 'numpy', 'rank_bm25', 'tiktoken'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
