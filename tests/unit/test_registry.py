"""Names, specs and labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import BenchError
from bench.registry import label, names, strategy
from strategies.goose_like import GooseLike
from strategies.keep_last import KeepLast

RUNGS = names("strategies.rungs")


@pytest.mark.parametrize("name", [*names(), *RUNGS])
def test_every_name_is_its_own_label(name):
    assert label(strategy(name)) == name.replace("strategies/", "")


@given(st.floats(0, 1).map(lambda x: round(x, 4)), st.floats(0.01, 1).map(lambda x: round(x, 4)))
def test_parameters_round_trip_through_the_label(trigger, target):
    made = KeepLast(trigger=trigger, target=target)
    assert strategy(label(made)) == made


@given(st.permutations(RUNGS))
def test_a_ladder_of_any_order_round_trips(order):
    spec = f"ladder[target=0.25]:{'>'.join(order)}"
    assert label(strategy(spec)) == spec


def test_values_of_every_kind():
    assert strategy("goose-like[pairs=off,cutoff=none]") == GooseLike(pairs=False)
    assert strategy("goose-like[cutoff=1_000]").cutoff == 1000
    assert strategy(" keep-last [ target = 0.3 ]") == KeepLast(target=0.3)
    assert strategy("truncate@source").source
    assert label(strategy("truncate@source")) == "truncate[source=on]"


@pytest.mark.parametrize(
    "spec",
    ["", "[]", "keep-last[", "keep-last[target]", "prune@source", "truncate@sauce", "ladder:>",
     "ladder:none>nobody", "floor[trigger=0.5]"],
)  # fmt: skip
def test_what_cannot_be_read_is_said(spec):
    with pytest.raises(BenchError):
        strategy(spec)
