"""One interface to distances: a space searched by a tree, a matrix that the caller computed, or paths in a graph."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import ParameterError
from shoal.space.graph import Paths
from shoal.space.neighbors import Neighbors, Rows, check_k, checked_counts
from shoal.space.space import Floats, Ints, Space

FEW = 300
"""Up to this many records the triangle inequality is checked by NumPy, which is faster than loading a compiled
kernel.
"""
MOST_VERTICES = 5_000
"""Up to this many vertices all shortest paths of a graph are computed once and kept: 5,000 vertices take 200 MB."""
TOLERANCE = 1e-9  # relative; measured or rounded distances may violate the triangle inequality by this much


class Metric(Protocol):
    """Distances between n records; the docstrings of `Neighbors` say what each method returns."""

    counts: Ints

    def __len__(self) -> int: ...

    def kth_distance(self, k: int, rows: Rows = None) -> Floats: ...

    def nearest(self, k: int, *, rows: Rows = None) -> tuple[Floats, Ints]: ...

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints: ...

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]: ...

    def distance(self, rows: npt.ArrayLike, others: npt.ArrayLike) -> Floats: ...

    def distances_from(self, row: int) -> Floats: ...


class Precomputed:
    """A square matrix of distances, checked to be a metric; every method searches its rows."""

    def __init__(self, matrix: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> None:
        self.matrix = _checked_matrix(matrix)
        self.counts = checked_counts(counts, len(self.matrix))

    def __len__(self) -> int:
        return len(self.matrix)

    @classmethod
    def of_paths(cls, paths: Paths) -> Precomputed:
        """Return the matrix of all shortest paths; where the two directions differ by rounding, the shorter."""
        made = cls.__new__(cls)
        table = np.stack([paths.distances_from(vertex) for vertex in range(len(paths))])
        made.matrix, made.counts = np.minimum(table, table.T), paths.counts
        return made

    def nearest_of(self, centers: Ints) -> tuple[Floats, Ints]:
        """Return for every record the distance to the nearest of `centers`, and the index of that center."""
        which = self.matrix[:, centers].argmin(axis=1)
        return self.matrix[np.arange(len(self)), centers[which]], which

    def ball(self, row: int, reach: float) -> tuple[Ints, Floats]:
        """Return the records within `reach`, in ascending order, and their distances."""
        found = np.flatnonzero(self.matrix[row] <= reach)
        return found, self.matrix[row, found]

    def take(self, rows: Ints) -> Precomputed:
        """Return the metric of some of the records; a part of a checked matrix needs no check."""
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
) -> Neighbors | Precomputed | Paths:
    """Return the distances of a `Space`, or of an (n, d) array with `norm`.

    With metric="precomputed", `points` is a matrix of distances. With metric="graph" they are shortest paths in a
    graph, given as a sparse matrix of lengths or as edges (vertex, vertex, length) between vertices 0, 1, ...
    """
    if metric not in (None, "precomputed", "graph"):
        raise ParameterError(
            f"metric={metric!r} is not known.", 'leave it out, or give metric="precomputed" or metric="graph".'
        )
    if isinstance(points, Space):
        if metric is not None:
            raise ParameterError(f"a Space has its own distances; metric={metric!r} needs a matrix or a graph.")
        return Neighbors(points, counts, n_threads=n_threads)
    if metric == "graph":
        paths = Paths(points)
        return Precomputed.of_paths(paths) if len(paths) <= MOST_VERTICES else paths
    if metric == "precomputed":
        return Precomputed(points, counts)
    return Neighbors(Space.from_points(points, norm=norm), counts, n_threads=n_threads)


def _checked_matrix(matrix: npt.ArrayLike) -> Floats:
    """Return the matrix of distances as an array; raise a `ParameterError` unless it is a metric."""
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
    """Raise a `ParameterError` if some path via a third record is shorter than the direct distance.

    All triples are checked, because a single violation could make a lower bound or a proved ratio untrue.
    """
    allowed = matrix * (1 - TOLERANCE)
    if len(matrix) <= FEW:
        broken = any((allowed > between[:, None] + between).any() for between in matrix)
    else:
        broken = _broken_triangle(matrix, allowed)
    if broken:
        raise ParameterError(
            "the matrix violates the triangle inequality: some distance is longer than the path via a third record.",
            "replace distances by shortest paths (scipy.sparse.csgraph.shortest_path).",
        )


def _broken_triangle(matrix: Floats, allowed: Floats) -> bool:
    """Return whether any triple violates the triangle inequality, checked block by block in a compiled kernel."""
    from shoal.kernels.triangles import broken_triangles  # imported here because few callers need it

    block = max(8, 10**8 // len(matrix) ** 2)
    with progress.step("triangles of the matrix", total=len(matrix)) as advance:
        for begin in range(0, len(matrix), block):
            end = min(begin + block, len(matrix))
            if broken_triangles(matrix, allowed, begin, end):
                return True
            advance(end - begin)
    return False
