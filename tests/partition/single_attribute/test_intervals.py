"""Intervals of an ordered column beyond what the ratio's suite sees."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.single_attribute.intervals import intervals


def test_one_value_per_person_is_cut_into_even_runs():
    found = intervals(np.arange(10), 3)
    assert sorted(found.sizes) == [3, 3, 4]
    assert np.all(np.diff(found.labels) >= 0)
    assert found.cost == found.lower_bound == 4
    assert found.ratio_proved == 1


def test_values_may_be_text():
    assert intervals(["b", "a", "c", "d"], 2).labels.tolist() == [0, 0, 1, 1]


def test_equal_values_stay_together_even_where_that_costs():
    assert intervals([1, 1, 1, 1, 1, 2], 2).labels.tolist() == [0] * 6


def test_the_order_of_rows_changes_nothing():
    line = np.random.default_rng(0).integers(0, 50, 200)
    mixed = np.random.default_rng(1).permutation(200)
    before, after = intervals(line, 7), intervals(line[mixed], 7)
    assert np.array_equal(
        before.labels[mixed][:, None] == before.labels[mixed], after.labels[:, None] == after.labels
    )


def test_weights_are_people():
    line = np.random.default_rng(2).integers(0, 30, 500)
    values, counts = np.unique(line, return_counts=True)
    assert intervals(values, 20, weights=counts).cost == intervals(line, 20).cost


def test_many_people_take_no_time():
    line = np.random.default_rng(3).normal(size=200_000)
    assert intervals(line, 50).cost == 50


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        ([[1, 2]], {}, "one row of values"),
        ([1, np.nan], {}, "without gaps"),
        ([1, 2], {"weights": [1]}, "for 2 values"),
    ],
)
def test_what_means_nothing_is_refused(values, options, told):
    with pytest.raises(ParameterError, match=told):
        intervals(values, 1, **options)


def test_too_few_people_are_told_in_one_sentence():
    with pytest.raises(InfeasibleError, match="k=3 needs values held by at least 3 people; these are held by 2"):
        intervals([1, 2], 3)
