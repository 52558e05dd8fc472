"""Microaggregation: MDAV, the neighbor bound, and what every method must keep."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.microaggregation.microaggregate import ALL_METHODS, microaggregate, standardize
from shoal.space.space import Space
from tests.oracles.squared_error import best_squared_error, squared_error

MANY_COLUMNS = [method for method in ALL_METHODS if method != "optimal"]


def load(folder, name):
    return standardize(np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1))


def plain_sse(points, labels):
    return sum(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def textbook_mdav(points, k):
    """MDAV as its authors write it, on sorted points, ties to the first."""
    points = points[np.lexsort(points.T[::-1])]
    left, groups = list(range(len(points))), []

    def take(anchor):
        near = sorted(left, key=lambda i: (i != anchor, ((points[i] - points[anchor]) ** 2).sum(), i))[:k]
        groups.append(near)
        for i in near:
            left.remove(i)

    def farthest(center):
        return max(left, key=lambda i: (((points[i] - center) ** 2).sum(), -i))

    while len(left) >= 3 * k:
        r = farthest(points[left].mean(axis=0))
        take(r)
        take(farthest(points[r]))
    if len(left) >= 2 * k:
        take(farthest(points[left].mean(axis=0)))
    groups.append(left)
    return {frozenset(g) for g in groups}


integer_points = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(-9, 9)] * d), min_size=2, max_size=9).map(
        lambda rows: np.array(rows, dtype=float)
    )
)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "losses", "bounds"),
    [
        ("Tarragona", (16.93, 22.46, 33.19), (9.86, 13.93, 19.22)),
        ("Census", (5.69, 9.09, 14.16), (3.44, 5.02, 7.34)),
    ],
)
def test_mdav_and_the_neighbor_bound_give_the_published_figures(shared_data, name, losses, bounds):
    points = load(shared_data, name)
    for k, loss, bound in zip((3, 5, 10), losses, bounds, strict=True):
        p = microaggregate(points, k, method="mdav")
        assert round(p.details.loss, 2) == loss
        assert round(100 * p.lower_bound / p.details.total, 2) == bound


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(2, 60))
def test_mdav_forms_the_groups_of_the_textbook(seed, k, n):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    if n < k:
        return
    order = np.lexsort(points.T[::-1])
    labels = microaggregate(points, k, method="mdav").labels[order]
    assert {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)} == textbook_mdav(points, k)


@pytest.mark.parametrize("method", MANY_COLUMNS)
@given(points=integer_points, k=st.integers(2, 4), seed=st.integers(0, 99))
def test_groups_are_large_enough_the_cost_is_right_and_the_bound_holds(method, points, k, seed):
    if len(points) < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            microaggregate(points, k, method=method)
        return
    before = points.copy()
    p = microaggregate(points, k, method=method)
    assert np.array_equal(points, before)
    assert p.sizes.min() >= k
    assert p.labels.min() == 0
    assert p.cost == pytest.approx(plain_sse(points, p.labels), rel=1e-9, abs=1e-9)
    assert p.lower_bound <= best_squared_error(points.astype(int).tolist(), k)
    assert p.lower_bound <= p.cost
    shuffle = np.random.default_rng(seed).permutation(len(points))
    assert microaggregate(points[shuffle], k, method=method, n_threads=1).cost == p.cost


@pytest.mark.parametrize("method", MANY_COLUMNS)
def test_shuffled_rows_give_the_same_groups_when_all_points_differ(method):
    points = np.random.default_rng(3).normal(size=(97, 2))
    shuffle = np.random.default_rng(4).permutation(97)
    one, other = (
        microaggregate(points, 4, method=method).labels,
        microaggregate(points[shuffle], 4, method=method).labels,
    )
    same = one[:, None] == one
    assert np.array_equal(same[np.ix_(shuffle, shuffle)], other[:, None] == other)


@pytest.mark.parametrize("method", MANY_COLUMNS)
def test_equal_records_cost_nothing(method):
    p = microaggregate(np.ones((23, 2)), 5, method=method)
    assert p.sizes.min() >= 5
    assert p.cost == p.lower_bound == p.details.loss == 0
    assert p.ratio_seen == 1


@pytest.mark.parametrize("method", MANY_COLUMNS)
def test_a_large_offset_changes_no_group(method):
    # Multiples of 2^-10, so that adding 10^8 is exact.
    points = np.round(np.random.default_rng(0).normal(size=(200, 3)) * 1024) / 1024
    near, far = microaggregate(points, 3, method=method), microaggregate(points + 1e8, 3, method=method)
    assert np.array_equal(near.labels, far.labels)
    assert far.cost == pytest.approx(near.cost, rel=1e-12)
    assert far.lower_bound == near.lower_bound


@pytest.mark.parametrize("factor", [2.0**-500, 2.0**-400, 2.0**400])
def test_huge_and_tiny_coordinates_give_the_same_groups(factor):
    points = np.random.default_rng(0).normal(size=(60, 3))
    assert np.array_equal(microaggregate(points * factor, 3).labels, microaggregate(points, 3).labels)


def test_too_wide_points_are_refused_with_a_way_out():
    with pytest.raises(ParameterError, match="standard deviation"):
        microaggregate(np.array([[-1e300], [1e300], [0.0]]), 2)


def test_fewer_than_two_groups_of_records_are_one_optimal_group():
    p = microaggregate(np.arange(9.0)[:, None], 5)
    assert p.n_groups == 1
    assert p.cost == 60
    assert 60 * (1 - 1e-13) < p.lower_bound < 60


def test_the_bound_of_one_group_is_below_its_error_with_many_columns_too():
    """Small squares of many columns that are all rounded up when they are added to a large one."""
    records = np.zeros((3, 2000))
    records[1:, 0], records[1:, 1:] = 1.0, math.sqrt(2.0**-53 * 1.05)
    exact = squared_error([tuple(map(Fraction, row)) for row in records.tolist()], [(0, 1, 2)])
    assert 0 < Fraction(microaggregate(records, 2).lower_bound) <= exact


def test_a_space_without_columns_is_grouped_freely():
    p = microaggregate(Space(np.zeros((7, 0)), ()), 3)
    assert p.sizes.min() >= 3
    assert p.cost == 0


def test_centers_are_the_groups_means_in_the_given_coordinates():
    points = np.random.default_rng(1).normal(size=(31, 2)) + 1e6
    p = microaggregate(points, 4)
    for g, center in enumerate(p.centers):
        assert center == pytest.approx(points[p.labels == g].mean(axis=0), rel=1e-14)


@pytest.mark.parametrize(("k", "method"), [(1, "mdav"), (3, "guess")])
def test_a_parameter_that_means_nothing_is_refused(k, method):
    with pytest.raises(ParameterError):
        microaggregate(np.zeros((9, 2)), k, method=method)


def test_standardize_gives_mean_0_variance_1_and_leaves_constants_at_0():
    z = standardize(np.array([[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]]))
    assert z.mean(axis=0) == pytest.approx([0, 0])
    assert z.var(axis=0) == pytest.approx([1, 0])


@pytest.mark.parametrize("method", ["mdav", "mst", "best"])
def test_the_bound_of_one_column_is_at_most_the_exact_optimum(method):
    """Values that differ in their last digits: cuts compared in floating point are not the best, and no bound."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        k = int(rng.integers(2, 5))
        near = 2.0 ** rng.integers(20, 30) - 50 + rng.integers(0, 40, int(rng.integers(2 * k, 30))) * 2.0**-27
        column = np.concatenate([np.full(k, -100.0), near])[:, None]
        optimum = microaggregate(column, k, method="optimal")
        assert optimum.ratio_proved == 1
        assert microaggregate(column, k, method=method, effort=5).lower_bound <= optimum.cost
