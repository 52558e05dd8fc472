"""An order of points in which consecutive ones are close: a Hamiltonian path in the cube of a spanning tree.

Nodes at even depth are visited before their subtrees, nodes at odd depth after them. Then consecutive nodes are at
most three tree edges apart (Sekanina 1960; Lemma 6 of Li, Yi and Zhang).
"""

from __future__ import annotations

import numpy as np

from shoal.partition.radius.balls import Metric
from shoal.partition.result import Labels

WIDTH = 8
"""Nearest points that are linked to each point at first; four times as many while components could still join."""


def walk(metric: Metric, limit: float) -> list[Labels]:
    """Return an order of the points of each component of the graph of distances up to `limit`.

    Consecutive points of an order are at most three edges of a spanning tree apart.
    """
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    graph = _linked(metric, limit)
    tree = minimum_spanning_tree(graph)
    tree = (tree + tree.T).tocsr()
    n_parts, part = connected_components(tree, directed=False)
    starts = np.full(n_parts, len(part))
    np.minimum.at(starts, part, np.arange(len(part)))
    return [_visit(tree.indptr, tree.indices, int(start)) for start in starts]


def _visit(indptr: Labels, indices: Labels, start: int) -> Labels:
    """Return the nodes of one tree, rooted at `start`: those at even depth in preorder, at odd depth in postorder."""
    order: list[int] = []
    stack = [(start, -1, 0, False)]
    while stack:
        here, above, depth, done = stack.pop()
        if done:
            order.append(here)
            continue
        if depth % 2 == 0:
            order.append(here)
        else:
            stack.append((here, above, depth, True))
        below = indices[indptr[here] : indptr[here + 1]]
        stack.extend((int(next_), here, depth + 1, False) for next_ in below if next_ != above)
    return np.array(order, dtype=np.int64)


def _linked(metric: Metric, limit: float):  # type: ignore[no-untyped-def]
    """Return a sparse graph with the same components as the graph of all distances up to `limit`.

    Each point is linked to its nearest points, and to more of them while its component may have further neighbors.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(metric)
    rows, width = np.arange(n), min(WIDTH + 1, n)
    tail, head, length = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    while True:
        distance, near = metric.nearest(width, rows=rows)
        i, j = np.nonzero((distance <= limit) & (near != rows[:, None]))
        tail, head = np.concatenate((tail, rows[i])), np.concatenate((head, near[i, j]))
        length = np.concatenate((length, distance[i, j]))
        pairs = np.unique(np.column_stack((tail, head)), axis=0, return_index=True)[1]
        # Short indices: before 1.17, scipy's minimum_spanning_tree takes no others.
        ends = tail[pairs].astype(np.int32), head[pairs].astype(np.int32)
        graph = csr_array((length[pairs], ends), shape=(n, n))
        part = connected_components(graph, directed=False)[1]
        small = part[rows] != np.bincount(part).argmax()
        rows = rows[small & (distance[:, -1] <= limit)]
        if not len(rows) or width == n:
            return graph
        width = min(4 * width, n)
