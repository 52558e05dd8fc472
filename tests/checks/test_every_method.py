"""What must hold of every partitioning method, whatever it minimizes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Partition
from tests.checks.methods import METHODS, Method

pytestmark = pytest.mark.parametrize("method", METHODS, ids=str)

RNG_SEEDS = range(3)


def clouds(seed: int, n: int = 60, d: int = 3) -> np.ndarray:
    """Points without ties."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 6 * rng.integers(0, 3, (n, 1))


def crowded(seed: int, n: int = 60, d: int = 2) -> np.ndarray:
    """Points with many duplicates and ties."""
    return np.random.default_rng(seed).integers(0, 4, (n, d)).astype(float)


def check_groups(partition: Partition, n: int, k: int) -> None:
    """Every record once, groups large enough, numbered by first record, and a cost that the bound does not exceed."""
    assert partition.labels.shape == (n,)
    assert partition.labels.dtype == np.int64
    assert np.array_equal(partition.labels, number_groups(partition.labels))
    assert partition.labels.min() >= 0
    assert partition.sizes.sum() == n
    assert partition.sizes.min() >= k
    assert 0 <= partition.lower_bound <= partition.cost
    assert np.isfinite(partition.cost)


def groups_of_values(points: np.ndarray, partition: Partition) -> list:
    """The groups as sorted lists of sorted records, so that equal records are interchangeable."""
    return sorted(sorted(map(tuple, points[partition.labels == g])) for g in range(partition.n_groups))


def groups_of_rows(partition: Partition) -> set:
    return {frozenset(np.flatnonzero(partition.labels == g).tolist()) for g in range(partition.n_groups)}


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("draw", [clouds, crowded])
def test_every_record_is_in_one_group_of_at_least_k(method: Method, draw, k):
    for seed in RNG_SEEDS:
        points = method.points(draw(seed))
        check_groups(method.run(points, method.k(k)), len(points), method.k(k))


@pytest.mark.parametrize("draw", [clouds, crowded])
def test_the_order_of_rows_changes_nothing(method: Method, draw):
    for seed in RNG_SEEDS:
        points = method.points(draw(seed))
        shuffled = points[np.random.default_rng(seed).permutation(len(points))]
        before, after = method.run(points, 3), method.run(shuffled, 3)
        assert groups_of_values(points, before) == groups_of_values(shuffled, after)
        assert (before.cost, before.lower_bound) == (after.cost, after.lower_bound)


def test_the_order_of_columns_does_not_change_the_bound_nor_the_groups_where_that_is_promised(method: Method):
    for seed in RNG_SEEDS:
        points = method.points(clouds(seed))
        before, after = method.run(points, 3), method.run(np.ascontiguousarray(points[:, ::-1]), 3)
        assert before.lower_bound == pytest.approx(after.lower_bound, rel=1e-7)  # sums in another order
        if method.any_column_order:
            assert groups_of_rows(before) == groups_of_rows(after)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_fewer_than_two_groups_worth_of_records_are_one_group(method: Method, k):
    k = method.k(k)
    for n in (k, 2 * k - 1):
        points = method.points(clouds(k, n))
        partition = method.run(points, k)
        check_groups(partition, n, k)
        assert partition.n_groups == 1


def test_fewer_than_k_records_are_refused(method: Method):
    k = method.k(5)
    for n in (0, 1, k - 1):
        with pytest.raises(InfeasibleError, match=f"k={k} needs at least {k} rows; the table has {n}"):
            method.run(method.points(clouds(0, n)), k)


def test_equal_records_cost_nothing(method: Method):
    points = method.points(np.full((11, 2), 3.25))
    partition = method.run(points, 3)
    check_groups(partition, 11, method.k(3))
    assert partition.cost == (11 if method.counts else 0)
    assert partition.ratio_seen == 1


@pytest.mark.parametrize("exponent", [-990, -500, 100, 500, 990])
def test_huge_and_tiny_values_give_the_same_groups_or_are_refused(method: Method, exponent):
    points = method.points(clouds(1))
    usual = method.run(points, 3)
    refused = ""
    try:
        partition = method.run(np.ldexp(points, exponent), 3)
    except ParameterError as err:
        refused = str(err)
    if refused:
        assert "floating-point" in refused
        assert exponent > 0, "values that are merely small can always be handled"
        return
    assert groups_of_rows(partition) == groups_of_rows(usual)
    if usual.objective != "sse" or abs(exponent) <= 500:  # a square may be too small to be written down
        assert partition.cost > 0


def test_infinite_and_missing_values_are_refused(method: Method):
    for value in (np.inf, np.nan):
        points = method.points(clouds(0))
        points[7, 0] = value
        with pytest.raises(ParameterError, match="finite"):
            method.run(points, 3)


def test_one_thread_equals_two(method: Method):
    points = method.points(clouds(5, 120 if method.name == "triples" else 500))
    one, two = method.run(points, 4, n_threads=1), method.run(points, 4, n_threads=2)
    assert np.array_equal(one.labels, two.labels)
    assert (one.cost, one.lower_bound) == (two.cost, two.lower_bound)


def test_the_same_input_and_seed_give_the_same_answer(method: Method):
    points = method.points(crowded(3))
    seed = {"seed": 11} if method.random else {}
    assert np.array_equal(method.run(points, 3, **seed).labels, method.run(points, 3, **seed).labels)


def test_the_input_is_not_modified(method: Method):
    points = method.points(crowded(2))
    points.flags.writeable = False
    before = points.copy()
    method.run(points, 3)
    assert np.array_equal(points, before)


def test_a_partition_can_be_pickled(method: Method):
    partition = method.run(method.points(clouds(0)), 3)
    again = pickle.loads(pickle.dumps(partition))
    assert np.array_equal(again.labels, partition.labels)
    assert (again.cost, again.lower_bound, again.theorem) == (
        partition.cost,
        partition.lower_bound,
        partition.theorem,
    )


@pytest.mark.parametrize("k", [-1, 0])
def test_a_k_that_means_nothing_is_refused(method: Method, k):
    if method.only_k:  # takes none
        return
    with pytest.raises(ParameterError, match=f"must be at least . ?; it is {k}"):
        method.run(method.points(clouds(0)), k)
