"""The bound by a search over centers: never above the optimum, its duals never above what k records lose."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from shoal.kernels.center_annealing import measure_losses
from shoal.kernels.center_pricing import price_centers
from shoal.partition.microaggregation import center_bound as module
from shoal.partition.microaggregation import centers
from shoal.partition.microaggregation.annealing import first_state
from shoal.partition.microaggregation.center_bound import center_bound
from shoal.partition.microaggregation.center_search import losses_of
from shoal.partition.microaggregation.centers import center_arrays
from shoal.partition.microaggregation.group_loss import MixedLoss, mixed_bound
from shoal.partition.microaggregation.microaggregate import least_error, microaggregate
from shoal.space.space import LINE, TREE, Axis, Space
from tests.oracles.groupings import groupings
from tests.oracles.mixed_loss import best_mixed_loss
from tests.oracles.squared_error import best_squared_error
from tests.partition.microaggregation.mixed_instances import FLAT, drawn, with_gaps

TIMES = 1000 if os.environ.get("SHOAL_TESTS") == "deep" else 60


def some_labels(n, k):
    return np.minimum(np.arange(n) // k, n // k - 1)


def loss_of_rows(loss, rows):
    return float(loss.of_groups(np.array(rows), np.zeros(len(rows), dtype=np.int64))[0])


def test_the_bound_is_at_most_the_optimum_and_often_near_it():
    reached, possible = 0.0, Fraction(0)
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        rows, columns, space = drawn(rng, int(rng.integers(2 * k, 8)))
        best = best_mixed_loss(rows, columns, k)
        found = center_bound(space, k, some_labels(len(space), k))
        assert Fraction(found.value) <= best, seed
        reached, possible = reached + found.value, possible + best
    assert reached > 0.9 * float(possible)


@pytest.mark.parametrize("make", [lambda rng, n: drawn(rng, n)[2], with_gaps])
def test_no_k_records_have_duals_above_what_they_lose_and_no_larger_group_either(make):
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        space = make(rng, 7)
        loss, duals = MixedLoss(space), center_bound(space, k, some_labels(7, k)).duals
        for m in range(k, 8):
            for rows in itertools.combinations(range(7), m):
                assert sum(duals[list(rows)]) <= loss_of_rows(loss, rows) + 1e-9, (seed, rows)


def test_the_bound_holds_where_values_are_missing():
    reached = possible = 0.0
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        k, n = [(2, 7), (3, 7), (5, 10)][seed % 3]
        space = with_gaps(rng, n)
        loss = MixedLoss(space)
        best = min(sum(loss_of_rows(loss, block) for block in blocks) for blocks in groupings(range(n), k))
        value = center_bound(space, k, some_labels(n, k)).value
        assert value <= best * (1 + 1e-12), seed
        reached, possible = reached + value, possible + best
    assert reached > 0.6 * possible


def test_no_group_loses_less_than_around_the_centers_of_the_bound():
    """Also one that is published as missing: two values among three missing ones lose what hiding them costs."""
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        space = with_gaps(rng, 10)
        state = first_state(np.zeros((10, 0)), np.zeros((10, 1), dtype=np.int64), some_labels(10, 5), 5, rng)
        lost = np.zeros(len(state.size))
        measure_losses(state, center_arrays(space, np.ones(10, dtype=np.int64), at_most=True), 5, lost)
        assert (lost[:2] <= losses_of(MixedLoss(space), some_labels(10, 5)) + 1e-9).all(), seed


def test_the_bound_is_that_of_the_linear_program_over_all_groups():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = 12, 3
        _, _, space = drawn(rng, n)
        loss = MixedLoss(space)
        sets = list(itertools.combinations(range(n), k))
        costs = [loss_of_rows(loss, rows) for rows in sets]
        member = np.array([[i in rows for rows in sets] for i in range(n)], dtype=float)
        best = linprog(costs, A_eq=member, b_eq=np.ones(n)).fun
        value = center_bound(space, k, some_labels(n, k)).value
        assert best * (1 - 2 * module.GAP) <= value <= best * (1 + 1e-9), seed


def test_a_search_that_ends_early_is_still_a_bound(monkeypatch):
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        rows, columns, space = drawn(rng, 7)
        monkeypatch.setattr(module, "WORK", int(rng.integers(0, 4000)))
        monkeypatch.setattr(module, "WORK_PER_RECORD", 0)
        found = center_bound(space, k, some_labels(7, k))
        assert Fraction(found.value) <= best_mixed_loss(rows, columns, k), seed


def excesses(space, duals, k):
    loss = MixedLoss(space)
    return {
        rows: sum(duals[list(rows)]) - loss_of_rows(loss, rows)
        for rows in itertools.combinations(range(len(space)), k)
    }


@pytest.mark.parametrize("limit", [10**9, 60])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_the_search_over_centers_misses_no_group(limit, n_parts):
    """Whatever the duals are: lowered as it says, no k records exceed their loss, and it finds the largest excess."""
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        k, n = int(rng.integers(2, 5)), 8
        space = drawn(rng, n)[2]
        duals = rng.integers(-4, 12, n) / 4.0
        arrays = center_arrays(space, np.ones(n, dtype=np.int64), at_most=True)
        found, lowered = np.full((n_parts, 4096, k), -1, dtype=np.int32), np.zeros((n_parts, n))
        told = [
            price_centers(arrays, duals, k, 1e-9, 1e-6, limit, part, n_parts, found[part], lowered[part])
            for part in range(n_parts)
        ]
        over = excesses(space, duals, k)
        after = excesses(space, duals - lowered.max(axis=0), k)
        assert max(after.values()) <= 1e-8, seed
        if all(n_open == 0 for _, n_open in told):
            largest = max(over.values())
            rows = found[found[:, :, 0] >= 0]
            seen = max((over[tuple(sorted(row.tolist()))] for row in rows), default=0.0)
            assert seen == pytest.approx(max(largest, 0.0), abs=1e-5), seed


def test_equal_records_are_one_point_and_may_be_in_a_group_more_than_once():
    rows = np.repeat(np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, 1.0]]), 3, axis=0)
    space = Space(rows, (Axis("x", LINE), Axis("y", TREE, FLAT, np.array([0.0, 3.0]))))
    assert center_bound(space, 3, some_labels(12, 3)).value == 0
    found = center_bound(space, 6, some_labels(12, 6))
    assert found.value == pytest.approx(3.0, rel=0.02)


def test_an_offset_and_a_scale_change_little_and_underflow_proves_nothing():
    rng = np.random.default_rng(1)
    points = rng.integers(0, 40, (30, 2)).astype(float)
    labels = some_labels(30, 3)
    plain = center_bound(Space.from_points(points), 3, labels).value
    assert plain > 0
    assert center_bound(Space.from_points(points + 2.0**40), 3, labels).value == pytest.approx(plain, rel=1e-6)
    assert center_bound(Space.from_points(points * 2.0**300), 3, labels).value == pytest.approx(
        plain * 2.0**600, rel=1e-9
    )
    assert center_bound(Space.from_points(points * 2.0**-520), 3, labels).value == 0
    assert center_bound(Space.from_points(points * 2.0**510), 3, labels).value >= 0


def test_numbers_far_apart_do_not_raise_it():
    """Clusters far from each other: the duals of one are nothing beside those of the other."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        points = np.concatenate([rng.integers(0, 4, (4, 2)), rng.integers(0, 4, (4, 2)) * 10**6 + 10**8])
        value = center_bound(Space.from_points(points.astype(float)), 2, some_labels(8, 2)).value
        assert Fraction(value) <= best_squared_error(points.tolist(), 2)


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 6, n), rng.normal(size=n) * 2, rng.integers(0, 6, n), rng.integers(0, 99, n) / 20]
    tree = Axis("a", TREE, FLAT, np.array([0.0, 1.0]))
    return Space(np.column_stack(columns).astype(float), (tree, Axis("b", LINE), tree, Axis("c", LINE, median=True)))


