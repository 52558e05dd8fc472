from __future__ import annotations

from tests.oracles.covering import best_intervals, best_largest_class


def test_labels_that_divide_evenly_reach_k():
    assert best_largest_class([3, 4, 2, 1, 5], 5) == 5


def test_an_odd_large_label_forces_three_into_one_class():
    assert best_largest_class([9] * 5, 10) == 27


def test_a_heavy_label_is_alone_or_with_what_is_too_light():
    assert best_largest_class([30, 4, 0], 5) == 34
    assert best_largest_class([30, 4, 1], 5) == 30


def test_too_few_people_have_no_class():
    assert best_largest_class([1, 2], 4) is None
    assert best_intervals([1, 2], 4) is None


def test_an_order_costs_what_its_runs_cost():
    assert best_intervals([3, 4, 2, 1, 5], 5) == 8  # 3 4 | 2 1 5
    assert best_intervals([1, 9, 1], 5) == 11
