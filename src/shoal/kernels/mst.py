"""Euclidean minimum spanning tree by Boruvka's rounds over a box tree, and its cutting into groups.

A round gives every component but the largest its shortest outgoing edge. A point's nearest foreign point only moves
away as components grow, so what a round learned (a partner, or a distance below which there is none) serves the next.
Ties may be broken in any way, because edges are added from the shortest on and skipped when they would close a cycle
(lemma MST-1 in docs/proofs/microaggregation.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit
from shoal.kernels.euclid_tree import LEAF, EuclidTree, box_distance, leaf_distances

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@jit
def known_partners(
    start: int, stop: int, component: Ints, skipped: int, near: Floats, who: Ints, partner: Ints, reach: Floats,
    best: Floats, source: Ints,
) -> None:  # fmt: skip
    """Offer each point's known partner to its component: the last one found, else the next in its neighbor list."""
    count = who.shape[1]
    for at in range(start, stop):
        own = component[at]
        if own == skipped:
            continue
        if partner[at] < 0 or component[partner[at]] == own:
            partner[at] = -1
            if reach[at] < near[at, count - 1]:
                for slot in range(count):
                    if component[who[at, slot]] != own:
                        partner[at] = who[at, slot]
                        reach[at] = near[at, slot]
                        break
                else:
                    reach[at] = near[at, count - 1]
        if partner[at] >= 0 and reach[at] < best[own]:
            best[own] = reach[at]
            source[own] = at


@jit
def search_partners(
    tree: EuclidTree, start: int, stop: int, component: Ints, node_component: Ints, skipped: int, partner: Ints,
    reach: Floats, best: Floats, source: Ints,
) -> None:  # fmt: skip
    """Search the tree for foreign points nearer than the best of one's component, where none is known.

    Of points that are as near, the first is the component's: as if one thread had searched for all of them.
    """
    leaves = 1 << tree.depth
    stack = np.empty(2 * tree.depth + 2, dtype=np.int64)
    bound = np.empty(2 * tree.depth + 2)
    found = np.empty(LEAF)
    leaf = leaves
    for at in range(start, stop):
        own = component[at]
        limit, mate = best[own], -1
        if at < source[own]:
            limit = np.nextafter(limit, np.inf)
        if own == skipped or partner[at] >= 0 or reach[at] >= limit:
            continue
        while tree.last[leaf] <= at:
            leaf += 1
        x = tree.points[at]
        node = leaf
        top = 1
        stack[0], bound[0] = leaf, 0.0
        while True:
            while top > 0:
                top -= 1
                inner = stack[top]
                if bound[top] >= limit or node_component[inner] == own:
                    continue
                if inner >= leaves:
                    leaf_distances(tree.blocks, inner - leaves, x, found)
                    base = tree.first[inner]
                    for p in range(tree.last[inner] - base):
                        if found[p] < limit and component[base + p] != own:
                            limit, mate = found[p], base + p
                else:
                    left = box_distance(tree, 2 * inner, x)
                    right = box_distance(tree, 2 * inner + 1, x)
                    nearer = 2 * inner if left <= right else 2 * inner + 1
                    stack[top], bound[top] = nearer ^ 1, max(left, right)
                    stack[top + 1], bound[top + 1] = nearer, min(left, right)
                    top += 2
            if node == 1:
                break
            other = node ^ 1
            node >>= 1
            if node_component[other] != own:
                away = box_distance(tree, other, x)
                if away < limit:
                    stack[0], bound[0] = other, away
                    top = 1
        reach[at] = limit
        if mate >= 0:
            partner[at] = mate
            best[own] = limit
            source[own] = at


@jit
def join_components(
    tree: EuclidTree, edges: Ints, component: Ints, node_component: Ints, size: Ints, ends: Ints, n_edges: int
) -> int:
    """Add the round's `edges` (pairs of tree positions, shortest first) and renumber the components from 0.

    Writes the accepted edges to `ends` from `n_edges` on; returns the new number of edges. `size` is filled.
    """
    n = component.shape[0]
    parent = np.arange(n)
    for e in range(edges.shape[0]):
        a, b = component[edges[e, 0]], component[edges[e, 1]]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[max(a, b)] = min(a, b)
            ends[n_edges, 0], ends[n_edges, 1] = edges[e, 0], edges[e, 1]
            n_edges += 1
    fresh = np.full(n, -1, dtype=np.int64)
    count = 0
    for at in range(n):
        a = component[at]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        if fresh[a] < 0:
            fresh[a] = count
            size[count] = 0
            count += 1
        component[at] = fresh[a]
        size[fresh[a]] += 1
    for node in range((2 << tree.depth) - 1, 0, -1):
        if node >= 1 << tree.depth:
            same = component[tree.first[node]]
            for at in range(tree.first[node] + 1, tree.last[node]):
                if component[at] != same:
                    same = -1
                    break
            node_component[node] = same
        elif node_component[2 * node] == node_component[2 * node + 1]:
            node_component[node] = node_component[2 * node]
        else:
            node_component[node] = -1
    return n_edges


