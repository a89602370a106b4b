"""Looking for a berth, holding one, paying, cancelling."""

import json

from harbor import models, pricing
from harbor.http import Response
from harbor.middleware import require


class Bookings:
    def __init__(self, repository, outbox, settings):
        self.repository = repository
        self.outbox = outbox
        self.settings = settings

    def search(self, request):
        try:
            length = float(request.query["length"])
            first, nights = int(request.query["first"]), int(request.query["nights"])
        except (KeyError, ValueError):
            return Response(400, "length, first and nights are needed")
        if not 1 <= nights <= 60:
            return Response(400, "between 1 and 60 nights")
        free = self.repository.free(request.query.get("harbour"), length, first, nights)
        found = [
            {
                "berth": berth.id,
                "pier": berth.pier,
                "price": pricing.stay(length, first, nights, berth.power),
            }
            for berth in free[:20]
        ]
        return Response(200, json.dumps(found), kind="application/json")

    @property
    def hold(self):
        @require("guest")
        def view(request):
            form = request.form()
            boat = models.Boat(form["boat"], float(form["length"]))
            first, nights = int(form["first"]), int(form["nights"])
            free = self.repository.free(form.get("harbour"), boat.length, first, nights)
            if not free:
                return Response(409, "no berth is free")
            berth = free[0]
            price = pricing.stay(boat.length, first, nights, berth.power)
            number = self.repository.hold(
                berth.id, boat.name, request.identity.user, first, nights, price
            )
            booking = self.repository.booking(number)
            self.outbox.send("held", booking, self.settings.mail_from)
            return Response(201, str(number))

        return view

    @property
    def change(self):
        @require("guest")
        def view(request, number, state):
            booking = self.repository.booking(int(number))
            if booking is None:
                return Response(404, "no such booking")
            if booking.skipper != request.identity.user and not request.identity.may(
                "harbourmaster"
            ):
                return Response(403, "not yours to change")
            if not models.step(booking.state, state):
                return Response(409, f"{booking.state} bookings cannot be {state}")
            self.repository.move(booking.id, state)
            if state in ("paid", "cancelled"):
                self.outbox.send(state, self.repository.booking(booking.id), self.settings.mail_from)
            return Response(200, state)

        return view
