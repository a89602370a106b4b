"""Set-Cookie and Cookie headers, as far as one cookie needs them."""

from harbor.auth import COOKIE


def parse(header):
    """The cookies of a request by name; the first of two with one name wins."""
    found = {}
    for piece in (header or "").split(";"):
        name, equals, value = piece.strip().partition("=")
        if equals and name not in found:
            found[name] = value.strip('"')
    return found


def session(header):
    """The value of our cookie, or an empty text."""
    return parse(header).get(COOKIE, "")


def issue(value, seconds, secure=True):
    """The header that sets our cookie."""
    parts = [f"{COOKIE}={value}", "Path=/", "HttpOnly", "SameSite=Lax", f"Max-Age={seconds}"]
    if secure:
        parts.append("Secure")
    return "Set-Cookie", "; ".join(parts)


def clear():
    """The header that takes it back."""
    return "Set-Cookie", f"{COOKIE}=; Path=/; Max-Age=0"
