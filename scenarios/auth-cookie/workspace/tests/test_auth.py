import unittest

from harbor import auth, clock
from tests.base import MORNING

SECRET = "s3cret"


class Cookies(unittest.TestCase):
    def setUp(self):
        clock.freeze(MORNING)
        self.addCleanup(clock.freeze, None)

    def test_a_cookie_says_who_it_is(self):
        who = auth.read(auth.make("ada", "skipper", SECRET, 12), SECRET)
        self.assertEqual((who.user, who.role), ("ada", "skipper"))
        self.assertEqual(who.expires, MORNING + 12 * 3600)

    def test_roles_are_a_ladder(self):
        who = auth.Identity("ada", "skipper", 0)
        self.assertTrue(who.may("guest"))
        self.assertFalse(who.may("harbourmaster"))

    def test_another_secret_is_a_bad_signature(self):
        with self.assertRaisesRegex(auth.NotSignedIn, "bad signature"):
            auth.read(auth.make("ada", "skipper", SECRET, 12), "another")

    def test_what_is_no_cookie_is_said(self):
        for value, reason in [("", "no cookie"), ("x", "not a cookie"), ("v1.a.b", "version v1")]:
            with self.subTest(value), self.assertRaisesRegex(auth.NotSignedIn, reason):
                auth.read(value, SECRET)

    def test_there_are_three_roles(self):
        with self.assertRaises(ValueError):
            auth.make("ada", "admiral", SECRET, 12)


if __name__ == "__main__":
    unittest.main()
