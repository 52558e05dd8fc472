"""The spanning tree against Prim's algorithm, and cutting against walks to the root."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from shoal.kernels.euclid_tree import LEAF
from shoal.partition.microaggregation import mst
from shoal.partition.microaggregation.mst import SpanningTree, spanning_tree


def prim(points):
    """Edges of a minimum spanning tree, by dense distances."""
    near = ((points - points[0]) ** 2).sum(axis=1)
    source = np.zeros(len(points), dtype=int)
    near[0] = np.inf
    joined = {0}
    edges = []
    while len(joined) < len(points):
        new = int(np.argmin(near))
        edges.append((int(source[new]), new, near[new] ** 0.5))
        joined.add(new)
        fresh = ((points - points[new]) ** 2).sum(axis=1)
        source[fresh < near] = new
        near = np.minimum(near, fresh)
        near[list(joined)] = np.inf
    return edges


def walked_groups(n, ends, k):
    """Cutting as the paper does it: count both sides of each edge by walking."""
    edges = [tuple(e) for e in ends]

    def side(start, kept):
        seen, todo = {start}, [start]
        while todo:
            v = todo.pop()
            for a, b in kept:
                for here, there in ((a, b), (b, a)):
                    if here == v and there not in seen:
                        seen.add(there)
                        todo.append(there)
        return seen

    kept = list(edges)
    for e in edges:
        rest = [f for f in kept if f != e]
        if min(len(side(e[0], rest)), len(side(e[1], rest))) >= k:
            kept = rest
    return {frozenset(side(v, kept)) for v in range(n)}


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}


@pytest.mark.parametrize("n", [2, 3, LEAF + 1, 300])
@pytest.mark.parametrize("kind", ["normal", "clusters", "grid", "equal", "line"])
def test_the_tree_has_the_weight_of_prims_and_does_not_depend_on_threads(n, kind):
    rng = np.random.default_rng(n)
    points = {
        "normal": rng.normal(size=(n, 4)),
        "clusters": rng.integers(0, 3, (n, 2)) * 100 + rng.normal(size=(n, 2)),
        "grid": rng.integers(0, 6, (n, 3)) * 1.0,
        "equal": np.ones((n, 2)),
        "line": rng.permutation(n)[:, None] * 1.0,
    }[kind]
    one, two = spanning_tree(points, n_threads=1), spanning_tree(points, n_threads=2)
    assert np.array_equal(one.ends, two.ends)
    assert len(one.ends) == n - 1
    assert connected_components(csr_array((np.ones(n - 1), one.ends.T), shape=(n, n)))[0] == 1
    weights = sorted((w for _, _, w in prim(points)), reverse=True)
    # The multiset of edge lengths is the same for every minimum spanning tree.
    assert one.lengths == pytest.approx(weights, rel=1e-12)
    if kind == "normal":
        assert {tuple(sorted(e[:2])) for e in prim(points)} == {tuple(e) for e in one.ends.tolist()}


@pytest.mark.parametrize("listed", [1, 2, 4])
@given(n=st.integers(2, 400), d=st.integers(1, 3), width=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_ties_do_not_show_how_many_threads_there_were(listed, n, d, width, seed):
    """Short lists of neighbors, so that most edges come from searches, on points with many equal distances."""
    points = np.random.default_rng(seed).integers(0, width, (n, d)) * 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mst, "LISTED", listed)
        trees = [spanning_tree(points, n_threads=n_threads) for n_threads in (1, 2, 5)]
    assert np.array_equal(trees[0].ends, trees[1].ends)
    assert np.array_equal(trees[0].ends, trees[2].ends)
    assert trees[0].lengths.sum() == pytest.approx(sum(w for _, _, w in prim(points)), rel=1e-12)


@given(st.integers(2, 25), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_cutting_leaves_the_groups_that_walks_would_leave(n, k, seed):
    rng = np.random.default_rng(seed)
    ends = np.array([(rng.integers(max(0, i - int(rng.integers(1, 9))), i), i) for i in range(1, n)])
    ends = rng.permutation(rng.permutation(n)[ends])
    labels = SpanningTree(ends, np.ones(n - 1)).groups(k)
    assert as_sets(labels) == walked_groups(n, ends.tolist(), k)
