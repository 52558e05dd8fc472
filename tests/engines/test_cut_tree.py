"""The tree of cuts: every record is in one block, and blocks are as far apart as the tree says."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.engines.block import Shaped
from shoal.engines.cut_tree import CutTree, cut_tree
from shoal.engines.outline import Outline
from shoal.partition.blocks.plan import Grouped
from shoal.partition.generalization.forest import forest
from shoal.partition.methods.choose import choose
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import solve
from shoal.requirements import build as build_requirements
from shoal.space.space import Space
from tests.engines.tables import people, policy
from tests.engines.test_outline import outlined


def cut(n: int, seed: int, *, size: int, least: int = 10) -> tuple[Outline, pl.DataFrame, Space, CutTree]:
    """Return the outline of a table, its rows, its space and a tree of cuts, found on all rows."""
    frame = people(n, seed, gaps=True)
    outline = outlined(frame, policy(), [n // 3])
    choice = choose(outline.policy)
    typed = outline.typed(frame.drop("name")).frame
    space = Shaped.of(outline, typed, choice).space
    sample = Grouped(np.arange(n), forest(space, 5).labels)
    inside = Shaped.of(outline, outline.table.frame.clear(), choice).space
    return (
        outline,
        typed,
        space,
        cut_tree(space, sample, inside, counted=np.ones(n, dtype=bool), size=size, least=least),
    )


def between(space: Space) -> np.ndarray:
    """Return the distances of all pairs of records, axis by axis."""
    total = np.zeros((len(space), len(space)))
    for j, axis in enumerate(space.axes):
        column = space.coordinates[:, j]
        low, high = np.minimum(column[:, None], column), np.maximum(column[:, None], column)
        total += axis.spanned(low.ravel(), high.ravel()).reshape(total.shape)
    return total


@pytest.mark.parametrize("seed", range(6))
def test_records_of_other_blocks_are_not_nearer_than_the_tree_says(seed: int) -> None:
    _, _, space, tree = cut(300, seed, size=40)
    block, apart = tree.blocks(space.coordinates), tree.apart(space.coordinates)
    assert tree.n_blocks >= 6
    assert set(block.tolist()) == set(range(tree.n_blocks))
    distances = np.where(block[:, None] == block, np.inf, between(space))
    assert (apart <= distances.min(axis=1)).all()
    assert (apart > 0).any()


@pytest.mark.parametrize("seed", range(6))
def test_blocks_cost_at_least_what_they_are_bounded_by_in_any_grouping(seed: int) -> None:
    """BLOCKS-4: the bounds of all blocks together are not above the bound that looks at the whole table."""
    outline, typed, space, tree = cut(300, seed, size=60)
    block = tree.blocks(space.coordinates)
    choice, k = choose(outline.policy), outline.policy.k
    total = 0.0
    for number in range(tree.n_blocks):
        rows = np.flatnonzero(block == number)
        requirements, records = build_requirements(outline.policy, typed[rows])
        problem = Problem(
            choice=choice,
            space=space.take(rows),
            k=k,
            requirements=requirements,
            records=records,
            apart=tree.apart(space.coordinates[rows]),
        )
        found = solve(problem, Budget(effort=2.0))
        assert found.ratio_proved is None
        assert found.theorem is None
        assert found.sizes.min() >= k
        total += found.lower_bound
    assert 0 < total <= forest(space, k).lower_bound


def test_cuts_with_a_side_that_is_not_good_are_undone() -> None:
    _, _, space, tree = cut(300, 1, size=30)
    before = tree.blocks(space.coordinates)
    sizes = np.bincount(before)
    joined, into = tree.joined(lambda sums: (sums @ sizes >= 60).tolist())
    after = joined.blocks(space.coordinates)
    assert 1 < joined.n_blocks < tree.n_blocks
    assert np.array_equal(after, into[before])
    assert np.bincount(after).min() >= 60


def test_a_table_of_which_nothing_is_good_is_one_block() -> None:
    _, _, space, tree = cut(300, 2, size=30)
    joined, _ = tree.joined(lambda sums: [False] * len(sums))
    assert joined.n_blocks == 1
    assert (joined.blocks(space.coordinates) == 0).all()
    assert np.isinf(joined.apart(space.coordinates)).all()
