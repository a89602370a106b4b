"""Signed-out cookies: a cookie stays valid until it expires, so signing out needs a list.

The list holds signatures, never whole cookies, and forgets what has expired by itself.
"""

import sqlite3

from harbor import clock


class Revoked:
    """The signatures that are no longer accepted."""

    def __init__(self, connection):
        self.connection = connection
        connection.execute(
            "CREATE TABLE IF NOT EXISTS revoked (signature TEXT PRIMARY KEY, expires INTEGER)"
        )

    def add(self, value, expires):
        signature = value.rpartition(".")[2]
        self.connection.execute(
            "INSERT OR IGNORE INTO revoked VALUES (?, ?)", (signature, expires)
        )
        self.connection.commit()

    def holds(self, value):
        signature = value.rpartition(".")[2]
        row = self.connection.execute(
            "SELECT 1 FROM revoked WHERE signature = ?", (signature,)
        ).fetchone()
        return row is not None

    def sweep(self):
        """Forget what has expired; how many there were."""
        cursor = self.connection.execute("DELETE FROM revoked WHERE expires < ?", (clock.now(),))
        self.connection.commit()
        return cursor.rowcount


def memory():
    """A list for tests."""
    return Revoked(sqlite3.connect(":memory:"))
