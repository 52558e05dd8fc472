"""Regions regrouped on their own: never worse, the best where a region is all there is, the same on any threads."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.partition.microaggregation import set_partitioning as improve_columns
from shoal.partition.microaggregation.annealing import as_columns
from shoal.partition.microaggregation.column_generation import column_bound, distinct
from shoal.partition.microaggregation.large_neighborhoods import _regions, _within, improve_regions
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.microaggregate import microaggregate
from shoal.partition.microaggregation.set_partitioning import best_at_prices
from shoal.partition.microaggregation.sse import sse
from tests.oracles.squared_error import best_squared_error


def regrouped(points, k, labels, size, n_threads=1, deadline=np.inf):
    return improve_regions(
        points, k, labels, as_columns(labels, k), size=size, deadline=deadline, n_threads=n_threads
    )


def test_a_region_of_all_records_mostly_ends_at_their_optimum():
    rng = np.random.default_rng(0)
    reached = 0
    for number in range(24):
        k = 2 + number % 3
        n = int(rng.integers(2 * k, 10))
        points = rng.integers(0, 2 + number % 8, (n, 2)).astype(float)
        start = rng.permutation(np.minimum(np.arange(n) // k, n // k - 1))
        optimum = float(best_squared_error(points.astype(int).tolist(), k))
        cost = sse(points, regrouped(points, k, start, n)[0])
        assert optimum - 1e-9 <= cost <= sse(points, start)
        reached += cost <= optimum * (1 + 1e-9) + 1e-9
    # Not a theorem: the linear program's groups need not be those of the optimum.
    assert reached >= 20


@settings(max_examples=settings().max_examples // 10)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.booleans())
def test_regions_keep_sizes_are_never_worse_and_do_not_depend_on_threads(seed, k, ties):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (40, 2)).astype(float) if ties else rng.standard_t(2, (40, 3))
    start = mdav(points, k)
    one, groups = regrouped(points, k, start, 20)
    two, _ = regrouped(points, k, start, 20, n_threads=2)
    assert np.array_equal(one, two)
    sizes = np.bincount(one)
    assert k <= sizes.min() <= sizes.max() < 2 * k
    assert sse(points, one) <= sse(points, start)
    assert {tuple(row) for row in distinct(as_columns(one, k))} <= {tuple(row) for row in groups}


def test_regions_find_what_single_changes_do_not():
    points = np.random.default_rng(3).normal(size=(150, 3))
    start = microaggregate(points, 3, method="best", effort=60, bound=False)
    found, _ = regrouped(points, 3, start.labels, 50)
    assert sse(points, found) < 0.99 * start.cost


def test_without_time_the_groups_stay():
    points = np.random.default_rng(0).normal(size=(60, 2))
    start = mdav(points, 3)
    assert np.array_equal(regrouped(points, 3, start, 20, deadline=time.monotonic() - 1)[0], start)


def test_regions_of_one_time_are_whole_groups_and_do_not_overlap_and_all_points_are_seen():
    points = np.random.default_rng(0).normal(size=(200, 2))
    labels = mdav(points, 4)
    seen = np.zeros(200, dtype=bool)
    for _ in range(200):
        regions = _regions(points, labels, seen, 30)
        rows = np.concatenate(regions)
        assert len(np.unique(rows)) == len(rows)
        for own in regions:
            assert len(own) <= 30
            assert np.array_equal(own, np.flatnonzero(np.isin(labels, labels[own])))
        if seen.all():
            break
    assert seen.all()


def test_only_groups_that_lie_within_a_region_are_offered_to_it():
    groups = np.array([[4, 2, 1], [5, 3, -1], [3, 2, -1]])
    assert _within(groups, np.array([1, 2, 3, 4]), 6).tolist() == [[3, 1, 0], [2, 1, -1]]


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(0, 2**32 - 1), st.integers(6, 9))
def test_groups_left_out_for_their_price_are_in_no_better_grouping(seed, n):
    rng = np.random.default_rng(seed)
    points = rng.integers(-9, 9, (n, 2)).astype(float)
    start = mdav(points, 3)  # near the optimum, so that the gap leaves out much
    found = column_bound(points, 3, start, as_columns(start, 3), seconds=60, n_threads=1)
    everything = np.array([[*s, *[-1] * (5 - len(s))] for m in (3, 4, 5) for s in combinations(range(n), m)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(improve_columns, "PRICED", 10**6)
        best = best_at_prices(points, everything, start, found.duals, nodes=10**6)
    assert sse(points, best) == pytest.approx(float(best_squared_error(points.astype(int).tolist(), 3)), abs=1e-6)