@jit
def cut_tree(ends: Ints, k: int) -> Ints:
    """Group of each node after deleting, in the given order, every edge that leaves both sides `k` nodes or more.

    `ends` (n - 1, 2) is a spanning tree. O(n log n): subtree sizes are sums over an Euler tour (a Fenwick tree, less
    what was cut off below), and a component's root is the deepest cut subtree around a node (a segment tree).
    """
    n = ends.shape[0] + 1
    degree = np.zeros(n + 1, dtype=np.int64)
    for e in range(n - 1):
        degree[ends[e, 0] + 1] += 1
        degree[ends[e, 1] + 1] += 1
    for i in range(n):
        degree[i + 1] += degree[i]
    fill = degree.copy()
    mates = np.empty(2 * n, dtype=np.int64)
    for e in range(n - 1):
        for side in range(2):
            mates[fill[ends[e, side]]] = ends[e, 1 - side]
            fill[ends[e, side]] += 1
    parent = np.full(n, -1, dtype=np.int64)
    order = np.zeros(n, dtype=np.int64)
    reached = 1
    for at in range(n):
        v = order[at]
        for e in range(degree[v], degree[v + 1]):
            if mates[e] != parent[v]:
                parent[mates[e]] = v
                order[reached] = mates[e]
                reached += 1
    below = np.ones(n, dtype=np.int64)
    for at in range(n - 1, 0, -1):
        below[parent[order[at]]] += below[order[at]]
    enter = np.zeros(n, dtype=np.int64)  # position of a node in the tour
    fill[:] = 1
    for at in range(1, n):
        v = order[at]
        enter[v] = enter[parent[v]] + fill[parent[v]]
        fill[parent[v]] += below[v]
    taken = np.zeros(n + 1, dtype=np.int64)  # Fenwick tree of nodes cut off
    deepest = np.zeros(2 * n, dtype=np.int64)  # segment tree: where the innermost cut subtree begins
    at_position = np.empty(n, dtype=np.int64)
    for v in range(n):
        at_position[enter[v]] = v
    is_cut = np.zeros(n, dtype=np.int64)
    sizes = np.empty(2, dtype=np.int64)
    for e in range(n - 1):
        a, b = ends[e, 0], ends[e, 1]
        child = a if parent[a] == b else b
        inside = below[child]
        if inside < k:
            continue
        place = enter[child] + n
        root = 0
        while place > 0:
            root = max(root, deepest[place])
            place >>= 1
        top = at_position[root]
        for which in range(2):
            v = child if which == 0 else top
            count = below[v]
            at = enter[v] + below[v]
            while at > 0:
                count -= taken[at]
                at -= at & -at
            at = enter[v] + 1
            while at > 0:
                count += taken[at]
                at -= at & -at
            sizes[which] = count
        if sizes[0] < k or sizes[1] - sizes[0] < k:
            continue
        is_cut[child] = 1
        # Off for every subtree that holds the child up to the component's root, which lost the same nodes above it.
        for which in range(2):
            at = (enter[child] if which == 0 else root) + 1
            while at <= n:
                taken[at] += sizes[0] if which == 0 else -sizes[0]
                at += at & -at
        lo, hi = enter[child] + n, enter[child] + inside + n
        while lo < hi:
            if lo & 1:
                deepest[lo] = max(deepest[lo], enter[child])
                lo += 1
            if hi & 1:
                hi -= 1
                deepest[hi] = max(deepest[hi], enter[child])
            lo >>= 1
            hi >>= 1
    labels = np.empty(n, dtype=np.int64)
    groups = 0
    for at in range(n):
        v = order[at]
        if at == 0 or is_cut[v] == 1:
            labels[v] = groups
            groups += 1
        else:
            labels[v] = labels[parent[v]]
    return labels
