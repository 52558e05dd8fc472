"""Shortest paths in a graph as distances, computed when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError
from shoal.kernels.shortest_paths import nearest_vertices
from shoal.space.neighbors import Rows, check_k
from shoal.space.space import Floats, Ints


class Paths:
    """Vertices of a connected graph with the lengths of shortest paths, which are a metric.

    A length is summed from the first vertex of the query (from `others` in `distance`), so that the two directions
    may differ in the last bit if lengths are not whole numbers.
    """

    def __init__(self, graph: Any) -> None:
        # imported only where a graph is given: the import takes as long as anonymizing a small table
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        tail, head, length, n = _edges(graph)
        both = np.concatenate((tail, head)), np.concatenate((head, tail))
        by_tail = np.lexsort((both[1], both[0]))
        self._heads, self._lengths = both[1][by_tail], np.concatenate((length, length))[by_tail]
        self._starts = np.searchsorted(both[0][by_tail], np.arange(n + 1)).astype(np.int64)
        n_parts = connected_components(coo_array((np.ones(len(tail)), (tail, head)), shape=(n, n)), directed=False)[0]
        if n_parts != 1:
            raise ParameterError(
                f"the graph has {n_parts} components that no path connects.",
                "use one connected component at a time, or join them by edges.",
            )
        self.counts = np.ones(n, dtype=np.int64)
        room = len(self._heads) + 1
        self._wanted, self._touched = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        self._heap = np.empty(room), np.empty(room, dtype=np.int64)
        self._distance, self._out = np.full(n, np.inf), (np.empty(n, dtype=np.int64), np.empty(n))

    def __len__(self) -> int:
        return len(self.counts)

    def ball(self, row: int, reach: float) -> tuple[Ints, Floats]:
        """Return the vertices within `reach`, in ascending order, and their distances."""
        found, away = self._from(row, reach=reach)
        order = np.argsort(found)
        return found[order], away[order]

    def kth_distance(self, k: int, rows: Rows = None) -> Floats:
        return self.nearest(k, rows=rows)[0][:, -1]

    def nearest(self, k: int, *, rows: Rows = None) -> tuple[Floats, Ints]:
        check_k(k, len(self))
        asked = self._asked(rows)
        distances, indices = np.empty((len(asked), k)), np.empty((len(asked), k), dtype=np.int64)
        for place, row in enumerate(asked.tolist()):
            indices[place], distances[place] = self._from(row, k=k)
        return distances, indices

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints:
        return np.diff(self.within(radius, rows)[0])

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]:
        asked = self._asked(rows)
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(asked))
        balls = [self.ball(int(row), float(reach))[0] for row, reach in zip(asked, radii, strict=True)]
        indptr = np.cumsum([0, *map(len, balls)]).astype(np.int64)
        return indptr, np.concatenate([np.empty(0, dtype=np.int64), *balls])

    def distance(self, rows: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
        to, origin = np.broadcast_arrays(self._asked(rows), self._asked(others))
        to, shape = to.ravel(), to.shape
        out = np.empty(len(to))
        order = np.argsort(origin, axis=None, kind="stable")
        by_origin = origin.ravel()[order]
        starts = np.flatnonzero(np.diff(by_origin, prepend=-1))
        lengths = np.empty(len(self))
        for start, end in zip(starts, np.append(starts[1:], len(order)), strict=True):
            pairs = order[start:end]
            found, away = self._from(int(by_origin[start]), wanted=to[pairs])
            lengths[found] = away
            out[pairs] = lengths[to[pairs]]
        return out.reshape(shape)

    def distances_from(self, row: int) -> Floats:
        found, away = self._from(row)
        out = np.empty(len(self))
        out[found] = away
        return out

    def nearest_of(self, centers: Ints) -> tuple[Floats, Ints]:
        """Return for every vertex the distance to the nearest of `centers`, and the index of that center."""
        gap, which = np.full(len(self), np.inf), np.zeros(len(self), dtype=np.int64)
        for place, center in enumerate(centers.tolist()):
            # farther than the largest distance so far, no vertex can get a nearer center
            found, away = self._from(center, reach=float(gap.max()))
            nearer = away < gap[found]
            gap[found[nearer]], which[found[nearer]] = away[nearer], place
        return gap, which

    def _from(
        self, row: int, *, k: int | None = None, reach: float = np.inf, wanted: Ints | None = None
    ) -> tuple[Ints, Floats]:
        """Return vertices and their distances from `row`: the nearest `k`, those within `reach`, or all until
        `wanted` are found.
        """
        n_wanted = -1
        if wanted is not None:
            self._wanted[wanted] = 1
            n_wanted = int(np.count_nonzero(self._wanted))
        n_found = nearest_vertices(
            self._starts,
            self._heads,
            self._lengths,
            row,
            len(self) if k is None else k,
            reach,
            self._wanted,
            n_wanted,
            self._distance,
            self._touched,
            *self._heap,
            *self._out,
        )
        if wanted is not None:
            self._wanted[wanted] = 0
        return self._out[0][:n_found].copy(), self._out[1][:n_found].copy()

    def _asked(self, rows: Rows) -> Ints:
        asked = np.arange(len(self)) if rows is None else np.asarray(rows, dtype=np.int64)
        if asked.size and (asked.min() < 0 or asked.max() >= len(self)):
            raise ParameterError(f"rows must lie between 0 and {len(self) - 1}; some do not.")
        return asked


def graph_size(graph: Any) -> int:
    """Return the number of vertices of a sparse matrix of lengths or of a list of edges."""
    if hasattr(graph, "tocoo"):
        return int(graph.shape[0])
    edges = np.asarray(graph, dtype=np.float64)
    return int(edges[:, :2].max()) + 1 if edges.ndim == 2 and edges.shape[1] == 3 and len(edges) else 0


def _edges(graph: Any) -> tuple[Ints, Ints, Floats, int]:
    """Return tails, heads and lengths of edges, each pair once with its shortest edge, and the number of vertices."""
    if hasattr(graph, "tocoo"):
        found = graph.tocoo()
        if found.shape[0] != found.shape[1]:
            raise ParameterError(f"a graph's matrix of lengths is square; its shape is {found.shape}.")
        tail, head, length = found.row, found.col, np.asarray(found.data, dtype=np.float64)
    else:
        edges = np.asarray(graph, dtype=np.float64)
        if edges.ndim != 2 or edges.shape[1] != 3:
            raise ParameterError(
                f"edges of a graph are rows (vertex, vertex, length); their shape is {edges.shape}.",
                "or give a scipy sparse matrix of lengths.",
            )
        if not np.isfinite(edges[:, :2]).all() or (edges[:, :2] < 0).any() or (edges[:, :2] % 1).any():
            raise ParameterError("vertices of a graph are numbered 0, 1, ...; some are not.")
        tail, head, length = edges[:, 0], edges[:, 1], edges[:, 2]
    if not np.isfinite(length).all() or (length < 0).any():
        raise ParameterError("lengths of edges must be finite and not below 0; some are not.")
    first, second = (np.asarray(some(tail, head), dtype=np.int64) for some in (np.minimum, np.maximum))
    by_pair = np.lexsort((length, second, first))
    first, second, length = first[by_pair], second[by_pair], length[by_pair]
    kept = first != second
    kept[1:] &= (np.diff(first) != 0) | (np.diff(second) != 0)
    return first[kept], second[kept], np.ascontiguousarray(length[kept]), graph_size(graph)
