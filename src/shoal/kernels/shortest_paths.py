"""Dijkstra's algorithm from one vertex, ended as soon as enough vertices have been reached."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@jit
def nearest_vertices(
    starts: Ints,
    heads: Ints,
    lengths: Floats,
    source: int,
    k: int,
    reach: float,
    wanted: Ints,
    n_wanted: int,
    distance: Floats,
    touched: Ints,
    heap_distance: Floats,
    heap_vertex: Ints,
    out_vertex: Ints,
    out_distance: Floats,
) -> int:
    """Write vertices in order of their distance from `source` to `out_vertex` and `out_distance`; return how many.

    The edges of v lead to heads[starts[v]:starts[v + 1]]. The search ends after `k` vertices, beyond the distance
    `reach`, or when all `n_wanted` vertices with a 1 in `wanted` have been found, whichever comes first. `distance`
    is infinity everywhere before and after the call. The heap arrays need room for one more entry than there are
    edges.
    """
    distance[source], heap_distance[0], heap_vertex[0], touched[0] = 0.0, 0.0, source, source
    size, n_touched, n_out = 1, 1, 0
    while size > 0:
        d, v = heap_distance[0], heap_vertex[0]
        size -= 1
        last, its_vertex = heap_distance[size], heap_vertex[size]
        hole, child = 0, 1
        while child < size:
            if child + 1 < size and heap_distance[child + 1] < heap_distance[child]:
                child += 1
            if heap_distance[child] >= last:
                break
            heap_distance[hole], heap_vertex[hole] = heap_distance[child], heap_vertex[child]
            hole, child = child, 2 * child + 1
        heap_distance[hole], heap_vertex[hole] = last, its_vertex
        if d > distance[v]:
            continue  # an outdated entry: a shorter path to v was found after it was pushed
        if d > reach or n_out == k:
            break
        out_vertex[n_out], out_distance[n_out] = v, d
        n_out += 1
        n_wanted -= wanted[v]
        if n_wanted == 0:
            break
        for edge in range(starts[v], starts[v + 1]):
            head, way = heads[edge], d + lengths[edge]
            if way < distance[head]:
                if distance[head] == np.inf:
                    touched[n_touched] = head
                    n_touched += 1
                distance[head] = way
                hole = size
                size += 1
                while hole > 0 and heap_distance[(hole - 1) // 2] > way:
                    parent = (hole - 1) // 2
                    heap_distance[hole], heap_vertex[hole] = heap_distance[parent], heap_vertex[parent]
                    hole = parent
                heap_distance[hole], heap_vertex[hole] = way, head
    for place in range(n_touched):
        distance[touched[place]] = np.inf
    return n_out
