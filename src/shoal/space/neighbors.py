"""Exact nearest records and range counts in a `Space`, by one box tree.

All methods compute distances by one expression in `shoal.kernels.box_tree`: d(i, j) and d(j, i) are equal to the bit,
and norm 2 always compares square roots, so if a returned distance is passed back as a radius, its record is within
it. Queries are split over threads; the result does not depend on their number.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import ParameterError
from shoal.kernels import box_tree as boxtree
from shoal.kernels import box_tree_search as boxsearch
from shoal.space.space import Floats, Ints, Packed, Space

LEAF_SIZE = 24  # the most records in a leaf of the tree; affects speed only
MOST_FLAT = 1024  # the most labels of a column whose equal distances are listed by the difference of ranks
CHUNK = 2048  # queries that a thread takes at a time

Rows = npt.ArrayLike | None
T = TypeVar("T", Floats, Ints)


class Neighbors:
    """Search among the records of `space`; `counts` says how many rows each record stands for (default 1)."""

    def __init__(self, space: Space, counts: npt.ArrayLike | None = None, *, n_threads: int | None = None) -> None:
        self.space = space
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.counts = checked_counts(counts, len(space))
        self._coordinates, packed = space.packed()
        self._axes = _with_flat_trees(packed)
        self._tree = boxtree.build_tree(self._axes, self._coordinates, self.counts, LEAF_SIZE)
        # the same tree, in which every record counts once
        nodes = self._tree.nodes.copy()
        nodes[:, boxtree.COUNT] = nodes[:, boxtree.END] - nodes[:, boxtree.START]
        self._single = self._tree._replace(counts=np.ones(len(space), dtype=np.int64), nodes=nodes)

    def __len__(self) -> int:
        return len(self.space)

    def kth_distance(self, k: int, rows: Rows = None) -> Floats:
        """Return the distance from each record to the k-th nearest row; the record itself counts first, `counts`
        times.
        """
        check_k(k, int(self.counts.sum()))
        queries = self._queries(rows)
        distances, none = np.empty((len(queries), 1)), np.empty((len(queries), 0), dtype=np.int64)
        self._run(
            "distances to the k-th row",
            len(queries),
            lambda a, b: boxsearch.nearest_points(self._axes, self._tree, queries, a, b, k, True, distances, none),
        )
        return self._in_order(distances[:, 0], rows)

    def nearest(self, k: int, queries: npt.ArrayLike | None = None, *, rows: Rows = None) -> tuple[Floats, Ints]:
        """Return distances and indices of the k nearest records, ignoring `counts`: two arrays (m, k).

        They are sorted by distance and then by index. Queries are all records, `rows`, or any points `queries` (m, d)
        in coordinates of the space.
        """
        check_k(k, len(self))
        if queries is None:
            points = self._queries(rows)
        else:
            points = np.ascontiguousarray(queries, dtype=np.float64)
            if points.ndim != 2 or points.shape[1] != self._coordinates.shape[1]:
                raise ParameterError(
                    f"queries must have {self._coordinates.shape[1]} columns, like the space; "
                    f"their shape is {points.shape}."
                )
            points, _ = replace(self.space, coordinates=points).packed()  # in the order of the kernels' axes
        distances, indices = self._nearest(points, k, weighted=False, any_tie=False)
        return (
            (distances, indices)
            if queries is not None
            else (
                self._in_order(distances, rows),
                self._in_order(indices, rows),
            )
        )

    def nearest_rows(self, k: int, rows: Rows = None) -> tuple[Floats, Ints]:
        """Return for every record the nearest records, including itself, that stand for k rows together: two arrays
        (m, k).

        They are sorted by distance; entries that are not needed are inf and -1. Which of several records at the last
        distance is returned depends on the space alone, not on threads. Not having to break these ties makes it fast
        on labels.
        """
        check_k(k, int(self.counts.sum()))
        distances, indices = self._nearest(self._queries(rows), k, weighted=True, any_tie=True)
        return self._in_order(distances, rows), self._in_order(indices, rows)

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints:
        """Return the number of rows (sum of `counts`) at a distance of at most `radius` from each record."""
        queries = self._queries(rows)
        return self._in_order(self._count(queries, self._radii(radius, rows), weighted=True), rows)

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]:
        """Return the records within distance `radius`, the boundary included: (indptr, indices), ascending for each
        query.
        """
        # queries in the order asked for, so that results are written to their places
        asked = np.arange(len(self)) if rows is None else self._rows(rows)
        queries, radii = self._coordinates[asked], self._radii(radius, asked)
        sizes = self._count(queries, radii, weighted=False)
        indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        indices = np.empty(int(indptr[-1]), dtype=np.int64)
        if len(indices):
            self._run(
                "records within reach",
                len(queries),
                lambda a, b: boxsearch.ball_points(
                    self._axes, self._single, queries, a, b, radii, indptr, sizes, indices
                ),
            )
        ball = np.repeat(np.arange(len(asked)), sizes)
        return indptr, indices[np.lexsort((indices, ball))]

    def distance(self, rows: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
        """Return the distances of pairs of records; the two arrays are broadcast together."""
        first, second = np.broadcast_arrays(self._rows(rows), self._rows(others))
        out = np.empty(first.size)
        boxtree.pair_distances(self._axes, self._coordinates, first.flatten(), second.flatten(), out)
        return out.reshape(first.shape)

    def distances_from(self, row: int) -> Floats:
        """Return the distances from one record to all."""
        return self.distance(row, np.arange(len(self)))

    def _rows(self, rows: npt.ArrayLike) -> Ints:
        asked = np.asarray(rows, dtype=np.int64)
        if asked.size and (asked.min() < 0 or asked.max() >= len(self)):
            raise ParameterError(f"rows must lie between 0 and {len(self) - 1}; some do not.")
        return asked

    def _queries(self, rows: Rows) -> Floats:
        """Return the points of the queries; all records are in the order of the leaves, which is faster."""
        return self._tree.points if rows is None else self._coordinates[self._rows(rows)]

    def _radii(self, radius: npt.ArrayLike, rows: Rows) -> Floats:
        n = len(self) if rows is None else self._rows(rows).size
        try:
            radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), n)
        except ValueError as err:
            raise ParameterError(f"radius must be one number or one per record; {n} records were asked for.") from err
        return np.ascontiguousarray(radii if rows is not None else radii[self._tree.order])

    def _in_order(self, found: T, rows: Rows) -> T:
        if rows is not None:
            return found
        ordered = np.empty_like(found)
        ordered[self._tree.order] = found
        return ordered

    def _nearest(self, queries: Floats, k: int, *, weighted: bool, any_tie: bool) -> tuple[Floats, Ints]:
        tree = self._tree if weighted else self._single
        distances, indices = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.int64)
        self._run(
            "nearest records",
            len(queries),
            lambda a, b: boxsearch.nearest_points(self._axes, tree, queries, a, b, k, any_tie, distances, indices),
        )
        return distances, indices

    def _count(self, queries: Floats, radii: Floats, *, weighted: bool) -> Ints:
        none, counts = np.empty(0, dtype=np.int64), np.empty(len(queries), dtype=np.int64)
        tree = self._tree if weighted else self._single
        self._run(
            "records within reach",
            len(queries),
            lambda a, b: boxsearch.ball_points(self._axes, tree, queries, a, b, radii, none, counts, none),
        )
        return counts

    def _run(self, name: str, n: int, work: Callable[[int, int], None]) -> None:
        """Run queries in chunks on several threads; every chunk writes only to its own part of the result."""
        chunks = [(first, min(first + CHUNK, n)) for first in range(0, n, CHUNK)]
        with progress.step(name, total=n) as advance:
            if self.n_threads == 1 or len(chunks) < 2:
                for first, last in chunks:
                    work(first, last)
                    advance(last - first)
                return
            with ThreadPoolExecutor(self.n_threads) as pool:
                running = {pool.submit(work, first, last): last - first for first, last in chunks}
                for done in as_completed(running):
                    done.result()
                    advance(running[done])


def _with_flat_trees(axes: Packed) -> Packed:
    """Return the axes with hierarchies of one level as lines of ranks on which every difference costs the same.

    The distances are the same, and take fewer operations. Hierarchies of more than MOST_FLAT leaves stay as they are.
    """
    trees, costs, end = axes.trees.copy(), [axes.costs], len(axes.costs)
    begins = [*axes.trees[:, 2].tolist(), end]
    for row, (n_levels, _, begin) in enumerate(axes.trees.tolist()):
        above = axes.costs[begin + 1 : begins[row + 1] : 2]
        if n_levels == 1 and len(above) <= MOST_FLAT and (above == above[:1]).all():
            trees[row] = -1, 0, end
            costs.append(np.append(0.0, above))
            end += len(above) + 1
    return axes._replace(trees=trees, costs=np.concatenate(costs))


def checked_counts(counts: npt.ArrayLike | None, n: int) -> Ints:
    """Return `counts` as int64, ones for None; raise a `ParameterError` unless they are positive, one per record."""
    if counts is None:
        return np.ones(n, dtype=np.int64)
    found = np.array(counts, dtype=np.int64)
    if found.shape != (n,) or (n and found.min() < 1):
        raise ParameterError(f"counts must be {n} positive whole numbers, one per record.")
    return found


def check_k(k: int, n_rows: int) -> None:
    if not 1 <= k <= n_rows:
        raise ParameterError(f"k={k} is not from 1 to {n_rows}, the number of rows.", f"choose k from 1 to {n_rows}.")
