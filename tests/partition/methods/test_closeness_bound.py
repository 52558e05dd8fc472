"""The lower bound with t-closeness: above that of k alone, and never above the best grouping that is t-close."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from shoal.partition.methods import run
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.problem import Budget, Problem
from shoal.requirements import KAnonymity, Records, TCloseness
from shoal.requirements.counts import Levels
from shoal.space.space import Space
from tests.oracles.closeness import hierarchical, ordered, variational
from tests.oracles.generalization import Ranges, generalization_cost
from tests.oracles.groupings import groupings

PARENTS = ((0, 1, 2), (0, 0, 1))
DISTANCES = {"equal": variational, "ordered": ordered, "hierarchical": lambda p, q: hierarchical(p, q, PARENTS)}


def problem(points: np.ndarray, values: np.ndarray, k: int, asked: TCloseness, n_may_go: int = 0) -> Problem:
    n = len(values)
    return Problem(
        choice=Choice("forest", "generalization", "generalize", ""),
        space=Space.from_points(points.astype(float), norm=1),
        k=k,
        requirements=[KAnonymity(k), asked],
        records=Records(n, None, {"s": values}, {"s": Levels(np.array(PARENTS))}),
        max_suppressed=(n_may_go + 0.5) / n if n_may_go else 0.0,
    )


def best_close(points: np.ndarray, values: np.ndarray, k: int, asked: TCloseness, n_may_go: int) -> float:
    """The least cost of all groupings that are t-close to what they release; a row left out is wholly lost."""
    n, columns = len(values), [Ranges(1)] * points.shape[1]
    rows = points.tolist()
    each = Fraction(Space.from_points(points.astype(float), norm=1).hidden_cost())
    least = Fraction(10**9)
    for n_gone in range(n_may_go + 1):
        for gone in combinations(range(n), n_gone):
            kept = [i for i in range(n) if i not in gone]
            released = values[kept].tolist()
            for blocks in groupings(kept, k):
                far = (DISTANCES[asked.distance](values[list(one)].tolist(), released) for one in blocks)
                if all(distance <= Fraction(asked.t) + Fraction(1, 10**9) for distance in far):
                    least = min(least, generalization_cost(rows, columns, blocks) + n_gone * each)
    return float(least)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("n_may_go", [0, 1])
def test_no_grouping_that_is_close_costs_less_than_the_bound(distance: str, n_may_go: int) -> None:
    raised = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(5, 8)), int(rng.integers(1, 3)) + 1
        points, values = rng.integers(0, 6, (n, 2)), rng.integers(0, 3, n)
        asked = TCloseness("s", float(rng.choice([0.1, 0.2, 0.3])), distance)
        one = problem(points, values, k, asked, n_may_go)
        found = run.solve(one, Budget(seed=1, effort=60.0))
        best = best_close(points, values, k, asked, n_may_go)
        assert found.lower_bound <= best * (1 + 1e-9), seed
        for_k = run.solve(replace(one, requirements=[KAnonymity(k)]), Budget(seed=1, effort=60.0)).lower_bound
        raised += found.lower_bound > for_k * (1 + 1e-6)
    assert raised or n_may_go


def test_the_bound_of_a_block_uses_nothing_of_t() -> None:
    """Closeness compares with the shares of the whole table, which a block does not know."""
    points, values = np.arange(9)[:, None], np.arange(9) % 3
    one = problem(points, values, 2, TCloseness("s", 0.05))
    budget = Budget(seed=1, effort=60.0)
    for_k = run.solve(replace(one, requirements=[KAnonymity(2)]), budget).lower_bound
    assert run.solve(one, budget).lower_bound >= 1.5 * for_k, "three records are the least that are close"
    assert run.solve(replace(one, is_block=True), budget).lower_bound == for_k
