"""Settings, from defaults, a file of key = value lines, and the environment, in that order."""

import os

DEFAULTS = {
    "database": "harbor.db",
    "secret": "not-a-secret",
    "port": "8047",
    "session_hours": "12",
    "rate_per_minute": "90",
    "mail_from": "berths@harbour.example",
    "audit_path": "audit.log",
    "season_start": "04-15",
    "season_end": "10-15",
}


class Settings:
    """Values by name; unknown names are an error, not None."""

    def __init__(self, values=None):
        self._values = dict(DEFAULTS)
        for name, value in (values or {}).items():
            if name not in DEFAULTS:
                raise KeyError(f"unknown setting {name!r}")
            self._values[name] = str(value)

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def number(self, name):
        return int(self._values[name])


def load(path=None, environment=os.environ):
    """Read a settings file, if there is one, and HARBOR_* variables over it."""
    values = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                line = line.split("#", 1)[0].strip()
                if line:
                    name, _, value = line.partition("=")
                    values[name.strip()] = value.strip()
    for name in DEFAULTS:
        variable = f"HARBOR_{name.upper()}"
        if variable in environment:
            values[name] = environment[variable]
    return Settings(values)
