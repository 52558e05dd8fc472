"""Microaggregation of mixed columns, and by a loss of one's own, against brute force."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.partition.microaggregation.group_loss import MixedLoss, as_points, loss_of, lost_against_all, mixed_bound
from shoal.partition.microaggregation.microaggregate import METHODS, microaggregate
from shoal.partition.microaggregation.mixed_search import exchange_by_loss
from shoal.space.space import LINE, TREE, Axis, Space
from tests.oracles.groupings import blocks_of, groupings
from tests.oracles.mixed_loss import best_mixed_loss, mixed_loss
from tests.partition.microaggregation.mixed_instances import FLAT, drawn

INSTANCES = 2000 if os.environ.get("SHOAL_TESTS") == "deep" else 200


def test_the_loss_is_that_of_the_definition_and_the_bound_is_below_the_optimum():
    for seed in range(INSTANCES):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        rows, columns, space = drawn(rng, int(rng.integers(k, 8 + (seed % 8 == 0))))
        method = str(rng.choice([*METHODS, "best"]))
        found = microaggregate(space, k, method=method, effort=20)
        loss = mixed_loss(rows, columns, blocks_of(found.labels))
        best = best_mixed_loss(rows, columns, k)
        assert found.cost == pytest.approx(float(loss), abs=1e-12), seed
        assert best <= loss
        assert found.lower_bound <= best, (seed, method)
        assert found.sizes.min() >= k
        assert found.ratio_proved is None


@pytest.mark.parametrize("gaps", ["", "counted"])
def test_what_a_record_loses_against_all_does_not_depend_on_an_offset(gaps):
    """A mean far from zero has few digits; what suppressed records cost, and a bound with it, must have all."""
    values = np.random.default_rng(0).integers(0, 1000, 60) / 8.0
    beside = np.where(np.arange(60) < 5, 200.0, 0.0) if gaps else np.zeros(60)
    axes = Axis("x", LINE, gaps=gaps), Axis("x", LINE)
    near, far = (Space(np.column_stack([values + offset, beside]), axes) for offset in (0.0, 2.0**42))
    assert lost_against_all(far) == pytest.approx(lost_against_all(near), rel=1e-12)


def test_a_bound_that_underflow_might_have_raised_is_not_reported():
    """Half of 1.6e-323 is 8e-324, between the two smallest numbers above 0; it is rounded up."""
    space = Space.from_points(np.array([[0.0], [4e-162], [1.0], [1.0]]))
    assert Fraction(4e-162) ** 2 / 2 < Fraction((4e-162) ** 2 / 2)
    for left_out in (0, 1):
        assert mixed_bound(space, 2, max_suppressed=left_out) == 0
    assert 0 < mixed_bound(Space.from_points(np.array([[0.0], [4e-140], [1.0], [1.0]])), 2) <= (4e-140) ** 2 / 2


def test_rows_of_a_column_with_gaps_may_all_have_a_number_or_all_have_none():
    """The rows with the others were left out: the column is that of numbers without gaps, or of equal ones."""
    values, missing = np.array([0.0, 1.0, 4.0, 4.0, 9.0, 3.0, 3.0]), np.array([0, 0, 0, 0, 0, 1, 1])
    for median in (False, True):
        axes = Axis("x", LINE, median=median, gaps="counted"), Axis("x", LINE, median=median)
        space = Space(np.column_stack([values, 20.0 * missing]), axes)
        there = np.flatnonzero(missing == 0)
        plain = Space(values[there, None], (Axis("x", LINE, median=median),))
        assert mixed_bound(space.take(there), 2) == pytest.approx(mixed_bound(plain, 2), rel=1e-12)
        assert microaggregate(space.take(there), 2).cost == pytest.approx(microaggregate(plain, 2).cost)
        alone = microaggregate(space.take(np.flatnonzero(missing)), 2)
        assert (alone.cost, alone.lower_bound) == (0, 0)


def test_the_bound_adds_up_what_the_nearest_records_cost():
    """Three pairs far from each other, unlike in one label: a record's share is twice its distance over 2k = 4."""
    rows = np.column_stack(([0, 3, 1, 4, 2, 5], np.repeat([0.0, 50.0, 100.0], 2)))
    space = Space(rows, (Axis("a", TREE, FLAT, np.array([0.0, 1.0])), Axis("b", LINE)))
    assert mixed_bound(space, 2) == pytest.approx(6 * 2 / 4, rel=1e-12)
    assert microaggregate(space, 2).cost == 3
    apart = Space(rows[:, 1:] + np.tile([0.0, 1.0], 3)[:, None], (Axis("b", LINE),))
    assert mixed_bound(apart, 2) == pytest.approx(microaggregate(apart, 2).cost, rel=1e-12)


