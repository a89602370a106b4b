import unittest

from harbor import auth, clock, sessions
from tests.base import MORNING


class SignedOut(unittest.TestCase):
    def setUp(self):
        clock.freeze(MORNING)
        self.addCleanup(clock.freeze, None)
        self.revoked = sessions.memory()
        self.addCleanup(self.revoked.connection.close)

    def test_a_revoked_cookie_is_held(self):
        value = auth.make("ada", "skipper", "s", 1)
        self.assertFalse(self.revoked.holds(value))
        self.revoked.add(value, MORNING + 3600)
        self.assertTrue(self.revoked.holds(value))

    def test_what_has_expired_is_swept(self):
        for hours in (1, 5):
            self.revoked.add(auth.make("ada", "skipper", "s", hours), MORNING + hours * 3600)
        clock.freeze(MORNING + 2 * 3600)
        self.assertEqual(self.revoked.sweep(), 1)
