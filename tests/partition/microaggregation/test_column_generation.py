"""The bound by columns: never above the optimum, the linear program's own where it converged, valid elsewhere."""

from __future__ import annotations

import math
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from shoal.errors import ParameterError
from shoal.partition.microaggregation import column_generation
from shoal.partition.microaggregation.annealing import as_columns
from shoal.partition.microaggregation.column_generation import Prices, column_bound, first_columns
from shoal.partition.microaggregation.microaggregate import microaggregate, standardize
from shoal.partition.microaggregation.neighbor_bound import neighbor_bound
from tests.oracles.squared_error import best_squared_error

few_points = st.integers(2, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(-4, 4)] * d), min_size=4, max_size=8).map(
        lambda rows: np.array(sorted(rows), dtype=float)
    )
)


def sets(n, k):
    return [s for m in range(k, 2 * k) for s in combinations(range(n), m)]


def error(points, members):
    own = points[list(members)]
    return float(((own - own.mean(axis=0)) ** 2).sum())


def relaxation(points, k):
    """The linear program over all groups of k to 2k - 1 points."""
    columns = sets(len(points), k)
    matrix = np.array([[i in s for s in columns] for i in range(len(points))], dtype=float)
    return linprog([error(points, s) for s in columns], A_eq=matrix, b_eq=np.ones(len(points))).fun


def bound_of(points, k, seconds=60.0):
    return column_bound(points, k, *first_columns(points, k), seconds=seconds, n_threads=1)


def prices_of(points, k):
    square = cdist(points, points, "sqeuclidean")
    return Prices.of(square, k)


@settings(max_examples=settings().max_examples * 2)
@given(few_points, st.integers(2, 4))
def test_the_bound_is_at_most_the_optimum_and_at_least_the_neighbors(points, k):
    assume(len(points) >= 2 * k)
    bound = bound_of(points, k)
    assert bound.value <= float(best_squared_error(points.astype(int).tolist(), k))
    assert bound.value >= neighbor_bound(points, k) * (1 - 1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(6, 11), st.booleans())
def test_a_converged_bound_is_the_optimum_of_the_linear_program_over_all_groups(seed, k, n, ties):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (n, 2)).astype(float) if ties else rng.normal(size=(n, 3)) + 100
    bound, optimum = bound_of(points, k), relaxation(points, k)
    assert bound.converged
    # Twice the gap at which the generation stops.
    assert optimum * (1 - 2 * column_generation.GAP) - 1e-12 <= bound.value <= optimum * (1 + 1e-9)


