"""Who is it? Signed cookies: made at sign-in, read at every request.

A cookie is ``v2.<payload>.<signature>``: the payload is JSON in URL-safe base64 with the user's
name, role and the second at which it expires; the signature is HMAC-SHA256 over the payload.
"""

import base64
import binascii
import hashlib
import hmac
import json

from harbor import clock

COOKIE = "hb_session"
VERSION = "v2"
ROLES = ("guest", "skipper", "harbourmaster")


class NotSignedIn(Exception):
    """There is no cookie, or it cannot be believed."""


class Identity:
    """Who a request comes from."""

    def __init__(self, user, role, expires):
        self.user = user
        self.role = role
        self.expires = expires

    def may(self, role):
        return ROLES.index(self.role) >= ROLES.index(role)

    def __repr__(self):
        return f"Identity({self.user!r}, {self.role!r}, {self.expires})"


def sign(payload, secret):
    """The signature of an encoded payload."""
    return hmac.new(secret.encode(), payload.encode(), hashlib.sha256).hexdigest()


def make(user, role, secret, hours):
    """The value of the cookie for a user who has just signed in."""
    if role not in ROLES:
        raise ValueError(f"no such role: {role}")
    body = {"user": user, "role": role, "exp": clock.now() + hours * 3600}
    packed = json.dumps(body, separators=(",", ":"), sort_keys=True).encode()
    payload = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return f"{VERSION}.{payload}.{sign(payload, secret)}"


def read(value, secret):
    """The identity in a cookie. Raises NotSignedIn with the reason."""
    if not value:
        raise NotSignedIn("no cookie")
    try:
        version, payload, signature = value.split(".")
    except ValueError:
        raise NotSignedIn("not a cookie of ours") from None
    if version != VERSION:
        raise NotSignedIn(f"version {version}")
    if not hmac.compare_digest(signature, sign(payload, secret)):
        raise NotSignedIn("bad signature")
    body = _unpack(payload)
    if is_expired(body["exp"]):
        raise NotSignedIn("expired")
    return Identity(body["user"], body["role"], body["exp"])


def is_expired(expires):
    """Whether a cookie's time is over."""
    return clock.now() / 1000 > expires


def _unpack(payload):
    try:
        padded = payload + "=" * (-len(payload) % 4)
        return json.loads(base64.urlsafe_b64decode(padded))
    except (binascii.Error, ValueError):
        raise NotSignedIn("unreadable payload") from None
