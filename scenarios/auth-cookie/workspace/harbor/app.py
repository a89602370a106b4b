"""Everything put together, as a WSGI application."""

import sqlite3

from harbor.audit import Audit
from harbor.http import Request, Response
from harbor.middleware import Stack
from harbor.notify import Outbox
from harbor.ratelimit import Limiter
from harbor.repository import Repository
from harbor.router import Router
from harbor.sessions import Revoked
from harbor.views.admin import Admin
from harbor.views.bookings import Bookings
from harbor.views.login import Login


def build(settings, users, connection=None, audit=None):
    """The stack behind the server; tests hand in their own connection and audit trail."""
    connection = connection or sqlite3.connect(settings.database, check_same_thread=False)
    audit = audit or Audit(settings.audit_path)
    repository, revoked = Repository(connection), Revoked(connection)
    limiter = Limiter(settings.number("rate_per_minute"))
    login = Login(users, settings, revoked, audit)
    bookings = Bookings(repository, Outbox(), settings)
    admin = Admin(repository, limiter, revoked)
    router = Router()
    router.add("GET", "/", lambda request: Response(200, "harbor"))
    router.add("GET", "/health", lambda request: Response(200, "ok"))
    router.add("GET", "/login", login.form)
    router.add("POST", "/login", login.sign_in)
    router.add("POST", "/logout", login.sign_out)
    router.add("GET", "/berths", bookings.search)
    router.add("POST", "/bookings", bookings.hold)
    router.add("POST", "/bookings/<number>/<state>", bookings.change)
    router.add("GET", "/admin/occupancy/<day>", admin.occupancy)
    router.add("GET", "/admin/export.csv", admin.export)
    router.add("POST", "/admin/sweep", admin.sweep)
    return Stack(router, settings, revoked, limiter, audit)


def wsgi(stack):
    """The callable that a server wants."""

    def application(environ, start_response):
        try:
            response = stack.handle(Request.from_environ(environ))
        except Exception as error:
            stack.audit.write("crash", environ.get("REMOTE_ADDR", ""), repr(error))
            response = Response(500, "something broke")
        start_response(response.line, list(response.headers.items()))
        return [response.body.encode()]

    return application
