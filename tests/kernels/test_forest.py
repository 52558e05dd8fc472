"""Trees are grown and cut as docs/proofs/forest.md says."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.forest import cut_forest, grow_forest


def sides(link: np.ndarray, child: int) -> np.ndarray:
    """Which points lie below the edge from `child` to link[child], every edge pointing up."""
    below = np.zeros(len(link), dtype=bool)
    below[child] = True
    for _ in link:
        below |= (link >= 0) & below[link]
    below[link < 0] = False
    return below


@st.composite
def forests(draw):
    """Random trees whose edges point to any earlier point, relabeled, each with at least k records."""
    k = draw(st.integers(1, 8))
    n = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # From paths to stars: how far back an edge may reach.
    reach = draw(st.sampled_from([1, 2, 5, n]))
    parent = np.array([-1, *(rng.integers(max(0, i - reach), i) for i in range(1, n))])
    parent[rng.random(n) < draw(st.sampled_from([0.0, 0.1]))] = -1
    counts = rng.integers(1, draw(st.sampled_from([2, k + 1, 3 * k + 1])), n)
    for root in np.flatnonzero(parent < 0):
        counts[root] += k * draw(st.integers(0, 1))
    relabel = rng.permutation(n)
    link = np.full(n, -1)
    link[relabel] = np.where(parent < 0, -1, relabel[parent])
    moved = np.empty(n, dtype=np.int64)
    moved[relabel] = counts
    tree_of = np.arange(n)
    for _ in range(n):
        tree_of = np.where(link[tree_of] >= 0, link[tree_of], tree_of)
    for root in np.unique(tree_of):
        moved[root] += max(0, k - moved[tree_of == root].sum())
    return link, moved, tree_of, k


@given(forests())
def test_a_forest_is_cut_into_groups_of_bounded_size_that_share_no_edge(forest):
    link, counts, tree_of, k = forest
    largest = max(2 * k - 1, 3 * k - 5)
    parcels = cut_forest(link, counts, k, largest)
    point, amount, group = parcels.T
    assert (amount > 0).all()
    assert np.array_equal(np.bincount(point, amount, len(counts)), counts)
    n_groups = group.max() + 1
    assert np.array_equal(np.unique(group), np.arange(n_groups))
    sizes = np.bincount(group, amount)
    holds = np.zeros((n_groups, len(counts)), dtype=bool)
    holds[group, point] = True
    assert (sizes >= k).all()
    assert ((sizes <= largest) | (holds.sum(axis=1) == 1)).all()
    assert all(len(set(tree_of[members])) == 1 for members in holds)
    for child in np.flatnonzero(link >= 0):
        below = sides(link, child)
        crossing = holds[:, below].any(axis=1) & holds[:, ~below].any(axis=1)
        assert crossing.sum() <= 1


def test_branches_of_any_sizes_that_meet_at_one_point_are_cut_within_the_bound():
    """The paper's cuts, read plainly, leave branches of k - 1 around a vertex that has no record any more."""
    for k in range(2, 7):
        largest = max(2 * k - 1, 3 * k - 5)
        for n_branches, units in product(range(1, 6), (1, 2)):
            for branches in combinations_with_replacement(range(1, k), n_branches):
                if sum(branches) + units < k:
                    continue
                link = [-1]
                for size in branches:
                    link += [0, *range(len(link), len(link) + size - 1)]
                counts = np.ones(len(link), dtype=np.int64)
                counts[0] = units
                parcels = cut_forest(np.array(link), counts, k, largest)
                sizes = np.bincount(parcels[:, 2], parcels[:, 1])
                assert k <= sizes.min() <= sizes.max() <= largest, (k, units, branches)


def test_a_deep_tree_is_cut_without_recursion():
    n = 300_000
    parcels = cut_forest(np.arange(-1, n - 1), np.ones(n, dtype=np.int64), 5, 10)
    assert set(np.bincount(parcels[:, 2])) <= set(range(5, 11))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 40))
def test_every_tree_grows_to_k_records_and_a_point_pays_one_edge(seed, k, n):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 3, n)
    counts[0] += max(0, k - counts.sum())
    x = rng.integers(0, 20, n)
    gaps = np.abs(x[:, None] - x)
    edges = []
    for u in np.flatnonzero(counts < k):
        held = counts[u]
        for v in sorted(set(range(n)) - {u}, key=lambda v: gaps[u, v]):
            if held >= k:
                break
            held += counts[v]
            edges.append((gaps[u, v], u, v))
    edges.sort()
    sources, targets = np.array([e[1:] for e in edges], dtype=np.int64).reshape(-1, 2).T.copy()
    link, leader, size = np.full(n, -1), np.arange(n), counts.copy()
    grow_forest(sources, targets, link, leader, size, k)
    tree_of, steps = np.arange(n), 0
    while (link[tree_of] >= 0).any():
        tree_of, steps = np.where(link[tree_of] >= 0, link[tree_of], tree_of), steps + 1
        assert steps <= n, "a cycle"
    assert np.bincount(tree_of, counts)[np.unique(tree_of)].min() >= k
    while (leader[leader] != leader).any():
        leader = leader[leader]
    assert (size[leader] == np.bincount(tree_of, counts, n)[tree_of]).all()
    listed = set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert all((u, v) in listed for u, v in enumerate(link.tolist()) if v >= 0)
