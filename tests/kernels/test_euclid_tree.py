"""The box tree against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.euclid_tree import LEAF, build_tree, nearest_neighbors


def brute_distances(points, count):
    square = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    return np.sort(square, axis=1)[:, :count]


@pytest.mark.parametrize("n", [2, 5, LEAF, LEAF + 1, 500])
@pytest.mark.parametrize("kind", ["normal", "grid", "equal"])
def test_the_nearest_points_are_those_of_brute_force(n, kind):
    rng = np.random.default_rng(n)
    points = {"normal": rng.normal(size=(n, 3)), "grid": rng.integers(0, 4, (n, 2)) * 1.0, "equal": np.ones((n, 2))}[
        kind
    ]
    tree = build_tree(points)
    count = min(n - 1, 7)
    distance, neighbor = nearest_neighbors(tree, count, 2)
    assert sorted(tree.row) == list(range(n))
    assert np.array_equal(tree.points, points[tree.row])
    assert distance == pytest.approx(brute_distances(tree.points, count), rel=1e-12)
    assert all(len({at, *near}) == count + 1 for at, near in enumerate(neighbor.tolist()))
    found = ((tree.points[:, None] - tree.points[neighbor]) ** 2).sum(axis=2)
    assert found == pytest.approx(distance, rel=1e-12)
