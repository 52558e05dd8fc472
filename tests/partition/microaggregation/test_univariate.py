"""UNI-1 against every grouping, and the dynamic program over orders."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition import microaggregate
from shoal.partition.microaggregation import exact_runs
from shoal.partition.microaggregation.sse import sse
from shoal.partition.microaggregation.univariate import cut_order, univariate
from tests.oracles.groupings import blocks_of
from tests.oracles.squared_error import best_squared_error, squared_error


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=9), st.integers(2, 4))
def test_one_column_reaches_the_optimum(values, k):
    if len(values) < k:
        with pytest.raises(InfeasibleError):
            univariate(np.array(values), k)
        return
    p = univariate(np.array(values, dtype=float), k)
    points = [(x,) for x in values]
    assert squared_error(points, blocks_of(p.labels)) == best_squared_error(points, k)
    assert p.cost == pytest.approx(float(best_squared_error(points, k)), abs=1e-12)
    assert p.sizes.min() >= k
    assert p.cost * (1 - 1e-13) <= p.lower_bound <= best_squared_error(points, k)


def test_runs_of_an_order_are_the_best_runs():
    rng = np.random.default_rng(5)
    points = rng.integers(0, 9, (11, 2)) * 1.0
    order = rng.permutation(11)

    def runs(start):
        if start == 11:
            yield []
        for stop in range(start + 3, 12):
            yield from ([order[start:stop], *rest] for rest in runs(stop))

    best = min(sum(((points[r] - points[r].mean(axis=0)) ** 2).sum() for r in cut) for cut in runs(0))
    assert sse(points, cut_order(points, order, 3)) == pytest.approx(best, rel=1e-12)


def test_an_offset_changes_no_cut():
    values = np.round(np.random.default_rng(0).normal(size=500) * 1024) / 1024
    assert np.array_equal(univariate(values, 4).labels, univariate(values + 1e9, 4).labels)


def test_several_columns_are_refused():
    with pytest.raises(ParameterError, match="one column"):
        univariate(np.zeros((5, 2)), 2)


def exact_error(values, labels):
    """The squared error in exact arithmetic."""
    return squared_error([(Fraction(x),) for x in values], blocks_of(labels))


def exact_optimum(values, k):
    return best_squared_error([(Fraction(x),) for x in values], k)


FAR = [-100.0, -100.0, *(2.0**26 - 50 + j * 2.0**-27 for j in range(5))]
"""Values whose squares have far more digits than a floating-point number, and whose groups are very narrow."""


@pytest.mark.parametrize("method", ["optimal", "mdav", "best"])
def test_squares_that_underflow_raise_no_bound(method):
    """Two records differ by far less than the column is wide: divided by its width, their square rounds up."""
    column = np.array([0.0, 0.0, 1e-3, 1e-3 + 6.5e-12, 1e150, 1e150])
    for records in (column[:, None], np.column_stack([column, column]))[: 1 if method == "optimal" else 2]:
        found = microaggregate(records, 2, method=method, effort=5)
        best = best_squared_error([tuple(map(Fraction, row)) for row in records.tolist()], 2)
        assert Fraction(found.lower_bound) <= best


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_the_optimum_of_far_and_narrow_groups_is_exact(n):
    values = FAR[:n]
    found = univariate(np.array(values), 2)
    assert exact_error(values, found.labels) == exact_optimum(values, 2)
    assert found.ratio_proved == 1
    assert found.lower_bound <= exact_optimum(values, 2)
    assert found.cost == pytest.approx(float(exact_optimum(values, 2)), rel=1e-13)


def best_runs(values, k):
    """The least squared error of runs of sorted values, by exact arithmetic."""
    exact = [Fraction(x) for x in sorted(values)]
    best = {0: Fraction(0)}
    for end in range(k, len(exact) + 1):
        begins = [begin for begin in range(max(0, end - 2 * k + 1), end - k + 1) if begin in best]
        best[end] = min(
            best[begin] + squared_error([(x,) for x in exact[begin:end]], [range(end - begin)]) for begin in begins
        )
    return best[len(exact)]


@pytest.mark.parametrize("k", [2, 3])
def test_many_narrow_groups_far_from_zero_are_cut_exactly(k):
    steps = np.random.default_rng(k).integers(0, 60, 40)
    values = [-100.0, -100.0, -100.0, *(2.0**26 - 50 + step * 2.0**-27 for step in steps.tolist())]
    found = univariate(np.array(values), k)
    assert exact_error(values, found.labels) == best_runs(values, k)


def test_costs_that_differ_by_less_than_rounding_can_tell_are_compared_exactly():
    values = [-14.0, -13.0, -12.0, 0.0, 1e-40, 3e-40, 4.5e-40, 8e-40]
    found = univariate(np.array(values), 2)
    assert found.ratio_proved == 1
    assert exact_error(values, found.labels) == exact_optimum(values, 2) == best_runs(values, 2)


@given(
    st.lists(
        st.one_of(
            st.sampled_from([0.1, 0.2, 0.3, 1e-9, -7.3, 2.0**26, 2.0**26 + 2.0**-26, 1e15, 1e15 + 0.125]),
            st.floats(-1e6, 1e6, width=32),
            st.floats(-1e300, 1e300).filter(lambda x: abs(x) < 1e140),
        ),
        min_size=3,
        max_size=9,
    ),
    st.integers(2, 3),
)
def test_whatever_the_values_are_the_optimum_is_exact_where_1_is_claimed(values, k):
    found = univariate(np.array(values), k)
    best = exact_optimum(values, k)
    assert found.lower_bound <= best
    if found.ratio_proved is not None:
        assert exact_error(values, found.labels) == best


def test_ties_that_rounding_cannot_tell_from_differences_are_decided_exactly(monkeypatch):
    asked = []
    exact = exact_runs._squared_error
    monkeypatch.setattr(exact_runs, "_squared_error", lambda values, runs: asked.append(runs) or exact(values, runs))
    values = np.array([1e-60, 1e-60, 10, 11, 12, 13, 14])  # two equal cuts of the last five, on a very fine grid
    found = univariate(values, 2)
    assert asked
    assert found.ratio_proved == 1
    monkeypatch.setattr(exact_runs, "MOST_VALUES", -1)
    unproved = univariate(values, 2)
    assert (unproved.ratio_proved, unproved.lower_bound, unproved.theorem) == (None, 0.0, None)
    assert unproved.cost == pytest.approx(found.cost)


def test_a_value_that_scaling_would_round_takes_the_claim_away():
    values = [1e-310, 3e-310, 1e149, 1e149]
    assert univariate(np.array(values), 2).ratio_proved is None


@given(st.lists(st.integers(0, 40), min_size=6, max_size=14), st.integers(2, 5), st.integers(-30, 30))
def test_whole_numbers_and_their_multiples_are_decided_without_exact_arithmetic(values, k, power):
    """On a grid, what rounding cannot tell apart is equal."""
    before, exact_runs.MOST_VALUES = exact_runs.MOST_VALUES, -1
    try:
        assert univariate(np.ldexp(np.array(values, dtype=float), power), k).ratio_proved == 1
    finally:
        exact_runs.MOST_VALUES = before
