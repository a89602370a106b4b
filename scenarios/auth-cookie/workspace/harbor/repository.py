"""Bookings in SQLite. All SQL of the service but that of the sign-out list stands here."""

import sqlite3

from harbor.models import Berth, Booking


class Repository:
    def __init__(self, connection):
        self.connection = connection
        connection.row_factory = sqlite3.Row

    @classmethod
    def fresh(cls, schema):
        connection = sqlite3.connect(":memory:")
        connection.executescript(schema)
        return cls(connection)

    def berths(self, harbour=None):
        query = "SELECT id, harbour, pier, length, power FROM berths"
        values = ()
        if harbour:
            query, values = query + " WHERE harbour = ?", (harbour,)
        rows = self.connection.execute(query + " ORDER BY id", values)
        return [Berth(r["id"], r["harbour"], r["pier"], r["length"], bool(r["power"])) for r in rows]

    def booking(self, number):
        row = self.connection.execute("SELECT * FROM bookings WHERE id = ?", (number,)).fetchone()
        return _booking(row) if row else None

    def taken(self, first, nights):
        """Bookings that overlap a stay and are not cancelled."""
        rows = self.connection.execute(
            "SELECT * FROM bookings WHERE state != 'cancelled'"
            " AND first < ? AND first + nights > ? ORDER BY id",
            (first + nights, first),
        )
        return [_booking(row) for row in rows]

    def free(self, harbour, length, first, nights):
        """Berths of a harbour that are long enough and not taken, the shortest first."""
        busy = {booking.berth for booking in self.taken(first, nights)}
        fitting = [b for b in self.berths(harbour) if b.id not in busy and b.length >= length + 1.0]
        return sorted(fitting, key=lambda berth: (berth.length, berth.id))

    def hold(self, berth, boat, skipper, first, nights, price):
        cursor = self.connection.execute(
            "INSERT INTO bookings (berth, boat, skipper, first, nights, price, state)"
            " VALUES (?, ?, ?, ?, ?, ?, 'held')",
            (berth, boat, skipper, first, nights, price),
        )
        self.connection.commit()
        return cursor.lastrowid

    def move(self, number, state):
        self.connection.execute("UPDATE bookings SET state = ? WHERE id = ?", (state, number))
        self.connection.commit()

    def of(self, skipper):
        rows = self.connection.execute(
            "SELECT * FROM bookings WHERE skipper = ? ORDER BY first, id", (skipper,)
        )
        return [_booking(row) for row in rows]


def _booking(row):
    return Booking(
        row["id"], row["berth"], row["boat"], row["skipper"], row["first"], row["nights"],
        row["price"], row["state"],
    )
