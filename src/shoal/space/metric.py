"""One face for distances: a space searched by a tree, a matrix that the caller computed, or paths in a graph."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError
from shoal.space.neighbours import Neighbours, Rows, check_k, checked_counts
from shoal.space.space import Floats, Ints, Space

TRIANGLE_SAMPLE = 500
MOST_VERTICES = 5_000
"""Of a graph, whose shortest paths are all held in memory."""
ZERO = 1e-290
"""Stands for an edge of length 0, which a sparse matrix cannot tell from no edge."""
TOLERANCE = 1e-9  # of the largest distance: measured or rounded distances break the inequality by a little


class Metric(Protocol):
    """Distances between n records; `Neighbours` says what each method returns."""

    counts: Ints

    def __len__(self) -> int: ...

    def kth_distance(self, k: int, rows: Rows = None) -> Floats: ...

    def nearest(self, k: int, *, rows: Rows = None) -> tuple[Floats, Ints]: ...

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints: ...

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]: ...

    def distance(self, rows: npt.ArrayLike, others: npt.ArrayLike) -> Floats: ...

    def distances_from(self, row: int) -> Floats: ...


class Precomputed:
    """A square matrix of distances, checked to be a metric; every method reads it row by row."""

    def __init__(self, matrix: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> None:
        self.matrix = _checked_matrix(matrix)
        self.counts = checked_counts(counts, len(self.matrix))

    @classmethod
    def of_graph(cls, graph: Any, counts: npt.ArrayLike | None = None) -> Precomputed:
        """Lengths of shortest paths, which are a metric: an edge counts both ways, the shortest of several counts."""
        made = cls.__new__(cls)
        made.matrix = _shortest_paths(graph)
        made.counts = checked_counts(counts, len(made.matrix))
        return made

    def __len__(self) -> int:
        return len(self.matrix)

    def take(self, rows: Ints) -> Precomputed:
        """Some of the records; what was checked of all holds of them."""
        some = Precomputed.__new__(Precomputed)
        some.matrix, some.counts = self.matrix[np.ix_(rows, rows)], self.counts[rows]
        return some

    def kth_distance(self, k: int, rows: Rows = None) -> Floats:
        check_k(k, int(self.counts.sum()))
        asked = self._asked(rows)
        out = np.empty(len(asked))
        for p, row in enumerate(asked):
            order = np.argsort(self.matrix[row], kind="stable")
            reached = np.searchsorted(np.cumsum(self.counts[order]), k)
            out[p] = self.matrix[row, order[reached]]
        return out

    def nearest(self, k: int, *, rows: Rows = None) -> tuple[Floats, Ints]:
        check_k(k, len(self))
        asked = self._asked(rows)
        indices = np.empty((len(asked), k), dtype=np.int64)
        for p, row in enumerate(asked):
            indices[p] = np.argsort(self.matrix[row], kind="stable")[:k]
        return self.matrix[asked[:, None], indices], indices

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints:
        asked = self._asked(rows)
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(asked))
        return np.array(
            [self.counts[self.matrix[row] <= r].sum() for row, r in zip(asked, radii, strict=True)], dtype=np.int64
        )

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]:
        asked = self._asked(rows)
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(asked))
        balls = [np.flatnonzero(self.matrix[row] <= r) for row, r in zip(asked, radii, strict=True)]
        indptr = np.cumsum([0, *map(len, balls)]).astype(np.int64)
        return indptr, np.concatenate([np.empty(0, dtype=np.int64), *balls]).astype(np.int64)

    def distance(self, rows: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
        return np.array(self.matrix[self._asked(rows), self._asked(others)], dtype=np.float64)

    def distances_from(self, row: int) -> Floats:
        return self.matrix[self._asked(row)].copy()

    def _asked(self, rows: Rows) -> Ints:
        asked = np.arange(len(self)) if rows is None else np.asarray(rows, dtype=np.int64)
        if asked.size and (asked.min() < 0 or asked.max() >= len(self)):
            raise ParameterError(f"rows must lie between 0 and {len(self) - 1}; some do not.")
        return asked


def as_metric(
    points: Any,
    metric: str | None = None,
    *,
    counts: npt.ArrayLike | None = None,
    norm: int = 2,
    n_threads: int | None = None,
) -> Neighbours | Precomputed:
    """Distances of a `Space` or of an (n, d) array joined by `norm`.

    With metric="precomputed" of a matrix of distances, with metric="graph" of the shortest paths in a graph: a sparse
    matrix of lengths, or edges (vertex, vertex, length) between vertices 0, 1, ...
    """
    if metric not in (None, "precomputed", "graph"):
        raise ParameterError(
            f"metric={metric!r} is not known.", 'leave it out, or give metric="precomputed" or metric="graph".'
        )
    if isinstance(points, Space):
        if metric is not None:
            raise ParameterError(f"a Space brings its own distances; metric={metric!r} needs a matrix.")
        return Neighbours(points, counts, n_threads=n_threads)
    if metric == "graph":
        return Precomputed.of_graph(points, counts)
    if metric == "precomputed":
        return Precomputed(points, counts)
    return Neighbours(Space.from_points(points, norm=norm), counts, n_threads=n_threads)


def _checked_matrix(matrix: npt.ArrayLike) -> Floats:
    found = np.array(matrix, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise ParameterError(f"a matrix of distances is square; its shape is {found.shape}.")
    if not np.isfinite(found).all():
        raise ParameterError("distances must be finite; some are missing or infinite.")
    if (found < 0).any():
        raise ParameterError(f"distances must not be negative; {np.count_nonzero(found < 0)} are.")
    if found.diagonal().any():
        raise ParameterError(
            f"the distance of a record to itself is 0; the diagonal has {np.count_nonzero(found.diagonal())} others."
        )
    if not np.array_equal(found, found.T):
        raise ParameterError(
            f"distances must be the same both ways; {np.count_nonzero(found != found.T) // 2} pairs differ.",
            "average the matrix with its transpose if the differences are rounding.",
        )
    _check_triangles(found)
    return found


def _check_triangles(matrix: Floats) -> None:
    """No way around is shorter than the direct distance: all triples, or those among a fixed sample of records."""
    n = len(matrix)
    if n > TRIANGLE_SAMPLE:
        chosen = np.random.default_rng(0).choice(n, TRIANGLE_SAMPLE, replace=False)
        matrix = matrix[np.ix_(chosen, chosen)]
    allowed = matrix - TOLERANCE * matrix.max(initial=0.0)
    for between in matrix:
        if (allowed > between[:, None] + between).any():
            raise ParameterError(
                "the matrix breaks the triangle inequality: some record is nearer by way of a third than directly.",
                "replace distances by shortest paths (scipy.sparse.csgraph.shortest_path).",
            )


def graph_size(graph: Any) -> int:
    """The number of vertices of a sparse matrix of lengths or of a list of edges."""
    if hasattr(graph, "tocoo"):
        return int(graph.shape[0])
    edges = np.asarray(graph, dtype=np.float64)
    return int(edges[:, :2].max()) + 1 if edges.ndim == 2 and edges.shape[1] == 3 and len(edges) else 0


def _shortest_paths(graph: Any) -> Floats:
    # Loaded where a graph is given: importing it takes as long as a small table does.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

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
        tail, head, length = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64), edges[:, 2]
        if (edges[:, :2] != np.column_stack((tail, head))).any() or (edges[:, :2] < 0).any():
            raise ParameterError("vertices of a graph are numbered 0, 1, ...; some are not.")
    n = graph_size(graph)
    if n > MOST_VERTICES:
        raise ParameterError(
            f"shortest paths are held for at most {MOST_VERTICES} vertices; the graph has {n}.",
            "give places as coordinates, or take a part of the graph.",
        )
    if not np.isfinite(length).all() or (length < 0).any():
        raise ParameterError("lengths of edges must be finite and not below 0; some are not.")
    # Both ways; of several edges between two vertices the shortest.
    first, second = np.minimum(tail, head), np.maximum(tail, head)
    by_pair = np.lexsort((length, second, first))
    first, second, length = first[by_pair], second[by_pair], length[by_pair]
    shortest = np.concatenate(([True], (np.diff(first) != 0) | (np.diff(second) != 0)))[: len(first)]
    shortest &= first != second
    kept = np.where(length[shortest] > 0, length[shortest], ZERO)
    network = coo_array((kept, (first[shortest], second[shortest])), shape=(n, n)).tocsr()
    paths: Floats = dijkstra(network, directed=False)
    if np.isinf(paths).any():
        raise ParameterError(
            f"the graph has {len(np.unique(np.isinf(paths), axis=0))} parts, and no path leads from one to another.",
            "take one connected part at a time, or join them by edges.",
        )
    paths[paths < n * ZERO * 2] = 0.0
    return np.minimum(paths, paths.T)
