import json

from harbor import clock
from tests.base import Case


class Stays(Case):
    def hold(self, boat="Möwe", length="8.5", nights="3", harbour="Norderhaven"):
        body = f"boat={boat}&length={length}&first={clock.day()}&nights={nights}&harbour={harbour}"
        return self.ask("POST", "/bookings", body)

    def test_the_shortest_berth_that_fits_is_held(self):
        self.sign_in("ada", "anchor")
        self.assertEqual(self.hold().status, 201)
        booking = self.booking(1)
        self.assertEqual((booking.berth, booking.state), (2, "held"))

    def test_a_full_harbour_says_so(self):
        self.sign_in("ada", "anchor")
        for _ in range(2):
            self.assertEqual(self.hold(length="9.5").status, 201)
        self.assertEqual(self.hold(length="9.5").status, 409)

    def test_only_the_skipper_and_the_harbourmaster_may_change_it(self):
        self.sign_in("ada", "anchor")
        self.hold()
        self.sign_in("bo", "bowline")
        self.assertEqual(self.ask("POST", "/bookings/1/paid").status, 403)
        self.sign_in("hm", "harbour")
        self.assertEqual(self.ask("POST", "/bookings/1/paid").status, 200)
        self.assertEqual(self.ask("POST", "/bookings/1/held").status, 409)

    def test_free_berths_are_found_with_their_price(self):
        answer = self.ask("GET", "/berths", query=f"length=8.5&first={clock.day()}&nights=7")
        found = json.loads(answer.body)
        self.assertEqual(found[0]["berth"], 5)

    def booking(self, number):
        row = self.stack.revoked.connection.execute(
            "SELECT berth, state FROM bookings WHERE id = ?", (number,)
        ).fetchone()
        return type("Row", (), dict(row))
