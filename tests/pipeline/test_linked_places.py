"""Which rows of a group's people are published by one cell: each person once in each place, near rows together."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from shoal.pipeline.linked.positions import places
from shoal.space import Space


def table(points: np.ndarray, people: np.ndarray) -> Any:
    return cast(Any, SimpleNamespace(people=people, task=SimpleNamespace(space=Space.from_points(points, norm=1))))


@pytest.mark.parametrize("seed", range(6))
def test_everybody_has_each_place_once_and_dropped_rows_have_none(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(8), 4)
    labels = np.where(people < 4, 0, 1)
    labels[people == 3] = -1
    order = rng.permutation(len(people))
    found = places(table(rng.random((32, 2)), people[order]), labels[order])
    assert (found[labels[order] < 0] == -1).all()
    for person in (0, 1, 2, 4, 5, 6, 7):
        assert sorted(found[people[order] == person]) == [0, 1, 2, 3]


def test_rows_that_are_alike_have_the_same_place() -> None:
    rng = np.random.default_rng(1)
    own = rng.random((5, 2))
    points = np.concatenate([own[rng.permutation(5)] + rng.normal(0, 1e-6, (5, 2)) for _ in range(4)])
    found = places(table(points, np.repeat(np.arange(4), 5)), np.zeros(20, dtype=np.int64))
    for place in range(5):
        assert np.ptp(points[found == place], axis=0).max() < 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_two_people_are_assigned_at_the_least_cost(seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 20, (10, 2)).astype(float)
    found = places(table(points, np.repeat([0, 1], 5)), np.zeros(10, dtype=np.int64))
    one, other = points[:5][np.argsort(found[:5])], points[5:][np.argsort(found[5:])]
    best = min(np.abs(one - other[list(order)]).sum() for order in permutations(range(5)))
    assert np.abs(one - other).sum() == best