@settings(max_examples=settings().max_examples * 2)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(8, 11), st.booleans())
def test_pricing_finds_the_least_reduced_cost_of_all_sets(seed, k, n, ties):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (n, 2)).astype(float) if ties else rng.normal(size=(n, 3))
    duals = rng.normal(0.5, 1.0, n) * rng.choice([0.3, 1.0, 4.0])
    reduced = {s: error(points, s) - duals[list(s)].sum() for s in sets(n, k)}
    found, least, bound = prices_of(points, k).search(duals, 10**9, np.inf, 1)
    assert np.array_equal(least, bound)
    assert least.min() == pytest.approx(min(-column_generation.TOLERANCE, *reduced.values()), abs=1e-9)
    for row in found:
        assert reduced[tuple(sorted(row[row >= 0]))] < -column_generation.TOLERANCE / 2
    # Every set of negative reduced cost has a member around which the least found is as low.
    for members, cost in reduced.items():
        assert cost >= -1e-9 or bound[list(members)].min() <= cost + 1e-9


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(0, 60))
def test_a_search_cut_short_still_bounds_what_it_did_not_see(seed, k, limit):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(10, 2))
    duals = rng.uniform(0.0, 3.0, 10)
    _, least, bound = prices_of(points, k).search(duals, limit, np.inf, 1)
    repaired = duals + bound
    assert (bound <= least).all()
    for members in sets(10, k):
        assert error(points, members) >= repaired[list(members)].sum() - 1e-9


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(1, 6), st.sampled_from([0, 5, 20_000]))
def test_the_duals_of_every_round_are_feasible_and_one_cut_short_has_not_converged(seed, k, rounds, limit):
    points = np.random.default_rng(seed).normal(size=(10, 2))
    start = np.minimum(np.arange(10) // k, 10 // k - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_generation, "FIRST_LIMIT", limit)
        bound = column_bound(points, k, start, as_columns(start, k), seconds=60, n_threads=1, rounds=rounds)
    for members in sets(10, k):
        assert error(points, members) >= bound.duals[list(members)].sum() - 1e-9
    assert bound.value <= math.fsum(bound.duals)
    optimum = relaxation(points, k)
    assert not bound.converged or bound.value >= optimum * (1 - 2 * column_generation.GAP)
    assert bound.value <= optimum * (1 + 1e-9)


def test_a_pricing_cut_short_by_work_or_by_the_clock_is_not_called_converged(monkeypatch):
    points = np.random.default_rng(5).normal(size=(40, 3))
    labels, groups = first_columns(points, 4)
    optimum = column_bound(points, 4, labels, groups, seconds=60, n_threads=1)
    assert optimum.converged
    # With all columns of the optimum there, a search that looks at nothing finds nothing: that proves nothing.
    monkeypatch.setattr(column_generation, "FIRST_LIMIT", 0)
    short = column_bound(points, 4, labels, optimum.groups, seconds=60, n_threads=1, rounds=1)
    assert not short.converged
    assert short.value < optimum.value
    monkeypatch.setattr(sys.modules[microaggregate.__module__], "BOUND_SECONDS", 0.0)
    assert "stopped before it converged" in microaggregate(points, 4, bound="columns").details.bound


def test_a_bound_without_time_is_the_neighbors_and_says_that_it_has_not_converged():
    points = np.random.default_rng(0).normal(size=(60, 3))
    bound = bound_of(points, 3, seconds=0.0)
    assert not bound.converged
    assert bound.value == pytest.approx(neighbor_bound(points, 3), rel=1e-9)


def test_one_and_two_threads_give_the_same_bound_and_it_is_named():
    points = np.random.default_rng(1).normal(size=(90, 2))
    one, two = (microaggregate(points, 3, method="mst", bound="columns", n_threads=t) for t in (1, 2))
    assert one.lower_bound == two.lower_bound > 1.2 * microaggregate(points, 3, method="mst").lower_bound
    assert one.details.bound == "columns"
    assert microaggregate(points, 3).details.bound == "neighbors"


def test_scale_and_offset_do_not_break_the_bound():
    points = np.random.default_rng(2).normal(size=(40, 2))
    bound = bound_of(points, 3).value
    assert bound_of(points * 2.0**300 + 2.0**310, 3).value == pytest.approx(bound * 2.0**600, rel=1e-4)


def test_equal_records_have_bound_0():
    assert bound_of(np.ones((12, 2)), 3).value == 0.0


def test_an_unknown_bound_and_too_many_records_for_it_are_refused():
    with pytest.raises(ParameterError, match="'best' is not known"):
        microaggregate(np.eye(4), 2, bound="best")
    with pytest.raises(ParameterError, match="at most 5000 records; there are 5001"):
        microaggregate(np.zeros((5001, 2)), 2, bound="columns")


@pytest.mark.deep
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "k", "least"),
    [
        ("Census", 3, 4.64),
        ("Census", 4, 6.00),
        ("Census", 5, 6.80),  # 7.20 when it converges, which takes one quiet core 90 s
        ("Tarragona", 3, 13.85),
        ("Tarragona", 4, 17.04),
        ("Tarragona", 5, 19.00),
    ],
)
def test_bounds_of_the_reference_tables(shared_data, name, k, least):
    points = standardize(np.loadtxt(shared_data / f"{name}.csv", delimiter=",", skiprows=1))
    p = microaggregate(points, k, bound="columns")
    assert 100 * p.lower_bound / p.details.total >= least
