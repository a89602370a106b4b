"""Cut the middle out of a text, measured in bytes and told in tokens."""

from __future__ import annotations

_BYTES = 4  # bytes that count as a token


def estimate(text: str) -> int:
    """Tokens of a text by its UTF-8 bytes, rounded up."""
    return -(-len(_encoded(text)) // _BYTES)


def truncate_middle(text: str, tokens: int) -> str:
    """The first and last half of ``tokens``, with a marker between that says what is missing.

    The marker comes on top. Characters are not torn: where a half ends inside one, it is left
    out. A text that fits comes back as it is.
    """
    data, room = _encoded(text), tokens * _BYTES
    if len(data) <= room:
        return text
    head = room // 2
    tail = len(data) - (room - head)
    while head and _inside(data, head):
        head -= 1
    while tail < len(data) and _inside(data, tail):
        tail += 1
    removed = -(-(len(data) - room) // _BYTES)
    return f"{_decoded(data[:head])}[{removed} tokens cut out]{_decoded(data[tail:])}"


def _inside(data: bytes, at: int) -> bool:
    return data[at] & 0xC0 == 0x80


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
