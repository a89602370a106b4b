"""A coding session that never happened: the same rows for the same seed, of any length.

``build(seed, steps)`` plays an agent at work on a service: a task with a ban, searches, reads,
failing and passing tests, logs, edits, and a person who adds decisions and takes one back. Every
fact that a probe asks for has a form that nothing else here has, so it stands where it is stated
and nowhere later.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
Call = tuple[str, Row, str]  # tool, arguments, what it answered

WORDS = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
NOUNS, VERBS, ADJECTIVES = (WORDS[kind].split() for kind in ("nouns", "verbs", "adjectives"))
TITLES = {word: word.title() for word in (*NOUNS, *VERBS, *ADJECTIVES)}
LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN")
SYSTEM = """You are a coding agent at work in {package}. You have read_file, search, edit_file and \
bash. Keep changes small, run the tests after each of them, and say what you found."""
OPENING = "You work in the repository of {package}, a service that keeps ledgers."


@dataclass(frozen=True)
class Fact:
    """Something to be stated once a share ``at`` of the steps is done, and asked for later."""

    at: float
    where: str  # user, log, test, settings, edit
    text: str
    probe: Row | None = None


class Session:
    """The rows written so far, and the project as the agent's tools would see it."""

    def __init__(self, seed: int, steps: int) -> None:
        self.random = Random(seed)
        self.steps, self.done = steps, 0
        self.rows: list[Row] = []
        self.probes: list[Row] = []
        self.package = self.pick(NOUNS) + self.pick(("works", "hub", "desk", "flow", "base"))
        self.files: dict[str, list[str]] = {}  # path: blocks
        self.known: list[str] = []  # paths in the order they were read
        self.topic = "ledger"  # what this turn is about
        self.failing = ""  # the test file that has to pass next
        self.clock = 1_930_000_000.0 + self.number(0, 9_000_000)
        self.turns = self.calls = 0
        self.facts = facts(self)

    def pick(self, choices: Any) -> Any:
        """One of a sequence; ``random.choice`` takes several times as long."""
        return choices[int(self.random.random() * len(choices))]

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` up to but not including ``high``."""
        return low + int(self.random.random() * (high - low))

    def chance(self, share: float) -> bool:
        """True in so many of all cases."""
        return self.random.random() < share

    def hex(self, digits: int) -> str:
        """Random hex digits."""
        return f"{self.random.getrandbits(4 * digits):0{digits}x}"

    def words(self) -> Row:
        """Names for one template."""
        pick, number = self.pick, self.number
        noun, other, verb, adj = pick(NOUNS), pick(NOUNS), pick(VERBS), pick(ADJECTIVES)
        return {
            "noun": noun, "Noun": TITLES[noun], "other": other, "Other": TITLES[other],
            "verb": verb, "Verb": TITLES[verb], "adj": adj, "Adj": TITLES[adj],
            "n": number(2, 900), "m": number(1000, 90_000), "month": number(1, 13),
        }  # fmt: skip

    def said(self, kind: str) -> str:
        """A sentence of one kind."""
        who, package = self.pick(WORDS["people"]), self.package
        words = {**self.words(), "noun": self.topic, "who": who, "package": package}
        return str(self.pick(WORDS[kind]).format(**words))

    def block(self) -> str:
        """A function or class that is new."""
        return str(self.pick(WORDS["blocks"]) % self.words())

    # Rows

    def row(self, role: str, content: str, **rest: Any) -> str:
        """Add a message and return its id."""
        self.clock += self.number(2, 25) + self.random.random()
        name = f"m{len(self.rows)}"
        bench = {"id": name, "time": round(self.clock, 3)}
        self.rows.append({"role": role, "content": content, **rest, "bench": bench})
        return name

    def user(self, text: str) -> None:
        """A message from the person, often after a pause, with the facts that are due."""
        self.turns += 1
        if self.turns == 2 or (self.turns > 2 and self.chance(0.3)):
            self.clock += self.number(330, 4_000)
        due = self.due("user")
        self.ask(due, self.row("user", " ".join([text, *(fact.text for fact in due)])))

    def act(self, text: str, *calls: Call) -> str:
        """One step: the assistant's row and the results of its calls; returns the last id."""
        self.done += 1
        requests = []
        for tool, arguments, _ in calls:
            self.calls += 1
            function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
            requests.append({"id": f"call_{self.calls}", "type": "function", "function": function})
        last = self.row("assistant", text, **({"tool_calls": requests} if calls else {}))
        for request, (tool, _, output) in zip(requests, calls, strict=True):
            last = self.row("tool", output, tool_call_id=request["id"], name=tool)
        return last

    def due(self, where: str) -> list[Fact]:
        """The facts for one place whose time has come; they are taken out."""
        now = [f for f in self.facts if f.where == where and f.at * self.steps <= self.done]
        if now:
            self.facts = [fact for fact in self.facts if fact not in now]
        return now

    def ask(self, stated: list[Fact], source: str) -> None:
        """Turn facts into probes, now that it is known which message states them."""
        self.probes += [{**fact.probe, "source": source} for fact in stated if fact.probe]

    # What the tools answer

    def path(self, fresh: float) -> str:
        """A file: a new one with the probability ``fresh``, else one read lately."""
        if self.known and not self.chance(fresh):
            return str(self.pick(self.known[-8:]))
        words = self.words()
        path = f"src/{self.package}/{self.topic}/{words['verb']}_{words['other']}.py"
        if path not in self.files:
            head = WORDS["head"] % {**words, "package": self.package}
            self.files[path] = [head, *(self.block() for _ in range(self.number(6, 22)))]
        return path

    def read(self, path: str) -> Call:
        """A whole file with line numbers."""
        self.known.append(path)
        lines = "\n\n\n".join(self.files[path]).split("\n")
        shown = "\n".join([f"{n:>5}\t{line}" for n, line in enumerate(lines, 1)])
        return "read_file", {"path": path}, shown[:12_000]

    def search(self) -> Call:
        """Lines of files known and new, and more of files that are never opened."""
        noun = self.topic
        hits = [
            f"{path}:{self.number(12, 300)}:{self.pick(self.files[path]).partition(chr(10))[0]}"
            for path in [self.path(0.3) for _ in range(self.number(2, 6))]
        ]
        hits += [
            f"src/{self.package}/{self.pick(NOUNS)}/{self.pick(VERBS)}_{noun}.py:"
            f"{self.number(9, 700)}:    {self.pick(VERBS)}_{noun}({self.pick(NOUNS)})"
            for _ in range(self.number(3, 70))
        ]
        return "search", {"pattern": noun, "path": f"src/{self.package}"}, "\n".join(hits)

    def tests(self, target: str, failure: str = "") -> Call:
        """A run of one test file; ``failure`` is what its last test ends with."""
        total, seconds = self.number(8, 60), self.number(20, 900) / 100
        noun = self.pick(NOUNS)
        lines = [
            f"{target}::test_{self.pick(VERBS)}_{noun}_{n} PASSED [{100 * n // total:>3}%]"
            for n in range(1, total + 1)
        ]
        if failure:
            lines[-1] = lines[-1].replace("PASSED", "FAILED")
            lines += [f"____ {lines[-1].split()[0]} ____", self.block(), f"E   {failure}"]
            lines.append(f"=== 1 failed, {total - 1} passed in {seconds}s ===")
        else:
            lines.append(f"=== {total} passed in {seconds}s ✓ ===")
        return "bash", {"command": f"pytest -v {target}"}, "\n".join(lines)

    def log(self, fact: str = "") -> Call:
        """The end of a log, with a fact somewhere in it."""
        service, minute = self.pick(NOUNS), self.number(10, 50)
        day = f"2031-{self.number(10, 13)}-{self.number(10, 29)}T{self.number(10, 24)}"
        lines = [
            f"{day}:{minute + n // 12}:{10 + n % 12 * 4}Z {self.pick(LEVELS)} {service}."
            f"{self.pick(VERBS)} req-{self.hex(8)} {self.pick(NOUNS)} took {self.number(1, 900)}ms"
            for n in range(self.number(4, 140))
        ]
        if self.chance(0.25):
            lines[len(lines) // 2] += " " + self.pick(WORDS["foreign"])
        if fact:
            lines.insert(self.number(1, len(lines)), f"{day}:{minute}:58Z {fact}")
        command = f"tail -n {len(lines)} var/log/{service}.log"
        return "bash", {"command": command}, "\n".join(lines)

    def answer(self) -> Call:
        """What the service says over HTTP."""
        kind = self.pick(NOUNS)
        rows = [
            {
                "id": f"{kind}-{self.hex(6)}",
                "owner": self.pick(WORDS["people"]),
                "state": self.pick(ADJECTIVES),
                "amount": self.number(100, 999_999),
                "note": self.pick(WORDS["foreign"] if self.chance(0.1) else VERBS),
            }
            for _ in range(self.number(3, 90))
        ]
        command = f"curl -s localhost/api/{kind}s"
        return "bash", {"command": command}, json.dumps(rows, ensure_ascii=False, indent=1)

    def edit(self, path: str) -> Call:
        """Put a new block in the place of an old one."""
        blocks = self.files[path]
        at, new = self.number(1, len(blocks)), self.block()
        old, blocks[at] = blocks[at], new
        return replacement(path, old, new)

    # The story

    def play(self) -> Iterator[None]:
        """Turn after turn; yields after every step."""
        self.row("system", SYSTEM.format(package=self.package))
        longest = max(4, min(16, self.steps // 12))
        while True:
            text = OPENING.format(package=self.package)
            if self.turns:
                self.topic = self.pick(NOUNS)
                text = self.said("asks")
            if self.turns and self.chance(0.15):
                text += f" ({self.pick(WORDS['foreign'])})"
            self.user(text)
            for step in range(self.number(2, longest)):
                yield from self.report()
                if self.done < self.steps - 1:
                    self.work(step)
                    yield
            self.act(f"That part is finished. {self.said('plans')}")
            yield

    def work(self, step: int) -> None:
        """One ordinary step: what an agent does at this place in a turn."""
        kind = self.random.random()
        if self.failing and self.known:
            if kind < 0.6:
                self.act(self.said("plans"), self.edit(self.pick(self.known[-3:])))
            else:
                self.act("The same tests again.", self.tests(self.failing))
                self.failing = ""
        elif step == 0 or kind < 0.1:
            self.act(self.said("plans"), self.search())
        elif kind < 0.42:
            self.act(self.said("plans"), self.read(self.path(0.65)))
        elif kind < 0.55:
            paths = dict.fromkeys((self.path(0.9), self.path(0.8), self.path(0.5)))
            self.act(self.said("plans"), *(self.read(path) for path in paths))
        elif kind < 0.66 and self.known:
            path = self.pick(self.known[-4:])
            self.act(f"I change {path}.", self.edit(path))
        elif kind < 0.78:
            target = f"tests/{self.topic}/test_{self.pick(VERBS)}.py"
            failure = ""
            if self.chance(0.6):
                failure = f"{self.pick(WORDS['errors'])}: {self.said('failures')}"
                self.failing = target
            self.act("I run the tests.", self.tests(target, failure))
        elif kind < 0.92:
            self.act("The log should say more.", self.log())
        else:
            self.act("What does the service answer?", self.answer())

    def report(self) -> Iterator[None]:
        """The steps in which tools bring up the facts that are due."""
        settings = f"src/{self.package}/settings.py"
        for fact in self.due("log"):
            self.ask([fact], self.act("I look at the log.", self.log(fact.text)))
            yield
        for fact in self.due("test"):
            run = self.tests("tests/test_everything.py", fact.text)
            self.ask([fact], self.act("Once more the whole suite.", run))
            yield
        for fact in self.due("settings"):
            self.files[settings] = [self.block(), fact.text]
            self.act("Where is that configured?", self.read(settings))
            self.known.remove(settings)  # read again, it would state the fact a second time
            yield
        for fact in self.due("edit"):
            old, new = fact.text.split(" -> ")
            self.ask([fact], self.act("I set it as agreed.", replacement(settings, old, new)))
            yield


def replacement(path: str, old: str, new: str) -> Call:
    """An edit and what the tool shows of it."""
    removed = "\n".join(f"-{line}" for line in old.split("\n"))
    added = "\n".join(f"+{line}" for line in new.split("\n"))
    output = f"Edited {path}, one place:\n{removed}\n{added}"
    return "edit_file", {"path": path, "old_str": old, "new_str": new}, output


def facts(session: Session) -> list[Fact]:
    """What is stated and asked for. Values differ by seed; their forms are used nowhere else."""
    pick, number = session.pick, session.number
    who, day = pick(WORDS["people"]), pick(("Tuesday", "Thursday", "Friday"))
    town, name = pick(("Oslo", "Lagos", "Osaka")), pick(("harbour", "meadow", "quartz", "willow"))
    old_port, port = number(8100, 8500), number(9100, 9900)
    before, after = number(3, 9), number(12, 30)
    knob = f"{pick(NOUNS).upper()}_PAGE_RETRIES"

    goal = f"import ledgers of {number(20, 90)} million rows without holding one in memory"
    banned = f"migrations/00{number(10, 99)}_split_{pick(NOUNS)}.sql"
    host = f"kestrel-{number(10, 99)}.build.internal"
    reason = f"nobody in the {town} office can be paged for a broker at night"
    incident = f"INC-{session.hex(4).upper()}-{session.hex(6).upper()}"
    label = f"在庫確認済み・第{number(10, 99)}倉庫"
    drift = f"LedgerDriftError: page {number(100, 999)} has checksum {session.hex(12)}"
    rotate = f"rotate the signing key of vault {number(3, 9)} before {day}"
    branch = f"release/2031-{name}-{number(11, 29)}"

    def probe(kind: str, ask: str, expect: str, *forbid: str) -> Row:
        return {"kind": kind, "ask": ask, "expect": expect, "forbid": list(forbid)}

    told = [
        ("goal", 0.0, "user", f"The goal: {goal}.", probe("goal", "What is to be built?", goal)),
        ("ban", 0.0, "user", f"Whatever happens, do not edit {banned}: it ran in production.",
         probe("ban", "Which file must not be edited?", banned)),
        ("host", 0.05, "log", f"INFO boot: running on {host} with 3 workers",
         probe("identifier", "On which host does the service run?", host)),
        ("old port", 0.1, "user", f"For local runs the import listens on port {old_port}.", None),
        ("decision", 0.2, "user", f"We decided for plain files and against a queue: {reason}.",
         probe("decision", "Why are plain files used, and no queue?", reason)),
        ("old retries", 0.25, "settings", f"{knob} = {before}", None),
        ("incident", 0.33, "log", f"ERROR alert: opened {incident} for the stalled import",
         probe("identifier", "Which incident did the alert open?", incident)),
        ("retries", 0.42, "edit", f"{knob} = {before} -> {knob} = {after}",
         probe("file", f"What is {knob} set to?", f"{knob} = {after}", f"{knob} = {before}")),
        ("label", 0.48, "user", f"The label on parcels must read 「{label}」, to the letter.",
         probe("identifier", "What must the label on parcels read?", label)),
        ("port", 0.55, "user", f"The old one is taken: from now on it is port {port}.",
         probe("number", "On which port does the import listen?",
               f"port {port}", f"port {old_port}")),
        ("drift", 0.63, "test", drift,
         probe("error", "With which error did the whole suite fail?", drift)),
        ("pending", 0.72, "user", f"Not now, but keep it in mind: {who} has to {rotate}.",
         probe("pending", "What is still to be done about the signing key?", rotate)),
        ("branch", 0.8, "user", f"All of this goes to {branch}.",
         probe("identifier", "Which branch does the work go to?", branch)),
    ]  # fmt: skip
    return [
        Fact(at, where, text, asked and {"id": name, **asked})
        for name, at, where, text, asked in told
    ]


def build(seed: int, steps: int) -> dict[str, list[Row]]:
    """The rows of a chat of ``steps`` model calls, and the probes about it."""
    session = Session(seed, steps)
    trace = {
        "id": f"generated-{seed}-{steps}",
        "model": "claude-sonnet-4-5",
        "source": "generated",
        "licence": "CC0-1.0",
    }
    session.rows.append({"bench": {"trace": trace}})
    story = session.play()
    while session.done < steps:
        next(story)
    return {"rows": session.rows, "probes": session.probes}
