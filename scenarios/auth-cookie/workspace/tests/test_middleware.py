import json

from tests.base import Case


class Requests(Case):
    def test_nobody_is_sent_to_sign_in(self):
        answer = self.ask("POST", "/bookings")
        self.assertEqual((answer.status, answer.headers["Location"]), (303, "/login?next=/bookings"))

    def test_a_guest_may_not_see_the_admin_pages(self):
        self.sign_in("bo", "bowline")
        self.assertEqual(self.ask("GET", "/admin/export.csv").status, 403)

    def test_a_wrong_password_is_denied_and_written_down(self):
        self.assertEqual(self.sign_in("ada", "wrong").status, 401)
        events = [json.loads(line)["event"] for line in self.audit.lines]
        self.assertEqual(events, ["denied", "401"])

    def test_signing_out_takes_the_cookie_back(self):
        self.sign_in("ada", "anchor")
        self.ask("POST", "/logout")
        self.assertEqual(self.ask("POST", "/bookings").status, 303)
        self.assertIn("revoked", self.audit.lines[-1])

    def test_too_many_requests_are_told_to_wait(self):
        for _ in range(90):
            self.ask("GET", "/health")
        answer = self.ask("GET", "/health")
        self.assertEqual((answer.status, answer.headers["Retry-After"]), (429, "60"))
