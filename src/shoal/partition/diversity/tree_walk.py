"""Walks through places that never go far at a step: a Hamiltonian path in the cube of a spanning tree.

Records at even depth are visited before what hangs below them, records at odd depth after it. Then consecutive ones
are at most three edges apart (Sekanina 1960; Lemma 6 of Li, Yi and Zhang).
"""

from __future__ import annotations

import numpy as np

from shoal.partition.radius.balls import Metric
from shoal.partition.result import Labels

WIDTH = 8


def walk(metric: Metric, limit: float) -> list[Labels]:
    """All points, connected part by connected part of the graph of distances up to `limit`, in an order to walk."""
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    graph = _linked(metric, limit)
    tree = minimum_spanning_tree(graph)
    tree = (tree + tree.T).tocsr()
    n_parts, part = connected_components(tree, directed=False)
    starts = np.full(n_parts, len(part))
    np.minimum.at(starts, part, np.arange(len(part)))
    return [_visit(tree.indptr, tree.indices, int(start)) for start in starts]


def _visit(indptr: Labels, indices: Labels, start: int) -> Labels:
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
    """Edges up to `limit` that connect what is connected: nearest points, more of them where parts stay apart."""
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
        graph = csr_array((length[pairs], (tail[pairs], head[pairs])), shape=(n, n))
        part = connected_components(graph, directed=False)[1]
        small = part[rows] != np.bincount(part).argmax()
        rows = rows[small & (distance[:, -1] <= limit)]
        if not len(rows) or width == n:
            return graph
        width = min(4 * width, n)
