"""Large groups: a table cut where both parts cost least, and so on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.partition.generalization.annealing import _Search, regroup
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.annealing_starts import FROM_ABOVE
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.generalization.start_from_cuts import cut_at_best
from shoal.space.space import Space
from tests.oracles.generalization import Sets
from tests.oracles.generalization import generalization_cost as exact_cost
from tests.oracles.groupings import blocks_of
from tests.partition.generalization.test_cell_bound import tables, wide


def cut(space: Space, k: int, n_threads: int = 1) -> np.ndarray:
    return cut_at_best(space, by_kind(space), k, n_threads)


def best_two_parts(rows, columns, k):
    """The least cost of a cut of all rows in two; None where none leaves k in both."""
    found = []
    for column, values in zip(columns, zip(*rows, strict=True), strict=True):
        keys = list(values)
        if isinstance(column, Sets):
            keys = [(-keys.count(value), value) for value in keys]
        for key in sorted(set(keys))[1:]:
            first = [i for i, other in enumerate(keys) if other < key]
            last = [i for i, other in enumerate(keys) if other >= key]
            if min(len(first), len(last)) >= k:
                found.append(exact_cost(rows, columns, [first, last]))
    return min(found, default=None)


def test_a_table_is_cut_where_both_parts_cost_least():
    seen = 0
    for k, rows, columns, space in tables(3, 300, largest=12):
        if not len(space) < 4 * k:  # a second cut would hide the first
            continue
        labels = cut(space, k)
        best = best_two_parts(rows, columns, k)
        assert np.bincount(labels).min() >= k
        if labels.max() == 1:
            assert exact_cost(rows, columns, blocks_of(labels)) == pytest.approx(float(best), rel=1e-9)
            seen += 1
        elif labels.max() == 0:
            assert best is None
    assert seen > 30


@pytest.mark.parametrize("k", [10, 60])
def test_every_group_has_k_records_and_costs_less_than_cuts_at_medians(k):
    space = wide(1500, 3, 1)
    labels = cut(space, k)
    assert np.bincount(labels).min() >= k
    assert generalization_cost(space, labels) < mondrian(space, k, bound=False).cost


def test_one_thread_equals_two():
    space = wide(5000, 3, 2)
    np.testing.assert_array_equal(cut(space, 100), cut(space, 100, n_threads=2))


def test_equal_records_are_one_group():
    assert cut(Space.from_points(np.ones((50, 2)), norm=1), 5).max() == 0


def test_large_groups_begin_with_cuts_and_small_ones_do_not(monkeypatch):
    space, asked = wide(1000, 3, 3), []
    monkeypatch.setattr(_Search, "_cut", lambda self: asked.append(self.k))
    for k in (FROM_ABOVE, FROM_ABOVE + 1):
        regroup(space, np.arange(1000) // 100 % (1000 // (2 * k)), k, effort=1)
    assert asked == [FROM_ABOVE + 1]


def test_the_search_for_large_groups_loses_less_than_cuts_at_medians():
    space, k = wide(2000, 3, 4), FROM_ABOVE + 10
    start = mondrian(space, k, bound=False)
    labels = regroup(space, start.labels, k, seed=1).labels
    assert np.bincount(labels).min() >= k
    assert generalization_cost(space, labels) <= generalization_cost(space, cut(space, k))
    assert generalization_cost(space, labels) < 0.95 * start.cost
    assert Fraction(start.cost) > 0
