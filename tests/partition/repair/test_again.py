"""Groups that are searched again meet everything that they met before, and never cost more."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition.group_labels import number_groups
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.repair.again import searched_again
from shoal.partition.repair.merge import repair
from shoal.partition.result import Partition
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, TCloseness, count
from shoal.space.space import Space

K = 3


def problem(seed: int, asked: list[Requirement], *, people: bool = False, n: int = 60) -> Problem:
    """Few different records, so many copies and ties."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 7, (n, 2)).astype(float)
    value = (points[:, 0] // 3 + rng.integers(0, 3, n)).astype(np.int64)
    who = rng.integers(0, 2 * n // 3, n) if people else None
    return Problem(
        choice=Choice("forest", "generalization", "generalize", ""),
        space=Space.from_points(points, norm=1),
        k=K,
        requirements=[KAnonymity(K), *asked],
        records=Records(n, who, {"s": value}),
    )


def present(one: Problem, seed: int) -> Partition:
    """Groups of records that were drawn at random, merged until they meet what is asked."""
    rng = np.random.default_rng([seed, 1])
    labels = number_groups(rng.permutation(len(one.space)) // 4)
    drawn = Partition(labels=labels, method="forest", objective="generalization", cost=one.cost(labels))
    return repair(drawn, one.space, one.requirements, one.records, cost=one.cost, max_suppressed=0.0)


ASKED: dict[str, list[Requirement]] = {
    "k": [],
    "distinct": [LDiversity("s", 2)],
    "frequency": [LDiversity("s", 2, "frequency")],
    "entropy": [LDiversity("s", 1.5, "entropy")],
    "t": [TCloseness("s", 0.4)],
}


@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("asked", ASKED)
def test_groups_searched_again_meet_what_is_asked_and_never_cost_more(asked: str, people: bool) -> None:
    cheaper = 0
    for seed in range(12):
        one = problem(seed, ASKED[asked], people=people)
        drawn = now = present(one, seed)
        for turn, effort in enumerate((20.0, 100.0, 1.0, 1.0)):  # good groups at last, and hardly any work on them
            found = searched_again(now, one, Budget(effort=effort, seed=seed + 100 * turn))
            counts = count(found.labels, one.records)
            assert all(requirement.holds(counts).all() for requirement in one.requirements)
            assert found.cost == one.cost(found.labels) <= now.cost
            assert (found.labels >= 0).all()
            now = found
        cheaper += now.cost < drawn.cost
    assert cheaper >= 6, "random groups are easily improved"


def test_good_groups_stay_as_they_are() -> None:
    one = problem(0, [], n=12)
    labels = number_groups(one.space.distinct()[2] * 0)
    together = Partition(labels=labels, method="forest", objective="generalization", cost=one.cost(labels))
    best = searched_again(together, one, Budget(effort=200.0))
    again = searched_again(best, one, Budget(effort=200.0, seed=1))
    assert again is best or again.cost < best.cost
