import unittest

from harbor import clock
from harbor.ratelimit import Limiter
from tests.base import MORNING


class Buckets(unittest.TestCase):
    def setUp(self):
        clock.freeze(MORNING)
        self.addCleanup(clock.freeze, None)

    def test_a_minutes_worth_then_no_more(self):
        limiter = Limiter(3)
        self.assertEqual([limiter.allow("a") for _ in range(4)], [True, True, True, False])
        self.assertTrue(limiter.allow("b"))

    def test_it_refills_by_the_second(self):
        limiter = Limiter(60)
        for _ in range(60):
            limiter.allow("a")
        self.assertFalse(limiter.allow("a"))
        clock.freeze(MORNING + 2)
        self.assertEqual([limiter.allow("a") for _ in range(3)], [True, True, False])

    def test_the_state_is_in_seconds(self):
        limiter = Limiter(10)
        limiter.allow("a")
        self.assertEqual(limiter.state("a"), (9, 1_788_000_000))

    def test_old_buckets_are_forgotten(self):
        limiter = Limiter(10)
        limiter.allow("a")
        clock.freeze(MORNING + 4000)
        self.assertEqual(limiter.forget(), 1)
