"""serve, cookie, sweep."""

import argparse
import sqlite3
import sys
from wsgiref.simple_server import make_server

from harbor import app, auth, config
from harbor.sessions import Revoked


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="harbor")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve")
    look = commands.add_parser("cookie", help="say whose a cookie is")
    look.add_argument("value")
    commands.add_parser("sweep", help="forget signed-out cookies that have expired")
    chosen = parser.parse_args(arguments)
    settings = config.load("harbor.conf")
    if chosen.command == "serve":
        stack = app.build(settings, {})
        with make_server("", settings.number("port"), app.wsgi(stack)) as server:
            server.serve_forever()
    elif chosen.command == "cookie":
        try:
            print(auth.read(chosen.value, settings.secret))
        except auth.NotSignedIn as reason:
            sys.exit(f"nobody: {reason}")
    else:
        print(Revoked(sqlite3.connect(settings.database)).sweep())


if __name__ == "__main__":
    main()
