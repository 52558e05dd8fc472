"""The tree from which points are taken away, step by step against brute force; run uncompiled by its test."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.euclid_tree import LEAF
from shoal.kernels.shrinking_tree import (
    NO_ROW,
    _upper_bounds,
    build_shrinking_tree,
    farthest_remaining,
    nearest_remaining,
    remove_point,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # empty boxes are infinite; compiled code is silent


def drawn(kind, n, d, rng):
    return np.ascontiguousarray(
        {
            "normal": lambda: rng.normal(size=(n, d)),
            "grid": lambda: rng.integers(0, 3, (n, d)) * 0.1,
            "equal": lambda: np.full((n, d), 0.3),
            "sphere": lambda: np.eye(d)[rng.integers(0, d, n)] * rng.choice([-1.0, 1.0], (n, 1)),
            "far away": lambda: 1e6 + rng.integers(0, 9, (n, d)) / 7,
        }[kind]()
    )


def squares(points, x):
    """Added up column by column, as the kernels do."""
    total = np.zeros(len(points))
    for j in range(points.shape[1]):
        total += (points[:, j] - x[j]) * (points[:, j] - x[j])
    return total


def left(tree, positions):
    """Which of `positions` have not been taken away."""
    leaf = tree.leaf[positions]
    return positions[~np.isnan(tree.blocks[leaf, 0, positions - tree.starts[leaf]])]


def check_boxes(tree, alive):
    """Boxes, radii and first rows are those of the points left, no larger."""
    for boxes, of_box in ((tree.leaves, tree.leaf), (tree.branches, tree.leaf // LEAF)):
        for box in np.unique(of_box):
            inside = alive[of_box[alive] == box]
            block, place = box // LEAF, box % LEAF
            if not len(inside):
                assert boxes.first_row[block, place] == NO_ROW
                continue
            assert np.array_equal(boxes.low[block, :, place], tree.points[inside].min(axis=0))
            assert np.array_equal(boxes.high[block, :, place], tree.points[inside].max(axis=0))
            assert boxes.radius[block, place] == tree.norm[inside].max()
            assert boxes.first_row[block, place] == tree.row[inside].min()


def check_searches(tree, alive, x, count):
    apart = squares(tree.points[alive], x)
    by_row = np.lexsort((tree.row[alive], apart))
    near, who = np.full(count, np.inf), np.full(count, -1)
    nearest_remaining(tree, x, count, near, who)
    expected = alive[by_row[:count]]
    assert who[: len(expected)].tolist() == expected.tolist()
    assert near[: len(expected)].tolist() == apart[by_row[:count]].tolist()
    assert (who[len(expected) :] == -1).all()
    farthest = alive[np.lexsort((tree.row[alive], -apart))[0]] if len(alive) else -1
    assert farthest_remaining(tree, x) == farthest


@pytest.mark.parametrize("kind", ["normal", "grid", "equal", "sphere", "far away"])
@pytest.mark.parametrize("n", [3 * LEAF, 2 * LEAF * LEAF + 100])
def test_searches_and_boxes_follow_what_is_taken_away(kind, n):
    rng = np.random.default_rng(n)
    points = drawn(kind, n, 3, rng)
    rows = rng.permutation(10 * n)[:n]
    tree = build_shrinking_tree(points, rows)
    assert np.array_equal(tree.points[np.argsort(tree.row)], points[np.argsort(rows)])
    alive = np.arange(n)
    steps = 12 if n < 1000 else 5
    for step in range(steps):
        leaving = rng.permutation(alive)[: n // steps]
        if step == 1:  # a whole leaf, and with it the branch's first row, perhaps
            leaving = alive[tree.leaf[alive] == tree.leaf[alive[0]]]
        for at in leaving:
            remove_point(tree, at)
        alive = left(tree, alive)
        assert not set(leaving) & set(alive)
        check_boxes(tree, alive)
        some = tree.points[rng.integers(0, n, 3)]
        for x in (*some, some[0] + 0.05, -2 * some[1], np.zeros(3), some[2] * np.array([1.0, -1.0, 0.5])):
            for count in (1, 4):
                check_searches(tree, alive, np.ascontiguousarray(x), count)
    for at in alive:
        remove_point(tree, at)
    check_searches(tree, left(tree, alive), np.zeros(3), 2)


def test_no_bound_is_below_the_distance_of_a_point_in_the_box():
    rng = np.random.default_rng(0)
    sums, out = np.empty((4, LEAF)), np.empty(LEAF)
    tightened = 0
    for kind in ("normal", "grid", "sphere", "far away", "equal"):
        for d in (1, 2, 5):
            tree = build_shrinking_tree(drawn(kind, 5 * LEAF, d, rng), np.arange(5 * LEAF))
            for x in (*tree.points[:6], *(3 * rng.normal(size=(6, d))), *(-tree.points[:6])):
                x = np.ascontiguousarray(x)
                _upper_bounds(tree.leaves, 0, x, float((x * x).sum()), sums, out, 0)
                apart = squares(tree.points, x)
                for leaf in range(len(tree.starts) - 1):
                    inside = apart[tree.starts[leaf] : tree.starts[leaf + 1]]
                    assert out[leaf] >= inside.max()
                    low, high = tree.leaves.low[0, :, leaf], tree.leaves.high[0, :, leaf]
                    corner = np.maximum(x - low, high - x)
                    tightened += out[leaf] < 0.9 * (corner * corner).sum()
    assert tightened > 20, "the radius must make the corner's bound smaller"
