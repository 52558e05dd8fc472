"""Groups of the cheapest cells first, and the search that begins with them."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from shoal.partition.generalization import annealing_schedule as regroup_schedule
from shoal.partition.generalization import start_from_cells as cell_start
from shoal.partition.generalization.annealing import regroup
from shoal.partition.generalization.forest import forest, generalization_cost
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.space.space import Space
from tests.partition.generalization.test_cell_bound import price_of, tables, wide


def test_every_group_is_the_cheapest_of_k_records_that_are_left():
    for k, rows, columns, space in tables(21, 100):
        labels = cheapest_first(space, k)
        if labels is None:
            assert price_of(columns, rows) == 0
            continue
        assert np.count_nonzero(labels < 0) < k
        for group in range(labels.max() + 1):
            left = [row for row, label in zip(rows, labels, strict=True) if label < 0 or label >= group]
            cheapest = min(price_of(columns, some) for some in itertools.combinations(left, k))
            members = [row for row, label in zip(rows, labels, strict=True) if label == group]
            assert len(members) >= k
            assert price_of(columns, members) == cheapest


def test_by_hand_the_cheap_pair_comes_before_the_dear_one():
    space = Space.from_points([[0.0], [1.0], [1.5], [9.0]], norm=1)
    assert cheapest_first(space, 2).tolist() == [1, 0, 0, 1]


def test_the_order_of_rows_does_not_matter():
    space = wide(400, 3, 1)
    order = np.random.default_rng(2).permutation(400)
    assert cheapest_first(space.take(order), 4).tolist() == cheapest_first(space, 4)[order].tolist()


def test_equal_records_are_a_group_and_where_nothing_can_differ_there_are_no_cells():
    assert cheapest_first(Space.from_labels(["a"] * 5), 2).tolist() == [0] * 5
    assert cheapest_first(Space.from_points([[1.0]] * 5, norm=1), 2) is None
    assert cheapest_first(Space(np.zeros((5, 0)), (), 1), 2) is None


def test_the_search_ends_no_dearer_than_the_cheapest_cells_and_without_them_where_they_are_too_many(monkeypatch):
    k = 5
    some = ((space, cheapest_first(space, k)) for space in (wide(500, 4, seed) for seed in range(50)))
    space, labels = next((space, labels) for space, labels in some if (labels >= 0).all())
    began = forest(space, k)
    found, _ = regroup(space, began.labels, k, effort=0.01)
    cost = generalization_cost(space, found)
    assert cost <= generalization_cost(space, labels) < 0.9 * began.cost
    monkeypatch.setattr(cell_start, "WORK", 1)
    monkeypatch.setattr(cell_start, "LEAST_WORK", 1)
    assert cheapest_first(space, k) is None
    others, _ = regroup(space, began.labels, k, effort=0.01)
    assert cost < generalization_cost(space, others) <= began.cost


@pytest.mark.parametrize("limit", [0.3, 1.5])
def test_with_a_time_limit_alone_the_search_takes_that_long_and_says_so(limit):
    space = wide(3_000, 4, 4)
    labels = forest(space, 5).labels
    regroup(space, labels, 5, effort=1)
    begun = time.monotonic()
    found, timed_out = regroup(space, labels, 5, time_limit=limit)
    assert timed_out
    assert time.monotonic() - begun > 0.5 * limit
    assert generalization_cost(space, found) < generalization_cost(space, labels)


def test_a_search_that_leads_astray_is_undone(monkeypatch):
    monkeypatch.setattr(regroup_schedule, "HOT", 1e3)
    space = wide(500, 4, 1)
    labels = cheapest_first(space, 5)
    assert (labels >= 0).all()
    found, _ = regroup(space, forest(space, 5).labels, 5, effort=3)
    assert generalization_cost(space, found) <= generalization_cost(space, labels)
