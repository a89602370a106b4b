"""Signing in and out."""

import hashlib
import hmac

from harbor import auth, cookies
from harbor.http import Response

SALT = b"harbor-1"


def digest(password):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), SALT, 1000).hex()


class Login:
    """Users come from a mapping of name to (password digest, role)."""

    def __init__(self, users, settings, revoked, audit):
        self.users = users
        self.settings = settings
        self.revoked = revoked
        self.audit = audit

    def form(self, request):
        return Response(200, "<form method=post>...</form>", kind="text/html")

    def sign_in(self, request):
        form = request.form()
        known = self.users.get(form.get("user", ""))
        given = digest(form.get("password", ""))
        if known is None or not hmac.compare_digest(known[0], given):
            self.audit.write("denied", request.address, form.get("user", ""))
            return Response(401, "wrong user or password")
        hours = self.settings.number("session_hours")
        value = auth.make(form["user"], known[1], self.settings.secret, hours)
        self.audit.write("signed-in", form["user"])
        name, header = cookies.issue(value, hours * 3600)
        return Response(303, "", {"Location": request.query.get("next", "/"), name: header})

    def sign_out(self, request):
        value = cookies.session(request.headers.get("Cookie"))
        if request.identity:
            self.revoked.add(value, request.identity.expires)
            self.audit.write("signed-out", request.identity.user)
        name, header = cookies.clear()
        return Response(303, "", {"Location": "/", name: header})
