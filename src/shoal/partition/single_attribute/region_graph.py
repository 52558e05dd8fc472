"""A map as a graph: neighbor lists, connected components, and a lower bound on the heaviest group."""

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
    """Return the sorted neighbors of every region, from pairs of numbers, a sparse matrix or a networkx graph."""
    if hasattr(graph, "tocoo"):
        matrix = graph.tocoo()
        if matrix.shape != (n, n):
            raise ParameterError(
                f"the graph has {matrix.shape[0]} regions, weights has {n}.", "give one weight per region."
            )
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
    """Return the connected component of every region."""
    n = len(neighbors)
    rows = np.repeat(np.arange(n), [len(around) for around in neighbors])
    columns = np.fromiter((other for around in neighbors for other in around), dtype=np.int64, count=len(rows))
    adjacency = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    return np.asarray(connected_components(adjacency, directed=False)[1], dtype=np.int64)


def branch_bound(neighbors: Neighbors, weights: Sequence[int], k: int) -> int:
    """Return a lower bound on the heaviest group: the largest weight of a region with all its light branches.

    A light branch of a region is a part lighter than k that only this region connects to the rest. A group with a
    region of the branch can reach k only through that region, so the whole branch is in its group.
    """
    n = len(neighbors)
    total = sum(weights)
    depth, low = [-1] * n, [0] * n
    below = list(weights)
    light = list(weights)  # weight of each region and its light branches
    cut_off = [0] * n  # weight of all parts that only this region connects to the root
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
