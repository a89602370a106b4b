"""Who writes summaries. The only door to models: nothing else may import litellm."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bench.contract import Contract
from bench.errors import BenchError, ModelUnavailable, SummaryFailed, TooLong
from bench.services.broken import MODES, Broken
from bench.services.calls import Answer, Calls, Request
from bench.services.extractive import Extractive
from bench.services.prices import PriceList
from bench.services.tokens import Tokens
from bench.trace import Image, Message, Text, Usage

TIMEOUT = 600  #: seconds a model has to write a summary
RETRIES = 2  #: of a call that failed for a passing reason
MARGIN = 0.9  #: a refusal does not say by how much; the next request is to be this share of it


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary with what its model was billed."""

    text: str
    usage: Usage


class Summariser(Protocol):
    """Writes a summary of a source to a contract.

    Raises ``SummaryFailed``, ``TooLong``, or ``ModelUnavailable`` where nobody is to blame.
    """

    @property
    def name(self) -> str:
        """The name that ``summariser`` resolves and every report shows."""

    def summarise(
        self, contract: Contract, source: Sequence[Message] | str, cap: int | None, tokens: Tokens
    ) -> str | Summary:
        """The summary; ``cap`` bounds it in tokens, None leaves the bound to the summariser.

        A plain text is metered by whoever asked.
        """


def summariser(name: str, calls: Calls) -> Summariser:
    """The summariser of that name: ``extractive``, ``broken:<mode>``, or a litellm model."""
    kind, _, mode = name.partition(":")
    if name == Extractive.name:
        return Extractive()
    if kind == "broken" and mode in MODES:
        return Broken(mode)
    if "/" in name or PriceList.load().find(name) is not None:
        return Live(name, calls)
    known = [Extractive.name, *(f"broken:{mode}" for mode in MODES)]
    raise BenchError(
        f"unknown summariser {name!r}",
        hint=f"there are {', '.join(known)}, and models as provider/model",
    )


def is_live(name: str) -> bool:
    """Whether a summariser of that name is a model with prices of its own."""
    return name != Extractive.name and not name.startswith("broken:")


@dataclass(frozen=True, slots=True)
class Live:
    """A model behind litellm. What was asked before is answered from the recorded calls."""

    name: str
    calls: Calls

    def summarise(
        self, contract: Contract, source: Sequence[Message] | str, cap: int | None, tokens: Tokens
    ) -> Summary:
        """The model's summary, with its own account of the tokens."""
        request: Request = {
            "model": self.name,
            "messages": list(_chat(contract, source)),
            "temperature": 0,
            "seed": 0,
            **({} if cap is None else {"max_tokens": cap}),
        }
        answer = self.calls.find(request)
        if answer is None:
            answer = _asked(request, tokens)
            self.calls.keep(request, answer)
        if not answer.text.strip():
            raise SummaryFailed(f"{self.name} answered nothing ({answer.finish})")
        return Summary(answer.text, answer.usage)


def _chat(contract: Contract, source: Sequence[Message] | str) -> Iterator[dict[str, Any]]:
    """The source, then the prompt as the last words of the user's."""
    if isinstance(source, str):
        yield {"role": "user", "content": f"{source}\n\n{contract.prompt}"}
        return
    for message in source:
        row: dict[str, Any] = {"role": message.role, "content": _content(message)}
        if message.calls:
            row["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in message.calls
            ]
        if message.answers:
            row["tool_call_id"] = message.answers
        yield row
    yield {"role": "user", "content": contract.prompt}


def _content(message: Message) -> str:
    pieces = []
    for part in message.parts:
        if isinstance(part, Text):
            pieces.append(part.text)
        elif isinstance(part, Image):
            pieces.append("[image]")
    return "\n".join(pieces).encode("utf-8", "replace").decode()


def _asked(request: Request, tokens: Tokens) -> Answer:
    """Call the model.

    No text of an exception is passed on: providers repeat headers, and keys stand in them.
    """
    litellm = _litellm()
    try:
        reply = litellm.completion(**request, timeout=TIMEOUT, num_retries=RETRIES)
    except Exception as error:
        raise _blamed(litellm, error, request, tokens) from None
    try:
        choice = reply.choices[0]
        text = choice.message.content or ""
        return Answer(text, _usage(reply.usage), str(choice.finish_reason or ""))
    except (AttributeError, IndexError, TypeError, KeyError) as error:
        raise SummaryFailed(f"{request['model']}: malformed answer") from error


def _litellm() -> Any:
    """The library, quiet and without the network at import."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True  # a seed is not known to every provider
    litellm.modify_params = True  # a conversation with calls is sent without its tools
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


def _blamed(litellm: Any, error: Exception, request: Request, tokens: Tokens) -> Exception:
    """What an exception of the client means here, said without its text."""
    status = getattr(error, "status_code", None)
    said = f"{request['model']}: {type(error).__name__}" + (f" ({status})" if status else "")
    about_size = ("context length", "maximum context", "context window", "too long")
    if isinstance(error, litellm.ContextWindowExceededError) or (
        isinstance(error, litellm.BadRequestError)
        and any(words in str(error).lower() for words in about_size)
    ):
        size = sum(tokens.text(row["content"]) for row in request["messages"])
        return TooLong(size, int(size * MARGIN))
    if isinstance(error, litellm.ContentPolicyViolationError):
        return SummaryFailed(said)
    return ModelUnavailable(said, hint="the same command asks again what is not recorded yet")


def _usage(usage: Any) -> Usage:
    details = getattr(usage, "prompt_tokens_details", None)
    cached = int(getattr(details, "cached_tokens", None) or 0)
    return Usage(
        uncached=int(usage.prompt_tokens) - cached,
        cache_read=cached,
        output=int(usage.completion_tokens),
    )
