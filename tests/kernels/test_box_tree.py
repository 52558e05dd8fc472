"""The box tree holds every point once, in boxes that fit, in small leaves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.box_tree import COUNT, END, FIRST, RIGHT, START, build_tree
from shoal.space.space import TREE, Axis, Space


@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.integers(0, 3), st.sampled_from([1, 2, 10, 1000]))
def test_a_node_has_the_box_the_count_and_the_smallest_row_of_its_points(seed, n, d, n_values):
    rng = np.random.default_rng(seed)
    X, counts = rng.integers(0, n_values, (n, d)).astype(float), rng.integers(1, 4, n)
    _, axes = Space.from_points(np.empty((0, d))).packed()
    tree = build_tree(axes, X, counts, 8)
    assert np.array_equal(np.sort(tree.order), np.arange(n))
    assert np.array_equal(tree.points, X[tree.order])
    level = np.ones(len(tree.nodes), dtype=int)
    for node in range(len(tree.nodes)):
        start, end, right = tree.nodes[node, [START, END, RIGHT]]
        assert level[node] <= tree.depth
        if end > start:
            assert np.array_equal(tree.low[node], tree.points[start:end].min(axis=0))
            assert np.array_equal(tree.high[node], tree.points[start:end].max(axis=0))
            assert tree.nodes[node, FIRST] == tree.order[start:end].min()
        assert tree.nodes[node, COUNT] == counts[tree.order[start:end]].sum()
        if right == 0:
            assert end - start <= 8
            assert (np.diff(tree.order[start:end]) > 0).all()
        else:
            left = node + 1
            level[[left, right]] = level[node] + 1
            assert (tree.nodes[left, START], tree.nodes[right, END]) == (start, end)
            assert start < tree.nodes[left, END] == tree.nodes[right, START] < end


def test_labels_are_split_between_values_so_that_boxes_become_single_labels():
    rng = np.random.default_rng(0)
    above = np.stack([np.arange(5), np.zeros(5)], axis=1).astype(np.int32)
    axis = Axis("label", TREE, above, np.array([0.0, 1.0]))
    X = rng.choice(5, (2000, 1), p=[0.9, 0.04, 0.03, 0.02, 0.01]).astype(float)
    _, axes = Space(X, (axis,), 1).packed()
    tree = build_tree(axes, X, np.ones(2000, dtype=np.int64), 24)
    assert (tree.low == tree.high).mean() > 0.9


def test_a_tree_of_points_in_general_position_is_balanced():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    _, axes = Space.from_points(X).packed()
    assert build_tree(axes, X, np.ones(5000, dtype=np.int64), 24).depth <= 10
