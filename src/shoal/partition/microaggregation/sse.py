"""Squared error of groups, and records as the microaggregation methods want them: sorted and scaled."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from shoal.errors import ParameterError
from shoal.partition.result import Floats, Labels
from shoal.space.space import LINE, Space

LARGEST_RANGE = 1e150
"""Beyond this the square of a coordinate's range leaves the floating-point numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class SortedPoints:
    """Records in the order of their coordinates, so that no result depends on the order of rows.

    `points` are divided by a power of two, which is exact and keeps squares inside the floating-point numbers;
    `square` turns a squared error of `points` into one of the input. They are not shifted: that would round.
    """

    points: Floats
    order: Labels
    square: float

    def labels_of_rows(self, labels: Labels) -> Labels:
        """Groups of the sorted records, as groups of the input's rows."""
        restored = np.empty_like(labels)
        restored[self.order] = labels
        return restored


def sort_points(points: npt.ArrayLike | Space, *, keep_order: bool = False) -> SortedPoints:
    """Canonical order (or the given one), scaled so that the widest column spans at most 1."""
    space = points if isinstance(points, Space) else Space.from_points(points)
    if any(axis.kind != LINE for axis in space.axes):
        raise ParameterError("the optimum of one column needs numbers; labels were given.", "take another method.")
    raw = space.coordinates
    if raw.shape[1] == 0:
        raw = np.zeros((len(raw), 1))
    if len(raw) == 0:
        return SortedPoints(np.ascontiguousarray(raw), np.zeros(0, dtype=np.int64), 1.0)
    low, high = raw.min(axis=0), raw.max(axis=0)
    with np.errstate(over="ignore"):
        width = float((high - low).max())
    if not width <= LARGEST_RANGE:
        raise ParameterError(
            "the squared error of these points is beyond floating-point numbers.",
            "divide the largest columns by their standard deviation first.",
        )
    # A range far below the magnitude (an offset) must not lift the magnitude out of the floating-point numbers.
    exponent = max(math.frexp(width)[1], math.frexp(float(np.abs(raw).max()))[1] - 400)
    if keep_order:
        order = np.arange(len(raw))
    else:
        order = order_of_column(raw[:, 0]) if raw.shape[1] == 1 else np.lexsort(raw.T[::-1])
    return SortedPoints(np.ldexp(raw[order], -exponent), order.astype(np.int64), math.ldexp(1.0, 2 * exponent))


def order_of_column(values: Floats) -> Labels:
    """Rows by value, ties by row: a stable sort, made of the much faster one that is not, where ties are few."""
    order = np.argsort(values)
    ranked = values[order]
    same = ranked[1:] == ranked[:-1]
    if same.sum() > len(values) // 10:
        return np.argsort(values, kind="stable")
    tied = np.flatnonzero(np.concatenate((same, [False])) | np.concatenate(([False], same)))
    rows = order[tied]
    order[tied] = rows[np.lexsort((rows, values[rows]))]
    return order


def group_means(points: Floats, labels: Labels) -> Floats:
    """(n_groups, d): the mean of each group; every group 0, 1, ... has a record."""
    sizes = np.bincount(labels)
    every = np.arange(len(labels))
    # A sparse matrix with a row for each group lists its records in order, and counts instead of sorting.
    order = csr_array((np.ones(len(labels), dtype=np.int8), (labels, every)), shape=(len(sizes), len(labels))).indices
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    anchor = points[order[starts]]
    # Means are taken relative to one member, so that an offset common to a group costs no digits.
    shifted = points[order] - np.repeat(anchor, sizes, axis=0)
    means: Floats = anchor + np.add.reduceat(shifted, starts, axis=0) / sizes[:, None]
    return means


def sse_of_groups(points: Floats, labels: Labels) -> Floats:
    """(n_groups,): squared distances to the mean, summed over each group."""
    off = points - group_means(points, labels)[labels]
    sums: Floats = np.bincount(labels, weights=np.einsum("ij,ij->i", off, off)).astype(np.float64)
    return sums


def sse(points: Floats, labels: Labels) -> float:
    """Squared distances to the mean of one's group, summed over all records."""
    return math.fsum(sse_of_groups(points, labels).tolist())


def rounded_down(value: float, n_terms: int) -> float:
    """At most the exact value, if `value` is a sum of squares whose relative error is below n_terms roundings."""
    return value * (1.0 - n_terms * 2.0**-52)


def standardize(points: npt.ArrayLike) -> Floats:
    """Columns with mean 0 and population variance 1; a constant column becomes 0."""
    array = np.array(points, dtype=np.float64, ndmin=2)
    off = array - array.mean(axis=0)
    off -= off.mean(axis=0)
    spread = np.sqrt(np.mean(off * off, axis=0))
    constant = array.min(axis=0) == array.max(axis=0)
    off[:, constant] = 0.0
    spread[constant] = 1.0
    standardized: Floats = off / spread
    return standardized
