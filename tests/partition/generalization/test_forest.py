"""FOREST-1: within max(2k - 1, 3k - 5) of the cheapest generalization, never below its bound."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.generalization.forest import forest, generalization_cost
from shoal.partition.guarantee import guarantees
from shoal.policy import Policy
from shoal.space.build import build_space
from shoal.space.space import TREE, Axis, Space, set_costs
from tests.oracles.generalization import best_generalization_cost
from tests.oracles.generalization import generalization_cost as exact_cost
from tests.oracles.groupings import blocks_of
from tests.ratio.instances import random_table

MODULE = sys.modules["shoal.partition.generalization.forest"]
MOST_ROWS = {1: 6, 2: 8, 3: 9, 4: 10, 5: 11}  # what brute force can do


def check_against_optimum(rng: np.random.Generator, k: int, n: int, d: int) -> None:
    rows, columns, space = random_table(rng, n, d)
    found = forest(space, k)
    best = best_generalization_cost(rows, columns, k)
    cost = exact_cost(rows, columns, blocks_of(found.labels))
    assert found.sizes.min() >= k
    assert cost == Fraction(found.cost)
    assert best <= cost <= found.ratio_proved * best
    assert Fraction(found.lower_bound) <= best


@pytest.mark.parametrize("k", MOST_ROWS)
def test_cost_is_within_the_proved_ratio_of_the_optimum(k):
    rng = np.random.default_rng(k)
    for _ in range(60):
        check_against_optimum(rng, k, int(rng.integers(k, MOST_ROWS[k] + 1)), int(rng.integers(0, 4)))


@pytest.mark.deep
@pytest.mark.parametrize("k", MOST_ROWS)
def test_cost_is_within_the_proved_ratio_of_the_optimum_on_many_tables(k):
    rng = np.random.default_rng(100 + k)
    for _ in range(1000):
        check_against_optimum(rng, k, int(rng.integers(k, MOST_ROWS[k] + 2)), int(rng.integers(0, 5)))


@pytest.mark.parametrize("k", [3, 4, 5])
def test_trees_that_ask_for_more_neighbors_step_by_step_are_within_the_ratio_too(monkeypatch, k):
    monkeypatch.setattr(MODULE, "FIRST", 2)
    monkeypatch.setattr(MODULE, "MORE", 2)
    rng = np.random.default_rng(k)
    for work in [0, 10**6] * 30:
        monkeypatch.setattr(MODULE, "BOUND_WORK", work)
        check_against_optimum(rng, k, int(rng.integers(k, MOST_ROWS[k] + 1)), int(rng.integers(0, 4)))


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_does_not_depend_on_the_steps_and_fewer_neighbors_never_raise_it(monkeypatch, seed):
    _, _, space = random_table(np.random.default_rng(seed), 150, 3)
    whole = forest(space, 9)
    monkeypatch.setattr(MODULE, "FIRST", 2)
    stepwise = forest(space, 9)
    assert stepwise.lower_bound == pytest.approx(whole.lower_bound, rel=1e-12)
    assert stepwise.sizes.min() >= 9
    assert stepwise.cost <= 22 * whole.lower_bound
    monkeypatch.setattr(MODULE, "BOUND_WORK", 4 * len(np.unique(space.coordinates, axis=0)))
    fewer = forest(space, 9)
    assert fewer.labels.tolist() == stepwise.labels.tolist()
    assert fewer.lower_bound <= whole.lower_bound
    assert fewer.lower_bound == pytest.approx(forest(space, 4).lower_bound, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 5))
def test_cost_is_within_the_ratio_of_the_bound_at_any_size(seed, k, d):
    """More than the theorem says: its proof compares with the bound, not with the optimum."""
    rng = np.random.default_rng(seed)
    _, _, space = random_table(rng, int(rng.integers(k, 200)), d)
    found = forest(space, k)
    largest = max(2 * k - 1, 3 * k - 5)
    assert found.sizes.sum() == len(space)
    assert found.sizes.min() >= k
    assert Fraction(found.lower_bound) <= Fraction(found.cost)
    # The bound is rounded down by 2 ** -48 at most.
    assert Fraction(found.cost) <= largest * Fraction(found.lower_bound) * (1 + Fraction(1, 2**47))
    for group in np.flatnonzero(found.sizes > largest):
        assert len(np.unique(space.coordinates[found.labels == group], axis=0)) == 1


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_order_of_rows_and_threads_do_not_matter(seed, k):
    rng = np.random.default_rng(seed)
    _, _, space = random_table(rng, int(rng.integers(k, 60)), 2)
    shuffle = rng.permutation(len(space))
    once, again = forest(space, k), forest(space.take(shuffle), k, n_threads=1)

    def groups(points, labels):
        return sorted(sorted(map(tuple, points[labels == g].tolist())) for g in range(labels.max() + 1))

    assert groups(space.coordinates, once.labels) == groups(space.take(shuffle).coordinates, again.labels)
    assert (once.cost, once.lower_bound) == (again.cost, again.lower_bound)


def test_equal_records_cost_nothing_and_leftovers_join_them():
    assert forest(np.zeros((12, 3), dtype=int), 5).cost == 0
    # Six of one label, three of another: k = 5 can keep neither apart, nor pay for the six alone.
    found = forest(np.array([0] * 6 + [1] * 3), 5)
    assert (found.n_groups, found.cost, found.ratio_proved) == (1, 9.0, 10)
    # With eight of the first, two of them complete the others and six stay free.
    found = forest(np.array([0] * 8 + [1] * 3), 5)
    assert sorted(found.sizes) == [5, 6]
    assert found.cost == 5


@pytest.mark.parametrize("k", [2, 3, 7])
def test_n_of_k_and_of_2k_minus_1_give_one_group(k):
    for n in (k, 2 * k - 1):
        found = forest(np.arange(n)[:, None], k)
        assert found.n_groups == 1
        assert found.cost == n


def test_labels_of_any_type_are_suppressed_where_a_group_disagrees():
    records = np.array([["a", None], ["a", 1], ["b", float("nan")], ["b", float("nan")]], dtype=object)
    found = forest(records, 2)
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert found.cost == 2
    assert forest(np.array([["x"], ["x"]]), 2).cost == 0


def test_costs_of_columns_are_added_whatever_the_norm():
    space = Space.from_points([[0.0, 0.0], [3.0, 4.0]])
    assert forest(space, 2).cost == 14.0
    assert forest(replace(space, norm=1), 2).cost == 14.0


def test_suppressed_records_cost_nothing():
    space = Space.from_labels([[0], [1], [2], [2]])
    assert generalization_cost(space, np.array([0, 0, -1, -1])) == 2.0
    assert generalization_cost(space, np.full(4, -1)) == 0.0


def test_a_set_pays_for_each_of_its_labels():
    above = np.array([[0, 0], [1, 0], [2, 0], [3, 0]], dtype=np.int32)
    axis = Axis("label", TREE, above, np.array([0.0, 0.5]), by_count=set_costs(0.25, 4))
    space = Space(np.array([[0.0], [1.0], [3.0], [3.0], [3.0]]), (axis,), 1)
    assert generalization_cost(space, np.array([0, 0, 0, 1, 1])) == 3 * 0.75


def test_impossible_requests_are_errors():
    with pytest.raises(InfeasibleError, match="k=3 needs at least 3 rows; the table has 2"):
        forest([[1], [2]], 3)
    with pytest.raises(ParameterError, match="at least 1"):
        forest([[1], [2]], 0)
    with pytest.raises(ParameterError, match="beyond floating-point"):
        forest(Space.from_points([[-1.7e308], [1.7e308]]), 2)


def test_the_guarantee_is_registered():
    found = {guarantee.theorem: guarantee for guarantee in guarantees()}["FOREST-1"]
    assert [found.ratio_for(k) for k in (2, 3, 4, 5, 10)] == [3, 5, 7, 10, 25]


@pytest.mark.shared_data
def test_adult_is_grouped_within_the_bound(shared_data):
    folder = shared_data / "adult"
    frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False)
    quasi = [name for name in frame.columns if name != "salary-class"]
    policy = Policy.parse(
        {
            "columns": {
                name: {"role": "quasi", "kind": "hierarchy", "hierarchy": folder / f"adult_hierarchy_{name}.csv"}
                for name in quasi
            }
        }
    )
    found = forest(build_space(frame, policy, norm=1).space, 5)
    assert found.sizes.min() >= 5
    assert 13_526 <= found.lower_bound <= found.cost <= 2.6 * found.lower_bound


def best_with_rows_deleted(rows, columns, k, price):
    """The cheapest of all tables that are left when rows are deleted at a price each; 2 ** n of them."""
    kept = [some for size in range(len(rows) + 1) for some in combinations(range(len(rows)), size)]
    return min(
        (len(rows) - len(some)) * price
        + (best_generalization_cost([rows[i] for i in some], columns, k) if some else 0)
        for some in kept
        if not some or len(some) >= k
    )


def check_row_deletion(rng, k: int) -> bool:
    """Whether deleting rows is cheaper than keeping all of them, on a random table."""
    rows, columns, space = random_table(rng, int(rng.integers(k, 8)), int(rng.integers(1, 4)))
    # All entries of a row suppressed: the dearest value of every column.
    price = sum(column.cost(range(8)) for column in columns)
    best = best_with_rows_deleted(rows, columns, k, price)
    found = forest(space, k)
    assert Fraction(found.lower_bound) <= best
    assert best <= Fraction(found.cost) <= found.ratio_proved * best
    return best < best_generalization_cost(rows, columns, k)


def test_cost_is_within_the_ratio_of_the_optimum_that_may_delete_rows():
    rng = np.random.default_rng(11)
    assert sum(check_row_deletion(rng, int(rng.integers(2, 5))) for _ in range(60)) > 0


@pytest.mark.deep
def test_cost_is_within_the_ratio_of_the_optimum_that_may_delete_rows_on_many_tables():
    rng = np.random.default_rng(12)
    assert sum(check_row_deletion(rng, int(rng.integers(2, 6))) for _ in range(2000)) > 0
