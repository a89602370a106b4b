"""The size of an image in pixels, from the first bytes of its file."""

from __future__ import annotations

import base64
import binascii

from bench.trace import Image

_HEAD = 1 << 18  #: base64 characters looked at; a JPEG may have a large preview in front


def image(data: str, media_type: str = "") -> Image:
    """Make an image of base64 text, with its size where the header tells it."""
    try:
        head = base64.b64decode(data[:_HEAD][: len(data[:_HEAD]) // 4 * 4])
    except (binascii.Error, ValueError):
        head = b""
    width, height = _size(head)
    return Image(data, media_type, width, height)


def from_url(url: str) -> Image:
    """Make an image of a URL; the base64 text of a ``data:`` URL is taken out of it."""
    if url.startswith("data:") and ";base64," in url[:100]:
        media_type, _, data = url.removeprefix("data:").partition(";base64,")
        return image(data, media_type)
    return Image(url)


def _size(head: bytes) -> tuple[int, int]:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _big(head[16:20]), _big(head[20:24])
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _little(head[6:8]), _little(head[8:10])
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    if head.startswith(b"\xff\xd8"):
        return _jpeg(head)
    return 0, 0


def _webp(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return _little(head[24:27]) + 1, _little(head[27:30]) + 1
    if kind == b"VP8L":
        bits = _little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    return 0, 0


def _jpeg(head: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7])
        at += 2 + max(_big(head[at + 2 : at + 4]), 2)
    return 0, 0


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
