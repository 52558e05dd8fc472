"""The squared error of groups, and records in the form that the microaggregation methods need: sorted and scaled."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from shoal.errors import ParameterError
from shoal.partition.result import Floats, Labels
from shoal.space.space import LINE, Space

Numbers = npt.NDArray[np.signedinteger]

LARGEST_RANGE = 1e150
"""Largest range of a column: with a larger one, sums of squares could overflow."""
SMALLEST = 2.0**-1000
"""The smallest lower bound that is reported: one below it might have been rounded up by underflow."""


@dataclass(frozen=True, slots=True, eq=False)
class SortedPoints:
    """Records sorted by their coordinates, so that no result depends on the order of rows.

    `points` are divided by a power of two, which is exact and keeps squares from overflowing. A squared error of
    `points` times `square` is one of the input. Points are not shifted, because that would round.
    """

    points: Floats
    order: Labels
    square: float

    def labels_of_rows(self, labels: Labels) -> Labels:
        """Return the labels of the input's rows, given those of the sorted records."""
        restored = np.empty_like(labels)
        restored[self.order] = labels
        return restored

    def bound_of_input(self, bound: float) -> float:
        """Return a lower bound for the input, given one for `points`; 0 if underflow might have raised it."""
        return without_underflow(without_underflow(bound) * self.square)


def sort_points(points: npt.ArrayLike | Space, *, keep_order: bool = False) -> SortedPoints:
    """Return the points in canonical order (or the given one), scaled so that the widest column spans at most 1."""
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
    # With a large offset and a small range, scaling by the range alone could make the coordinates overflow.
    exponent = max(math.frexp(width)[1], math.frexp(float(np.abs(raw).max()))[1] - 400)
    if keep_order:
        order = np.arange(len(raw))
    else:
        order = order_of_column(raw[:, 0]) if raw.shape[1] == 1 else np.lexsort(raw.T[::-1])
    return SortedPoints(np.ldexp(raw[order], -exponent), order.astype(np.int64), math.ldexp(1.0, 2 * exponent))


def order_of_column(values: Floats) -> Labels:
    """Return the rows in order of value, ties in order of row.

    If ties are few, this is a faster sort that is not stable, with the ties put in order afterwards.
    """
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
    """Return the mean of each group as (n_groups, d); every group 0, 1, ... must have a record."""
    anchor, shifted, _, sizes, starts = _by_group(points, labels)
    means: Floats = anchor + np.add.reduceat(shifted, starts, axis=0) / sizes[:, None]
    return means


def sse_of_groups(points: Floats, labels: Labels) -> Floats:
    """Return the squared error of each group: the sum of squared distances to its mean."""
    _, shifted, order, sizes, starts = _by_group(points, labels)
    shifted -= np.repeat(np.add.reduceat(shifted, starts, axis=0) / sizes[:, None], sizes, axis=0)
    squares = np.einsum("ij,ij->i", shifted, shifted)
    sums: Floats = np.bincount(labels[order], weights=squares).astype(np.float64)
    return sums


def _by_group(points: Floats, labels: Labels) -> tuple[Floats, Floats, Numbers, Numbers, Numbers]:
    """Return the first member of each group, all points relative to it in order of groups, and where groups begin.

    Relative to a member, an offset common to a group causes no loss of precision.
    """
    sizes = np.bincount(labels)
    every = np.arange(len(labels))
    # Making a sparse matrix with a row per group lists the records of each group by counting, faster than a sort.
    order = csr_array((np.ones(len(labels), dtype=np.int8), (labels, every)), shape=(len(sizes), len(labels))).indices
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    anchor = points[order[starts]]
    return anchor, points[order] - np.repeat(anchor, sizes, axis=0), order, sizes, starts


def sse(points: Floats, labels: Labels) -> float:
    """Return the squared error: the sum over all records of squared distances to the mean of their group."""
    return math.fsum(sse_of_groups(points, labels).tolist())


def off_mean(values: Floats) -> Floats:
    """Return the deviations of values from their mean; at least one value is expected.

    They are taken relative to one of the values first, so that an offset common to all causes no loss of precision.
    """
    moved = values - values[0]
    off: Floats = moved - moved.mean()
    return off


def rounded_down(value: float, n_terms: int) -> float:
    """Return a number at most the exact value of `value`, whose relative error is below `n_terms` roundings."""
    return value * (1.0 - n_terms * 2.0**-52)


def single_group_bound(cost: float, n: int, n_axes: int) -> float:
    """Return a number at most the exact cost of one group of all n records, given its computed cost.

    A deviation is rounded with that of the mean, squares are added over the axes and then over the records.
    """
    return rounded_down(cost, n + 2 * n_axes + 8)


def without_underflow(bound: float) -> float:
    """Return the bound, or 0 if it is so small that underflow of squares might have raised it."""
    return bound if bound >= SMALLEST else 0.0


def standardize(points: npt.ArrayLike) -> Floats:
    """Return the columns with mean 0 and population variance 1; a constant column becomes 0."""
    array = np.array(points, dtype=np.float64, ndmin=2)
    off = array - array.mean(axis=0)
    off -= off.mean(axis=0)
    spread = np.sqrt(np.mean(off * off, axis=0))
    constant = array.min(axis=0) == array.max(axis=0)
    off[:, constant] = 0.0
    spread[constant] = 1.0
    standardized: Floats = off / spread
    return standardized
