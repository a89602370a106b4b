"""Mails to skippers. Composed here, handed to whoever sends."""

from email.message import EmailMessage

TEXTS = {
    "held": "We hold berth {berth} for {boat} from day {first} on, {nights} night(s).\n"
    "Please pay {price} within 24 hours.",
    "paid": "Thank you. Berth {berth} is yours, {boat} is expected on day {first}.",
    "cancelled": "Your booking {id} is cancelled.",
}


def money(cents):
    return f"{cents // 100}.{cents % 100:02d} EUR"


def compose(kind, booking, sender):
    """The mail for a change of a booking."""
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = booking.skipper
    mail["Subject"] = f"Booking {booking.id}: {kind}"
    values = {**booking.__dict__, "price": money(booking.price)}
    mail.set_content(TEXTS[kind].format(**values))
    return mail


class Outbox:
    """Keeps mails until they are fetched; the sender runs in another process."""

    def __init__(self):
        self.mails = []

    def send(self, kind, booking, sender):
        self.mails.append(compose(kind, booking, sender))
