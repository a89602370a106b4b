"""Models behind litellm, against a small server on loopback."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench.contract import Contract, Section
from bench.errors import ModelUnavailable, SummaryFailed, TooLong
from bench.services.calls import Calls
from bench.services.models import Summary, summariser
from bench.services.tokens import Tokens
from bench.trace import Image, Message, Text, ToolCall, Usage

KEY = "sk-planted-0123456789abcdef"
CONTRACT = Contract("test", (Section("Goal", "what is wanted"),))
TALK = [
    Message("u", "user", (Text("Fix it."), Image("AAAA", "image/png"))),
    Message("a", "assistant", (ToolCall("c1", "read", '{"path": "a.py"}'),)),
    Message("t", "tool", (Text("x = 1"),), answers="c1"),
]


class Server(ThreadingHTTPServer):
    """Answers as it is told to: by status, or by a text."""

    daemon_threads = True
    status = 200
    text: object = "The goal is to fix it."
    body: bytes | None = None

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(asked)
        answer = {
            "id": "r",
            "object": "chat.completion",
            "created": 1,
            "model": asked["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": server.text},
                }
            ],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 9,
                "total_tokens": 109,
                "prompt_tokens_details": {"cached_tokens": 64},
            },
        }
        if server.status != 200:
            said = server.text if isinstance(server.text, str) else "no"
            answer = {"error": {"message": f"{said} {self.headers['Authorization']}", "code": "x"}}
        body = server.body if server.body is not None else json.dumps(answer).encode()
        self.send_response(server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    made = Server()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{made.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("bench.services.models.RETRIES", 0)
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def tokens():
    return Tokens()


@pytest.fixture
def live(tmp_path):
    return summariser("openai/test-model", Calls(tmp_path / "calls"))


pytestmark = pytest.mark.filterwarnings("ignore")  # litellm's own, and those of its imports


def test_the_conversation_and_the_prompt_are_sent_and_the_bill_is_the_models_own(
    server, live, tokens
):
    answer = live.summarise(CONTRACT, TALK, 200, tokens)
    assert answer == Summary("The goal is to fix it.", Usage(36, 64, output=9))
    (asked,) = server.asked
    roles = [message["role"] for message in asked["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]
    assert asked["messages"][0]["content"] == "Fix it.\n[image]"
    assert asked["messages"][2]["tool_call_id"] == "c1"
    assert asked["messages"][3]["content"] == CONTRACT.prompt
    assert (asked["max_tokens"], asked["temperature"]) == (200, 0)


def test_what_was_asked_before_is_answered_without_the_server(server, live, tokens):
    first = live.summarise(CONTRACT, "text", None, tokens)
    server.status = 500
    assert live.summarise(CONTRACT, "text", None, tokens) == first
    assert len(server.asked) == 1
    with pytest.raises(ModelUnavailable):
        live.summarise(CONTRACT, "another text", None, tokens)


FAULTS = {
    "no such key": (401, "bad key", ModelUnavailable),
    "too many requests": (429, "slow down", ModelUnavailable),
    "broken server": (500, "oops", ModelUnavailable),
    "too long": (400, "This model's maximum context length is 8192 tokens", TooLong),
    "blank": (200, " \n", SummaryFailed),
    "nothing": (200, None, SummaryFailed),
}


@pytest.mark.parametrize(("status", "text", "kind"), FAULTS.values(), ids=FAULTS)
def test_faults_have_their_kind_and_are_never_recorded(
    server, live, tokens, tmp_path, status, text, kind
):
    server.status, server.text = status, text
    with pytest.raises(kind) as raised:
        live.summarise(CONTRACT, TALK, None, tokens)
    assert not list(tmp_path.rglob("*.json"))
    error = raised.value
    assert KEY not in repr(error) + str(error) + repr(error.__cause__)


def test_an_answer_that_is_no_json_is_no_summary(server, live, tokens):
    server.body = b"<html>gateway</html>"
    with pytest.raises((SummaryFailed, ModelUnavailable)):
        live.summarise(CONTRACT, TALK, None, tokens)


def test_a_server_that_is_gone_is_nobodys_fault(server, live, tokens, monkeypatch):
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailable):
        live.summarise(CONTRACT, TALK, None, tokens)


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "bench", "run", "--summariser", "openai/test-model", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def test_a_run_is_repeated_without_server_and_key(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("-s", "harness-zero", "--window", "32k", "--price-model", "claude-sonnet-4-5")
    scenario = ("--scenario", "generated")
    first = command(*scenario, *words, "--out", "first")
    assert first.returncode == 0, first.stderr
    assert server.asked
    server.status = 500
    monkeypatch.delenv("OPENAI_API_KEY")
    again = command(*scenario, *words, "--out", "again")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    for name in ("cells", "steps", "passes", "asks", "probes"):
        one, other = (tmp_path / run / f"{name}.jsonl" for run in ("first", "again"))
        assert one.read_bytes() == other.read_bytes()
    asks = [json.loads(line) for line in (tmp_path / "first" / "asks.jsonl").open()]
    assert {(ask["read"], ask["uncached"], ask["output"]) for ask in asks} == {(64, 36, 9)}


def test_an_unreachable_model_is_an_infrastructure_error_and_keys_stand_nowhere(
    server, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    server.status = 401
    done = command("-s", "harness-zero", "--scenario", "generated", "--window", "32k", "-v")
    assert done.returncode == 1
    assert "infra_error" in done.stdout
    assert "tries it again" in done.stderr
    assert KEY not in done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    server.status = 200
    again = command("-s", "harness-zero", "--scenario", "generated", "--window", "32k")
    assert again.returncode == 0, again.stderr
    assert "infra_error" not in again.stdout