def test_distances_of_the_points_are_those_of_the_columns():
    rng = np.random.default_rng(4)
    for _ in range(30):
        _, _, space = drawn(rng, 12)
        points = as_points(space)
        square = ((points[:, None] - points) ** 2).sum(axis=2)
        expected = np.zeros((12, 12))
        for j, axis in enumerate(space.axes):
            x = space.coordinates[:, j]
            if axis.kind == LINE:
                apart = np.abs(x[:, None] - x)
                expected += apart if axis.median else apart**2
            else:
                a, b = x.astype(int)[:, None], x.astype(int)
                level = (axis.ancestors[a] != axis.ancestors[b]).sum(axis=2)
                expected += axis.level_cost[level]
        assert square == pytest.approx(expected)


def test_exchanges_keep_sizes_and_never_lose():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        _, _, space = drawn(rng, 60)
        loss = MixedLoss(space)
        labels = np.repeat(np.arange(20), 3)[rng.permutation(60)]
        neighbor = np.argsort(rng.random((60, 60)), axis=1)[:, :20]
        found, stopped = exchange_by_loss(loss, neighbor, labels, 3, seed=seed, rounds=150, deadline=np.inf)
        sizes = np.bincount(found)
        assert not stopped
        assert sizes.min() >= 3
        assert sizes.max() <= 5
        assert sizes.sum() == 60
        assert loss_of(loss, found) <= loss_of(loss, labels)
        if loss_of(loss, labels) > 10:
            assert loss_of(loss, found) < 0.9 * loss_of(loss, labels)


def test_the_search_by_the_loss_itself_beats_every_other_method():
    rng = np.random.default_rng(0)
    axes = tuple(Axis(f"c{j}", TREE, FLAT, np.array([0.0, 1.0])) for j in range(5))
    space = Space(rng.integers(0, 4, (120, 5)).astype(float), axes)
    found = microaggregate(space, 4, method="best", effort=400)
    assert found.cost < 0.97 * min(microaggregate(space, 4, method=method).cost for method in METHODS)
    assert found.objective == "loss"


def spread(points):
    """Largest less smallest for every record, added over columns: a loss that is neither a mean's nor a median's."""
    return lambda rows: len(rows) * float(np.ptp(points[rows], axis=0).sum())


class Spread:
    """The same of all groups at once."""

    def __init__(self, points):
        self.points = points

    def of_groups(self, rows, groups):
        start = np.flatnonzero(np.diff(groups, prepend=-1))
        high = np.maximum.reduceat(self.points[rows], start, axis=0)
        wide = high - np.minimum.reduceat(self.points[rows], start, axis=0)
        return np.bincount(groups) * wide.sum(axis=1)


def test_a_loss_of_ones_own_is_what_is_minimized():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        points = rng.integers(0, 9, (8, 2)).astype(float)
        found = microaggregate(points, 2, method="best", effort=200, loss=spread(points))
        again = microaggregate(points, 2, method="best", effort=200, loss=Spread(points))
        assert np.array_equal(found.labels, again.labels)
        lost = spread(points)
        best = min(sum(lost(list(block)) for block in blocks) for blocks in groupings(range(8), 2))
        assert found.cost == sum(lost(list(block)) for block in blocks_of(found.labels))
        assert best <= found.cost <= 1.5 * best  # exchanges keep the number of groups
        assert found.lower_bound == 0
    points = rng.normal(size=(200, 3))
    found = microaggregate(points, 4, method="best", effort=300, loss=Spread(points))
    for other in ("mdav", "mst-d"):
        assert found.cost < 0.95 * microaggregate(points, 4, method=other, loss=Spread(points)).cost


def test_rows_of_a_loss_of_ones_own_are_those_of_the_input():
    points = np.array([5.0, 1.0, 4.0, 0.0])
    seen = set()

    def loss(rows):
        seen.add(frozenset(rows.tolist()))
        return 0.0

    microaggregate(points, 2, loss=loss)
    assert {frozenset({0, 2}), frozenset({1, 3})} <= seen


def test_what_is_proved_of_squared_error_alone_is_refused_elsewhere():
    space = Space.from_labels(list("aabbc"))
    with pytest.raises(ParameterError, match="squared error of numbers"):
        microaggregate(space, 2, method="optimal")
    with pytest.raises(ParameterError, match="squared error of numbers"):
        microaggregate(space, 2, bound="columns")
    with pytest.raises(ParameterError, match="finite"):
        microaggregate(np.arange(6.0), 2, loss=lambda rows: float("nan"))


def test_many_values_and_labels_are_grouped_too():
    rng = np.random.default_rng(1)
    leaves = np.column_stack((np.arange(300), np.zeros(300))).astype(np.int32)
    axes = (Axis("a", TREE, leaves, np.array([0.0, 1.0])), Axis("b", LINE, median=True))
    coordinates = np.column_stack((np.repeat(np.arange(100), 3), rng.normal(size=300)))
    found = microaggregate(Space(coordinates, axes), 3, method="best")
    assert found.ratio_seen < 3
    assert all(a <= b for a, b in pairwise([found.lower_bound, found.cost]))
