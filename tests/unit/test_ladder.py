"""Rungs in order: when they run, and what is discarded."""

from dataclasses import dataclass

import pytest

from bench import Declined, Ladder, Strategy


@dataclass(frozen=True)
class DropOldest(Strategy):
    count: int = 1

    def compact(self, window):
        return window.messages[self.count :]


@dataclass(frozen=True)
class Grow(Strategy):
    def compact(self, window):
        return (*window.messages, window.note("more " * 50))


@dataclass(frozen=True)
class Never(Strategy):
    def due(self, window):
        return False

    def compact(self, window):
        raise AssertionError("asked although it is not due")


def test_stops_once_the_goal_is_reached(talk, make_window):
    window = make_window(talk("u" * 10), limit=1000)
    ladder = Ladder(rungs=(DropOldest(5), DropOldest(1)), target=0.04)
    assert len(ladder.compact(window)) == 5


def test_goes_on_while_above_the_goal(talk, make_window):
    window = make_window(talk("u" * 10), limit=1000)
    ladder = Ladder(rungs=(DropOldest(5), DropOldest(1)), target=0.0)
    assert len(ladder.compact(window)) == 4
    assert [stage[0] for stage in window.services.stages] == ["DropOldest", "DropOldest"]


def test_a_result_that_is_not_smaller_is_discarded(talk, make_window):
    window = make_window(talk("uuu"))
    with pytest.raises(Declined):
        Ladder(rungs=(Grow(),), target=0.0).compact(window)
    assert len(Ladder(rungs=(Grow(), DropOldest()), target=0.0).compact(window)) == 2


def test_a_rung_with_a_due_of_its_own_is_asked_it(talk, make_window):
    window = make_window(talk("uuu"))
    assert len(Ladder(rungs=(Never(), DropOldest()), target=0.0).compact(window)) == 2


def test_scales_its_rungs():
    from strategies.rungs.prune import Prune

    assert Ladder(rungs=(Prune(),)).at(100_000).rungs[0] == Prune().at(100_000) != Prune()
