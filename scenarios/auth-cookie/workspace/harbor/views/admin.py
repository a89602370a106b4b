"""Pages for the harbourmaster."""

import json

from harbor import csvio
from harbor.http import Response
from harbor.middleware import require


class Admin:
    def __init__(self, repository, limiter, revoked):
        self.repository = repository
        self.limiter = limiter
        self.revoked = revoked

    @property
    def occupancy(self):
        @require("harbourmaster")
        def view(request, day):
            taken = self.repository.taken(int(day), 1)
            by_harbour = {}
            berths = {berth.id: berth for berth in self.repository.berths()}
            for booking in taken:
                name = berths[booking.berth].harbour
                by_harbour[name] = by_harbour.get(name, 0) + 1
            return Response(200, json.dumps(by_harbour, sort_keys=True), kind="application/json")

        return view

    @property
    def export(self):
        @require("harbourmaster")
        def view(request):
            bookings = self.repository.taken(0, 1_000_000)
            return Response(200, csvio.export(bookings), kind="text/csv")

        return view

    @property
    def sweep(self):
        @require("harbourmaster")
        def view(request):
            gone = {"revoked": self.revoked.sweep(), "buckets": self.limiter.forget()}
            return Response(200, json.dumps(gone), kind="application/json")

        return view