def test_neither_threads_nor_the_order_of_rows_change_it():
    space = mixed(120, 0)
    labels = microaggregate(space, 3, effort=50).labels
    one, two = (center_bound(space, 3, labels, n_threads=n) for n in (1, 2))
    assert one.value == two.value > 0
    order = np.random.default_rng(1).permutation(120)
    moved = center_bound(space.take(order), 3, labels[order])
    assert moved.value == one.value


def test_the_method_best_reports_it_on_mixed_columns_and_on_few_numbers():
    space = mixed(300, 2)
    found = least_error(space, 4, effort=200)
    assert found.details.bound == "groups"
    assert mixed_bound(space, 4) * 1.2 < found.lower_bound <= found.cost < 1.25 * found.lower_bound
    assert least_error(space, 4, effort=100).details.bound == "neighbors"
    points = np.random.default_rng(3).normal(size=(400, 2))
    few = least_error(Space.from_points(points), 8, effort=200)
    assert few.details.bound == "groups"
    assert few.cost < 1.25 * few.lower_bound


def test_columns_of_very_many_labels_do_without_the_distances_of_all_pairs(monkeypatch):
    space = mixed(60, 5)
    assert least_error(space, 3, effort=200).details.bound == "groups"
    monkeypatch.setattr(centers, "MOST_PAIRS", 71)  # 36 pairs in each of two columns
    monkeypatch.setattr(centers, "center_arrays", None)
    found = least_error(space, 3, effort=200)
    assert found.details.bound == "neighbors"
    assert found.sizes.min() >= 3
