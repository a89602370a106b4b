import datetime
import unittest

from harbor import pricing


def day(text):
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


class Prices(unittest.TestCase):
    def test_seasons(self):
        for date, season in [("2026-04-14", "low"), ("2026-04-15", "high"), ("2026-10-15", "low")]:
            self.assertEqual(pricing.season(day(date)), season)

    def test_begun_metres_count_whole(self):
        self.assertEqual(pricing.night(8.1, day("2026-07-01")), 9 * 290)
        self.assertEqual(pricing.night(8.0, day("2026-07-01"), power=True), 8 * 290 + 450)

    def test_long_stays_are_cheaper(self):
        first = day("2026-07-01")
        self.assertEqual(pricing.stay(10, first, 6), 6 * 2900)
        self.assertEqual(pricing.stay(10, first, 7), 7 * 2900 * 90 // 100)
        self.assertEqual(pricing.stay(10, first, 28), 28 * 2900 * 60 // 100)
