"""The audit trail: one line an event, never rewritten."""

import json

from harbor import clock


class Audit:
    """Appends to a file, or to a list in tests."""

    def __init__(self, path=None):
        self.path = path
        self.lines = []

    def write(self, event, who, detail=""):
        entry = {"at": clock.now(), "event": event, "who": who, "detail": str(detail)}
        line = json.dumps(entry, sort_keys=True)
        if self.path is None:
            self.lines.append(line)
            return
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def read(path):
    """The events of a file, oldest first; broken lines are skipped and counted."""
    events, broken = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                events.append(json.loads(line))
            except ValueError:
                broken += 1
    return events, broken
