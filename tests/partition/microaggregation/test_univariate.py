"""UNI-1 against every grouping, and the dynamic program over orders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InfeasibleError, ParameterError
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
