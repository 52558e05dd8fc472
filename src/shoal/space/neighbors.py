"""Exact nearest records and range counts on a `Space`, through one box tree.

Distances are what `shoal.kernels.box_tree` computes, by one expression for all methods: d(i, j) and d(j, i) are equal
to the bit, and norm 2 compares rooted values everywhere, so a distance that was handed out can be handed back as a
radius and its record is inside. Work is split by query over threads; the result does not depend on their number.
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
from shoal.space.space import Floats, Ints, Space

LEAF_SIZE = 24
CHUNK = 2048

Rows = npt.ArrayLike | None
T = TypeVar("T", Floats, Ints)


class Neighbors:
    """The records of `space` by distance; `counts` says how many rows each record stands for (default 1)."""

    def __init__(self, space: Space, counts: npt.ArrayLike | None = None, *, n_threads: int | None = None) -> None:
        self.space = space
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.counts = checked_counts(counts, len(space))
        self._coordinates, self._axes = space.packed()
        self._tree = boxtree.build_tree(self._axes, self._coordinates, self.counts, LEAF_SIZE)
        # The same tree with every record counted once.
        nodes = self._tree.nodes.copy()
        nodes[:, boxtree.COUNT] = nodes[:, boxtree.END] - nodes[:, boxtree.START]
        self._single = self._tree._replace(counts=np.ones(len(space), dtype=np.int64), nodes=nodes)

    def __len__(self) -> int:
        return len(self.space)

    def kth_distance(self, k: int, rows: Rows = None) -> Floats:
        """Distance from each record to the k-th nearest row; the record itself comes first, `counts` times."""
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
        """The k nearest records, `counts` apart, sorted by (distance, index): two arrays (m, k).

        Of every record, of `rows`, or of any points `queries` (m, d) in coordinates of the space.
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
        """Of every record, nearest records (itself among them) that stand for k rows together: two arrays (m, k).

        Sorted by distance; places that are not needed hold inf and -1. Which of several records at the last
        distance is taken depends on the space alone, not on threads; that freedom is what makes it fast on labels.
        """
        check_k(k, int(self.counts.sum()))
        distances, indices = self._nearest(self._queries(rows), k, weighted=True, any_tie=True)
        return self._in_order(distances, rows), self._in_order(indices, rows)

    def count_within(self, radius: npt.ArrayLike, rows: Rows = None) -> Ints:
        """Rows (`counts`) within the closed ball d <= radius around each record."""
        queries = self._queries(rows)
        return self._in_order(self._count(queries, self._radii(radius, rows), weighted=True), rows)

    def within(self, radius: npt.ArrayLike, rows: Rows = None) -> tuple[Ints, Ints]:
        """Records within the closed ball d <= radius: (indptr, indices), ascending within each ball."""
        # Queried in the order asked for, so that balls are written where they belong.
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
        """Distances of pairs of records; the two are broadcast together."""
        first, second = np.broadcast_arrays(self._rows(rows), self._rows(others))
        out = np.empty(first.size)
        boxtree.pair_distances(self._axes, self._coordinates, first.flatten(), second.flatten(), out)
        return out.reshape(first.shape)

    def distances_from(self, row: int) -> Floats:
        """Distances from one record to all."""
        return self.distance(row, np.arange(len(self)))

    def _rows(self, rows: npt.ArrayLike) -> Ints:
        asked = np.asarray(rows, dtype=np.int64)
        if asked.size and (asked.min() < 0 or asked.max() >= len(self)):
            raise ParameterError(f"rows must lie between 0 and {len(self) - 1}; some do not.")
        return asked

    def _queries(self, rows: Rows) -> Floats:
        """All records come in the order of the leaves, which keeps neighbors in the processor's cache."""
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
        """Queries in chunks, over threads; every chunk writes only its own slots."""
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


def checked_counts(counts: npt.ArrayLike | None, n: int) -> Ints:
    """`counts` as int64, or ones."""
    if counts is None:
        return np.ones(n, dtype=np.int64)
    found = np.array(counts, dtype=np.int64)
    if found.shape != (n,) or (n and found.min() < 1):
        raise ParameterError(f"counts must be {n} positive whole numbers, one per record.")
    return found


def check_k(k: int, n_rows: int) -> None:
    if not 1 <= k <= n_rows:
        raise ParameterError(f"k={k} asks for the k-th nearest of {n_rows} rows.", f"choose k from 1 to {n_rows}.")
