"""What the tests share: a stack over an empty database, and a stopped clock."""

import pathlib
import sqlite3
import unittest

from harbor import app, audit, clock, config
from harbor.http import Request
from harbor.views.login import digest

MORNING = 1_788_000_000
USERS = {
    "ada": (digest("anchor"), "skipper"),
    "bo": (digest("bowline"), "guest"),
    "hm": (digest("harbour"), "harbourmaster"),
}
BERTHS = (
    ("Norderhaven", "A", 9.0, 1), ("Norderhaven", "A", 11.0, 1), ("Norderhaven", "B", 13.5, 0),
    ("Kleinsiel", "1", 8.0, 0), ("Kleinsiel", "1", 10.0, 1), ("Kleinsiel", "2", 15.0, 1),
)


def schema():
    folder = pathlib.Path(__file__).parents[1] / "migrations"
    return "\n".join(path.read_text() for path in sorted(folder.glob("*.sql")))


class Case(unittest.TestCase):
    def setUp(self):
        clock.freeze(MORNING)
        self.addCleanup(clock.freeze, None)
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        connection.executescript(schema())
        connection.executemany(
            "INSERT INTO berths (harbour, pier, length, power) VALUES (?, ?, ?, ?)", BERTHS
        )
        self.audit = audit.Audit()
        self.settings = config.Settings({"secret": "test-secret"})
        self.stack = app.build(self.settings, USERS, connection, self.audit)
        self.cookie = ""

    def ask(self, method, path, body="", query=""):
        headers = {"Cookie": f"hb_session={self.cookie}"} if self.cookie else {}
        return self.stack.handle(Request(method, path, headers, body, query))

    def sign_in(self, user, password):
        answer = self.ask("POST", "/login", f"user={user}&password={password}")
        if answer.status == 303:
            self.cookie = answer.headers["Set-Cookie"].split(";")[0].partition("=")[2]
        return answer
