"""The Euclidean minimum spanning tree by Boruvka's algorithm over a box tree, and its cutting into groups.

Each round finds the shortest outgoing edge of every component but the largest. The nearest point outside a point's
component can only get farther as components grow. So what one round has learned about a point (its partner, or a
distance within which it has none) remains useful in the next. Ties may be broken in any way, because edges are added
in order of length and skipped if they would close a cycle (lemma MST-1 in docs/proofs/microaggregation.md).

For each point, `partner` is the nearest point known outside its component (-1 if unknown), and `reach` a squared
distance within which there is none nearer. For each component, `best` is the shortest outgoing edge found in this
round and `source` the point at which it starts.
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
    """Update the best edges of components from partners that are known without a search of the tree.

    A point's partner is the one of the last round if it is still outside its component, else the first such point of
    its neighbor list (`near`: squared distances, `who`: points), if there is one. Component `skipped` is left out.
    """
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
    """Search the tree for partners of those points without one that may improve the best edge of their component.

    Of edges of equal length the one with the first source wins, so the result does not depend on how the points are
    split among threads.
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
    """Add a round's `edges` (pairs of tree positions, shortest first) to the forest; return the new number of edges.

    Edges that would close a cycle are skipped; the others are written to `ends` from `n_edges` on. Components are
    numbered again from 0, with their sizes in `size`. node_component becomes the component of all points of a tree
    node, or -1 if they belong to several.
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
    new_number = np.full(n, -1, dtype=np.int64)
    count = 0
    for at in range(n):
        a = component[at]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        if new_number[a] < 0:
            new_number[a] = count
            size[count] = 0
            count += 1
        component[at] = new_number[a]
        size[new_number[a]] += 1
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
    """Return the group of each node after deleting, in order, every edge that leaves `k` or more nodes on both sides.

    `ends` (n - 1, 2) are the edges of a spanning tree. O(n log n) time: subtrees are intervals of an Euler tour. The
    current size of a subtree is its original size less the nodes cut off below it (a Fenwick tree). The root of a
    node's component is the root of the innermost cut subtree that contains the node (a segment tree).
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
    enter = np.zeros(n, dtype=np.int64)  # position of each node in the Euler tour
    fill[:] = 1
    for at in range(1, n):
        v = order[at]
        enter[v] = enter[parent[v]] + fill[parent[v]]
        fill[parent[v]] += below[v]
    cut_off = np.zeros(n + 1, dtype=np.int64)  # Fenwick tree: nodes cut off, by position in the tour
    deepest = np.zeros(2 * n, dtype=np.int64)  # segment tree: where the innermost cut subtree begins in the tour
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
                count -= cut_off[at]
                at -= at & -at
            at = enter[v] + 1
            while at > 0:
                count += cut_off[at]
                at -= at & -at
            sizes[which] = count
        if sizes[0] < k or sizes[1] - sizes[0] < k:
            continue
        is_cut[child] = 1
        # The child's nodes are subtracted from every subtree that contains it, up to the root of its component; the
        # second addition stops them from being subtracted once more above that root.
        for which in range(2):
            at = (enter[child] if which == 0 else root) + 1
            while at <= n:
                cut_off[at] += sizes[0] if which == 0 else -sizes[0]
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
