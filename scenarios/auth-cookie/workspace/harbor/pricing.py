"""What a stay costs, in cents: by length, season, nights and power."""

from harbor import clock

PER_METRE = {"high": 290, "low": 180}
POWER = 450
LONG_STAY = ((28, 40), (14, 25), (7, 10))  # nights, per cent off


def season(day, start="04-15", end="10-15"):
    """High between two days of the year, low outside of them."""
    import datetime

    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    return "high" if start <= date.strftime("%m-%d") < end else "low"


def night(length, day, power=False):
    """One night for a boat of some metres; begun metres count whole."""
    metres = int(-(-length // 1))
    return metres * PER_METRE[season(day)] + (POWER if power else 0)


def stay(length, first, nights, power=False):
    """All nights, less the discount for a long stay."""
    total = sum(night(length, first + n, power) for n in range(nights))
    off = next((percent for least, percent in LONG_STAY if nights >= least), 0)
    return total * (100 - off) // 100


def quote(length, nights, power=False):
    """A stay from today on."""
    return stay(length, clock.day(), nights, power)
