"""Balanced cuts: every group keeps k and the limits, whatever the columns and however the rows are sorted."""

from __future__ import annotations

import time

import numpy as np
import pytest

from shoal.partition.balance.columns import columns_of
from shoal.partition.balance.search import BalancedCuts, balanced
from shoal.partition.generalization.forest import generalization_cost
from shoal.requirements import LDiversity, Records, Requirement, TCloseness, count
from shoal.requirements.counts import Levels
from shoal.space.space import LINE, TREE, Axis, Space, set_costs

ANCESTORS = np.array([[i, i // 2, i // 4, 0] for i in range(8)], dtype=np.int32)
ASKED: list[list[Requirement]] = [
    [TCloseness("s", 0.3)],
    [TCloseness("s", 0.15, "ordered")],
    [TCloseness("s", 0.2, "hierarchical")],
    [LDiversity("s", 3, "entropy")],
    [LDiversity("s", 2, "recursive", 1.0)],
    [LDiversity("s", 3), LDiversity("s", 2, "frequency")],
    [TCloseness("s", 0.3), TCloseness("other", 0.4), LDiversity("other", 2)],
]


def drawn(seed: int, n: int = 240) -> tuple[Space, Records]:
    """Records with a number, a rank, a leaf of a hierarchy and a label, all near their sensitive value."""
    rng = np.random.default_rng(seed)
    value = rng.choice(6, n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    near = np.minimum(7, np.abs(value + rng.integers(-2, 3, n)))
    coordinates = np.stack([rng.random(n).round(2), rng.integers(0, 9, n), near, rng.integers(0, 5, n)], axis=1)
    axes = (
        Axis("number", LINE),
        Axis("rank", LINE, by_count=np.arange(9) / 9),
        Axis("leaf", TREE, ANCESTORS, np.array([0.0, 0.25, 0.5, 1.0])),
        Axis("label", TREE, _labels(5), np.array([0.0, 1.0]), by_count=set_costs(0.2, 5)),
    )
    levels = Levels(np.array([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1]]))
    records = Records(n, None, {"s": value, "other": rng.integers(0, 3, n)}, {"s": levels})
    return Space(coordinates.astype(float), axes, 1), records


def _labels(n: int) -> np.ndarray:
    above = np.zeros((n, 2), dtype=np.int32)
    above[:, 0] = np.arange(n)
    return above


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_group_keeps_k_and_every_requirement_and_several_groups_are_made(asked: list[Requirement]) -> None:
    for seed in range(3):
        space, records = drawn(seed)
        labels = balanced(space, 4, asked, records, rounds=2, seed=seed).labels
        counts = count(labels, records)
        assert all(one.holds(counts).all() for one in asked)
        assert np.bincount(labels).min() >= 4
        assert labels.max() >= 4
        one_group = np.zeros(len(space), dtype=np.int64)
        assert generalization_cost(space, labels) < 0.8 * generalization_cost(space, one_group)


def test_rounds_never_raise_the_cost_and_lower_it_in_the_end() -> None:
    space, records = drawn(1)
    cuts = BalancedCuts(space, 4, [TCloseness("s", 0.3)], records, seed=1)
    labels = cuts.start()
    costs = [cuts.cost(labels)]
    for turn in range(6):
        labels = cuts.recut(labels, turn)
        costs.append(cuts.cost(labels))
        assert (cuts.balance.shortages(labels) == 0).all()
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_the_order_of_rows_and_the_number_of_threads_change_nothing() -> None:
    space, records = drawn(2)
    asked = [TCloseness("s", 0.25)]
    one = balanced(space, 3, asked, records, rounds=3, seed=7, n_threads=1).labels
    again = balanced(space, 3, asked, records, rounds=3, seed=7, n_threads=2).labels
    assert (one == again).all()
    order = np.random.default_rng(0).permutation(len(space))
    moved = Records(len(space), None, {name: codes[order] for name, codes in records.sensitive.items()})
    other = balanced(space.take(order), 3, asked, moved, rounds=3, seed=7).labels
    rows = np.column_stack((space.coordinates, records.sensitive["s"]))

    def groups(labels: np.ndarray, table: np.ndarray) -> list[list[tuple[float, ...]]]:
        return sorted(sorted(map(tuple, table[labels == g].tolist())) for g in range(labels.max() + 1))

    assert groups(one, rows) == groups(other, rows[order])
    different = balanced(space, 3, asked, records, rounds=3, seed=8).labels
    assert groups(different, rows) != groups(one, rows), "another seed gives other groups"


def test_many_values_of_one_column_are_taken_together() -> None:
    """More values than a cut tells apart: 600 leaves below 40 nodes, and 600 labels in sets."""
    rng = np.random.default_rng(5)
    n = 1200
    leaves = rng.integers(0, 600, (n, 2))
    above = np.stack([np.arange(600), np.arange(600) // 15, np.zeros(600)], axis=1).astype(np.int32)
    axes = (
        Axis("leaf", TREE, above, np.array([0.0, 0.5, 1.0])),
        Axis("label", TREE, _labels(600), np.array([0.0, 1.0]), by_count=set_costs(1 / 600, 600)),
    )
    space, records = Space(leaves.astype(float), axes, 1), Records(n, None, {"s": rng.integers(0, 3, n)})
    asked = [TCloseness("s", 0.2)]
    labels = balanced(space, 5, asked, records, rounds=1, seed=1).labels
    assert asked[0].holds(count(labels, records)).all()
    assert labels.max() > 20
    assert columns_of(space).n_levels.tolist() == [3, 0]


def test_equal_records_are_one_group() -> None:
    space = Space.from_points(np.ones((40, 2)), norm=1)
    records = Records(40, None, {"s": np.arange(40) % 4})
    assert balanced(space, 3, [TCloseness("s", 0.1)], records, rounds=2, seed=1).labels.max() == 0


def test_a_deadline_that_has_passed_ends_the_rounds() -> None:
    space, records = drawn(3)
    found = balanced(space, 3, [TCloseness("s", 0.3)], records, rounds=50, seed=1, deadline=time.monotonic())
    assert found.timed_out
    assert TCloseness("s", 0.3).holds(count(found.labels, records)).all()
