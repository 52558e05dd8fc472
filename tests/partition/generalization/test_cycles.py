"""CYCLES-1: pairs and triples of different values, cut from a lightest cover by cycles."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.generalization.cycles import MOST_ROWS, RATIO, _cut, cycles
from shoal.space.space import Space


def on_a_line(places, values):
    return cycles(Space.from_points(np.array(places, dtype=float)[:, None], norm=1), values)


def test_neighbors_of_one_value_are_not_paired():
    found = on_a_line([0, 1, 10, 11], ["a", "a", "b", "b"])
    assert found.labels.tolist() in ([0, 1, 0, 1], [0, 1, 1, 0])
    assert found.cost == 40.0
    assert found.lower_bound == pytest.approx(40.0)


def test_an_odd_number_of_rows_has_one_triple_of_three_values():
    found = on_a_line([0, 1, 2, 50, 51], ["a", "b", "c", "a", "b"])
    assert found.labels.tolist() == [0, 0, 0, 1, 1]
    assert found.cost == 8.0


def test_an_odd_cycle_of_two_values_and_one_other_is_cut_at_that_one():
    """Of the cycle a b a b c only triples with c have three values."""
    found = on_a_line([0, 1, 2, 3, 4], ["a", "b", "a", "b", "c"])
    sizes = sorted(found.sizes.tolist())
    assert sizes == [2, 3]
    assert found.cost == 2 * 1 + 3 * 2


def test_a_triple_has_three_values_even_where_another_would_cost_less():
    """The first three rows are near one another, but two of them have one value."""
    places = np.array([0.0, 1.0, 2.0, 20.0, 40.0])
    space = Space.from_points(places[:, None], norm=1)
    values = np.array([0, 1, 0, 1, 2])
    groups = _cut(space, [0, 1, 2, 3, 4], values, np.abs(places[:, None] - places))
    assert sorted(map(len, groups)) == [2, 3]
    assert sorted(row for group in groups for row in group) == [0, 1, 2, 3, 4]
    assert all(len(set(values[group].tolist())) == len(group) for group in groups)


def test_an_even_cycle_is_cut_at_its_longer_steps():
    places = np.array([0.0, 5.0, 6.0, 1.0])
    space = Space.from_points(places[:, None], norm=1)
    groups = _cut(space, [0, 1, 2, 3], np.array([0, 1, 0, 1]), np.abs(places[:, None] - places))
    assert sorted(map(sorted, groups)) == [[0, 3], [1, 2]]


def test_distances_off_the_grid_keep_the_bound_below_the_weight():
    rng = np.random.default_rng(0)
    found = on_a_line(rng.random(40), rng.integers(0, 4, 40))
    assert found.theorem == "CYCLES-1"
    assert found.lower_bound <= found.cost <= float(RATIO) * found.lower_bound


def test_no_ratio_is_claimed_where_rounding_hides_the_weight():
    """Two far places, and at each pairs whose distance vanishes beside that."""
    found = on_a_line([0.0, 2.0**-40, 2.0**30 / 3, 2.0**30 / 3], ["a", "b", "a", "b"])
    assert (found.ratio_proved, found.theorem) == (None, None)
    assert found.lower_bound <= found.cost


def test_distances_near_the_smallest_number_need_no_finer_grid():
    """2^-38 of the largest distance would be 0: a column whose weight is as small as a number can be."""
    places = np.array([0, 1, 9, 10]) * 5e-324
    found = on_a_line(places, ["a", "b", "a", "b"])
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert found.cost == 4 * 5e-324
    assert found.lower_bound <= found.cost


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(1)
    records, values = rng.integers(0, 4, (80, 2)), rng.integers(0, 5, 80)
    first = cycles(records, values)
    for _ in range(5):
        order = rng.permutation(80)
        assert cycles(records[order], values[order]).cost == first.cost


def test_too_many_rows_and_too_frequent_values_are_refused():
    with pytest.raises(ParameterError, match="up to 3,000 records"):
        cycles(np.zeros((MOST_ROWS + 1, 1)), np.arange(MOST_ROWS + 1))
    with pytest.raises(InfeasibleError):
        cycles([["a"], ["b"], ["c"]], [1, 1, 2])
