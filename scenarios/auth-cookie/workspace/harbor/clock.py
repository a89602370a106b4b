"""The one clock of the service, so that tests can set it.

Since the clean-up of last spring everything counts in seconds; before that, the clock counted in
milliseconds and every caller divided.
"""

import time

_fixed = None


def now():
    """Seconds since the epoch, or what a test has set."""
    return _fixed if _fixed is not None else int(time.time())


def freeze(at):
    """Stop the clock; None lets it run again."""
    global _fixed
    _fixed = at


def day(at=None):
    """Whole days since the epoch, which is how berths are let."""
    return (now() if at is None else at) // 86_400
