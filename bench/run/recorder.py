"""Record a scenario: play its script in a copy of its workspace, and keep what really happened.

What the agent says and calls is scripted; every output is the true output of the call. Only what
would differ from one recording to the next is put in a fixed form: the clock, the folder's name,
durations and addresses in outputs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.errors import BenchError
from bench.readers.openai_chat import dump
from bench.trace import FileEvent, Message, Repair, Text, ToolCall, Trace

HOME = "/work/project"  #: what the temporary folder is called in outputs
LONGEST = 30_000  #: characters of an output; the rest is cut off, as harnesses do
SECONDS = 60  #: a command may take
PACE = 7.0  #: seconds between two calls of the agent

_VARYING = (
    (re.compile(r"\bin \d+\.\d{2,3}s\b"), "in 0.01s"),
    (re.compile(r"0x[0-9a-f]{8,16}\b"), "0x7f0000000000"),
)

TOOLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bash": ("Run a command in the project and return what it prints.", ("command",)),
    "read": ("Read a file, with line numbers.", ("path", "start", "lines")),
    "search": ("Find lines that match a regular expression.", ("pattern", "path")),
    "write": ("Write a whole file.", ("path", "content")),
    "edit": ("Replace a text that stands in a file exactly once.", ("path", "old", "new")),
    "todo": ("Replace the list of what is to be done.", ("items",)),
}


class ToolFailed(Exception):
    """A call that its tool refuses; the text is what the agent is shown."""


@dataclass
class Recorder:
    """The messages so far, and the folder that the calls are played in."""

    folder: Path
    now: float
    messages: list[Message] = field(default_factory=list)
    events: list[FileEvent] = field(default_factory=list)

    def play(self, step: Mapping[str, Any]) -> None:
        """Append what one step of the script says and does."""
        self.now += step.get("idle", 0)
        if "user" in step:
            request = (Text(step["user"].strip()),)
            self.messages.append(Message(self._id(), "user", request, time=self.now))
            return
        calls = tuple(
            ToolCall(f"call_{len(self.messages) + 1}_{at}", one["tool"], _arguments(one))
            for at, one in enumerate(step.get("calls", ()), 1)
        )
        said = (Text(step["say"].strip()),) if step.get("say") else ()
        self.messages.append(Message(self._id(), "assistant", (*said, *calls), time=self.now))
        for call in calls:
            self._answer(call)
        self.now += PACE

    def _answer(self, call: ToolCall) -> None:
        name, inputs = self._id(), call.inputs
        try:
            output, failed = self._run(call.name, inputs), False
            if call.name in ("write", "edit"):
                self.events.append(self._event(name, call.name, inputs))
        except ToolFailed as refusal:
            output, failed = str(refusal), True
        self.messages.append(
            Message(
                name,
                "tool",
                (Text(_fixed(output, self.folder)),),
                answers=call.id,
                name=call.name,
                error=failed,
                time=self.now,
            )
        )

    def _run(self, tool: str, inputs: Mapping[str, Any]) -> str:
        match tool:
            case "bash":
                return self._bash(inputs["command"])
            case "search":
                return self._bash(
                    f"grep -rnE -- {json.dumps(inputs['pattern'])} {inputs.get('path', '.')} | sort"
                )
            case "read":
                start = inputs.get("start", 1)
                lines = self._text(inputs["path"]).splitlines()[start - 1 :]
                shown = lines[: inputs.get("lines", len(lines))]
                return "\n".join(f"{at:>5}\t{line}" for at, line in enumerate(shown, start))
            case "write":
                path = self._path(inputs["path"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(inputs["content"], encoding="utf-8")
                return f"Wrote {len(inputs['content'].splitlines())} lines to {inputs['path']}."
            case "edit":
                text = self._text(inputs["path"])
                count = text.count(inputs["old"])
                if count != 1:
                    raise ToolFailed(f"The old text stands {count} times in {inputs['path']}.")
                changed = text.replace(inputs["old"], inputs["new"])
                self._path(inputs["path"]).write_text(changed, encoding="utf-8")
                return f"Edited {inputs['path']}."
            case _:
                return f"{len(inputs['items'])} items."

    def _bash(self, command: str) -> str:
        """Run a shell command: bounded, in a clean environment, without the network's proxies."""
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            done = subprocess.run(  # noqa: S603 (a script of ours, and bounded)
                ["/bin/sh", "-c", command],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ToolFailed(f"The command took longer than {SECONDS} seconds.") from None
        output = done.stdout.decode(errors="replace")
        if done.returncode:
            output += f"\n[exit code {done.returncode}]"
        return output.strip("\n") or "(no output)"

    def _event(self, message: str, tool: str, inputs: Mapping[str, Any]) -> FileEvent:
        content = self._text(inputs["path"])
        if tool == "write":
            return FileEvent(message, inputs["path"], "write", content)
        return FileEvent(message, inputs["path"], "edit", content, inputs["old"], inputs["new"])

    def _path(self, name: str) -> Path:
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder.resolve()):
            raise ToolFailed(f"{name} lies outside of the project.")
        return path

    def _text(self, name: str) -> str:
        try:
            return self._path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise ToolFailed(f"{name}: {error.strerror}.") from None

    def _id(self) -> str:
        return f"m{len(self.messages) + 1}"


def record(folder: Path) -> Trace:
    """Play ``script.toml`` of a scenario's folder in a copy of its ``workspace``."""
    try:
        script = tomllib.loads((folder / "script.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(str(error), where=str(folder / "script.toml")) from error
    with TemporaryDirectory() as temporary:
        place = Path(temporary).resolve() / "project"
        shutil.copytree(folder / "workspace", place)
        recorder = Recorder(place, float(script["clock"]))
        for step in script["step"]:
            recorder.play(step)
    return Trace(
        folder.name,
        tuple(recorder.messages),
        pinned=(Message("system", "system", (Text(script["system"].strip()),)),),
        tools=tuple(_schemas()),
        model=script["model"],
        source="recorded",
        licence="CC0-1.0",
        events=tuple(recorder.events),
        repairs=(
            Repair("outputs", "durations, addresses and the folder's name in a fixed form"),
            Repair("clock", f"{PACE:g} seconds a call, pauses as scripted"),
        ),
    )


def written(folder: Path) -> str:
    """The text of ``trace.jsonl`` as a recording made now would be."""
    return "".join(f"{line}\n" for line in dump(record(folder)))


def _arguments(call: Mapping[str, Any]) -> str:
    inputs = {name: value for name, value in call.items() if name != "tool"}
    known = TOOLS.get(call["tool"])
    if known is None or not set(inputs) <= set(known[1]):
        raise BenchError(f"no tool takes this: {json.dumps(call)[:200]}", where="script.toml")
    return json.dumps(inputs, ensure_ascii=False)


def _schemas() -> Iterator[str]:
    for name, (description, inputs) in TOOLS.items():
        properties = {one: {"type": _kind(one)} for one in inputs}
        parameters = {"type": "object", "properties": properties}
        function = {"name": name, "description": description, "parameters": parameters}
        yield json.dumps({"type": "function", "function": function})


def _kind(name: str) -> str:
    return {"start": "integer", "lines": "integer", "items": "array"}.get(name, "string")


def _fixed(output: str, folder: Path) -> str:
    output = output.replace(os.fspath(folder), HOME)
    for varying, form in _VARYING:
        output = varying.sub(form, output)
    if len(output) > LONGEST:
        output = f"{output[:LONGEST]}\n[{len(output) - LONGEST} more characters]"
    return output
