"""Bookings out to the clubs' spreadsheets, and berths in from them."""

import csv
import io

FIELDS = ("id", "berth", "boat", "skipper", "first", "nights", "price", "state")


def export(bookings):
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
    writer.writeheader()
    for booking in bookings:
        writer.writerow({name: getattr(booking, name) for name in FIELDS})
    return out.getvalue()


def berths(text):
    """Rows of harbour, pier, length, power; a bad row is reported with its number."""
    good, bad = [], []
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        try:
            good.append((row["harbour"], row["pier"], float(row["length"]), row["power"] == "yes"))
        except (KeyError, TypeError, ValueError) as error:
            bad.append((number, repr(error)))
    return good, bad
