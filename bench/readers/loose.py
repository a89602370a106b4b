"""Looking into JSON that nobody has checked: a value of the wrong type counts as absent."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any


def obj(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> int | None:
    """The value as an integer if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return int(value) if math.isfinite(value) else None
    except OverflowError:  # an integer of hundreds of digits
        return None


def seconds(value: Any) -> float | None:
    """An ISO timestamp as seconds since the epoch, None if it is not one."""
    try:
        return datetime.fromisoformat(text(value)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def compact(value: Any) -> str:
    """JSON text without blanks, in the characters that were recorded."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
