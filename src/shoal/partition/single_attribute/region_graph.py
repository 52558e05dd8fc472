"""A map as a graph: whose neighbors are whose, connected parts, and weights that no partition can avoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from shoal.errors import ParameterError

Ints = npt.NDArray[np.int64]
Neighbors = list[list[int]]


def as_neighbors(graph: Any, n: int) -> Neighbors:
    """Sorted neighbors of every region, from pairs of region numbers, a sparse matrix or a networkx graph."""
    if hasattr(graph, "tocoo"):
        matrix = graph.tocoo()
        if matrix.shape != (n, n):
            raise ParameterError(f"the graph has {matrix.shape[0]} regions, weights has {n}.")
        ends = np.stack(matrix.nonzero(), axis=1).astype(np.int64)
    else:
        edges = list(graph.edges()) if hasattr(graph, "edges") else graph
        ends = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    if len(ends) and (ends.min() < 0 or ends.max() >= n):
        raise ParameterError(
            f"the graph joins regions numbered {int(ends.min())} to {int(ends.max())}; weights has {n} regions.",
            "number the regions from 0, in the order of weights.",
        )
    ends = ends[ends[:, 0] != ends[:, 1]]
    both = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    around = np.split(both[:, 1], np.searchsorted(both[:, 0], np.arange(1, n))) if n else []
    return [others.tolist() for others in around]


def components(neighbors: Neighbors) -> Ints:
    """The number of its connected part, for every region."""
    n = len(neighbors)
    rows = np.repeat(np.arange(n), [len(around) for around in neighbors])
    columns = np.fromiter((other for around in neighbors for other in around), dtype=np.int64, count=len(rows))
    adjacency = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    return np.asarray(connected_components(adjacency, directed=False)[1], dtype=np.int64)


def branch_bound(neighbors: Neighbors, weights: Sequence[int], k: int) -> int:
    """The largest weight of a region with all the branches lighter than k that hang on it alone.

    A group that begins in such a branch can reach k only through the region, so all of the branch is in its group.
    """
    n = len(neighbors)
    total = sum(weights)
    depth, low = [-1] * n, [0] * n
    below = list(weights)
    light = list(weights)  # the region and its light branches
    cut_off = [0] * n  # the weight of all branches that hang on the region
    if n:
        depth[0] = 0
    stack = [(0, -1, iter(neighbors[0]))] if n else []
    while stack:
        vertex, parent, rest = stack[-1]
        for other in rest:
            if depth[other] < 0:
                depth[other] = low[other] = depth[vertex] + 1
                stack.append((other, vertex, iter(neighbors[other])))
                break
            if other != parent:
                low[vertex] = min(low[vertex], depth[other])
        else:
            stack.pop()
            if parent < 0:
                continue
            low[parent] = min(low[parent], low[vertex])
            below[parent] += below[vertex]
            if low[vertex] >= depth[parent]:
                cut_off[parent] += below[vertex]
                if below[vertex] < k:
                    light[parent] += below[vertex]
    for vertex in range(n):
        above = total - weights[vertex] - cut_off[vertex]
        if depth[vertex] > 0 and cut_off[vertex] and above < k:
            light[vertex] += above
    return max(light, default=0)
