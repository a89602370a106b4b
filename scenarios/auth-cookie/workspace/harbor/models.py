"""Berths, boats and bookings as plain values."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Berth:
    id: int
    harbour: str
    pier: str
    length: float  # metres
    power: bool = False


@dataclass(frozen=True)
class Boat:
    name: str
    length: float
    draught: float = 1.5

    def fits(self, berth):
        return self.length + 1.0 <= berth.length


@dataclass(frozen=True)
class Booking:
    id: int
    berth: int
    boat: str
    skipper: str
    first: int  # day of arrival
    nights: int
    price: int = 0  # cents
    state: str = "held"

    @property
    def last(self):
        return self.first + self.nights - 1

    def overlaps(self, first, nights):
        return self.first < first + nights and first < self.first + self.nights


STATES = ("held", "paid", "arrived", "left", "cancelled")
NEXT = {
    "held": ("paid", "cancelled"),
    "paid": ("arrived", "cancelled"),
    "arrived": ("left",),
    "left": (),
    "cancelled": (),
}


def step(state, wanted):
    """Whether a booking may go from one state to another."""
    return wanted in NEXT[state]
