"""The bound by column generation without a solver: never above the optimum, and near the linear program."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from shoal.partition.microaggregation import column_generation, pool_bound
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.microaggregate import least_error, microaggregate
from shoal.partition.microaggregation.neighbor_bound import neighbor_bound
from shoal.space.space import Space
from tests.oracles.squared_error import best_squared_error

TIMES = 1_000 if os.environ.get("SHOAL_TESTS") == "deep" else 40


def instances(seed, times=TIMES):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.integers(2, 5))
        n = int(rng.integers(2 * k, max(2 * k + 1, 9)))
        yield k, rng.integers(-4, 5, (n, int(rng.integers(2, 4))))


def bound_of(points, k, **more):
    square = cdist(points, points, "sqeuclidean")
    labels = mdav(np.ascontiguousarray(points, dtype=float), k)
    return pool_bound.pool_bound(square, k, labels, points.shape[1], n_threads=1, **more)


def test_the_bound_is_at_most_the_optimum_and_often_near_it():
    reached, possible = 0.0, Fraction(0)
    for k, points in instances(1):
        best = best_squared_error(points.tolist(), k)
        bound = bound_of(points, k)
        assert Fraction(bound) <= best
        reached, possible = reached + bound, possible + best
    assert reached > 0.9 * float(possible)


def test_no_k_records_exceed_what_they_lose_is_enough_for_larger_groups_too():
    """SSE-4 (a): the duals of a search among k records bind every larger group, whatever the duals are."""
    rng = np.random.default_rng(5)
    for _ in range(TIMES):
        k, n = int(rng.integers(2, 5)), 7
        square = rng.integers(0, 9, (n, n)) * 1.0
        square = np.triu(square, 1) + np.triu(square, 1).T

        def paired(rows, square=square):
            return Fraction(square[np.ix_(rows, rows)].sum()) / (2 * len(rows))

        duals = [Fraction(int(x), 4) for x in rng.integers(-4, 12, n)]
        for rows in itertools.combinations(range(n), k):  # lower the last record of a set that offers too much
            duals[rows[-1]] -= max(0, sum(duals[i] for i in rows) - paired(rows))
        for m in range(k, n + 1):
            for rows in itertools.combinations(range(n), m):
                assert sum(duals[i] for i in rows) <= paired(rows)


def test_it_is_never_below_the_bound_of_neighbors():
    """Also where no search ends: a record of a small dual is the anchor of no group."""
    for k, points in instances(6):
        records = np.ascontiguousarray(points, dtype=float)
        neighbors = neighbor_bound(records, k)
        assert bound_of(records, k) >= neighbors * (1 - 1e-9)


def test_the_bound_holds_with_short_lists_and_little_work(monkeypatch):
    rng = np.random.default_rng(2)
    for k, points in instances(2):
        monkeypatch.setattr(column_generation, "NEAREST", int(rng.integers(1, 5)))
        monkeypatch.setattr(pool_bound, "PROOF", int(rng.integers(0, 20)))
        assert Fraction(bound_of(points, k, rounds=3)) <= best_squared_error(points.tolist(), k)


def test_duals_that_are_lowered_by_far_leave_no_rounding_error_in_the_bound(monkeypatch):
    """Pairs of records whose duals prove the optimum; one of them is raised, so that its reduced cost is rounded."""
    rng = np.random.default_rng(9)
    for _ in range(40):
        points = np.array([[0, 0], [1, 0], [100, 0], [100, 1], [0, 100], [1, 101]]) * int(rng.integers(1, 9))
        raised = np.where(np.arange(6) == rng.integers(6), rng.integers(1, 2**52) * 4.0, 0.0)
        monkeypatch.setattr(
            pool_bound.GroupPool, "balance", lambda _, duals, *__, high=raised: np.where(high > 0, high, duals)
        )
        assert 0 < Fraction(bound_of(points, 2, rounds=3)) <= best_squared_error(points.tolist(), 2)


def test_the_method_best_reports_it_for_small_tables_and_small_k():
    points = np.random.default_rng(3).normal(size=(120, 3))
    found = least_error(Space.from_points(points), 3, effort=200)
    assert found.details.bound == "groups"
    quick = microaggregate(points, 3, effort=200)
    assert quick.lower_bound < found.lower_bound <= found.cost < 1.15 * found.lower_bound
    wide = np.random.default_rng(3).normal(size=(120, 4))
    assert microaggregate(wide, 7, effort=200, bound="groups").details.bound == "neighbors"
    assert least_error(Space.from_points(points), 3, effort=50).details.bound == "neighbors"


def test_the_number_of_threads_changes_nothing():
    points = np.random.default_rng(4).normal(size=(90, 3))
    one, two = (microaggregate(points, 3, effort=20, bound="groups", n_threads=n) for n in (1, 2))
    assert one.lower_bound == two.lower_bound > 0


def test_equal_records_have_no_bound_and_large_groups_start_it_too():
    assert pool_bound.pool_bound(np.zeros((6, 6)), 2, np.array([0, 0, 0, 1, 1, 1]), 2, n_threads=1) == 0
    points = np.arange(8.0)[:, None] ** 2
    whole = pool_bound.pool_bound(
        cdist(points, points, "sqeuclidean"), 2, np.zeros(8, dtype=np.int64), 1, n_threads=1
    )
    assert 0 < whole <= best_squared_error((np.arange(8)[:, None] ** 2).tolist(), 2)
    assert whole == pytest.approx(float(best_squared_error((np.arange(8)[:, None] ** 2).tolist(), 2)), rel=0.05)
