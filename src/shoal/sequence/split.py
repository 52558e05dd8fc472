"""People of one signature into groups of near people, every value as often as every other.

Problem     rows of s values, c of each; split them into groups of k or more that hold every value equally often.
Guarantee   every group holds every value equally often, at least ceil(k / s) times.
Complexity  O(d n log^2 n) time for n rows on d axes, O(n) memory; deterministic by the order of rows.

Notes
-----
The split of the paper: on one axis the rows of every value are sorted, and the lower half of each goes to one side.
Of all axes the one whose two sides have the smallest boxes is taken.

References
----------
.. [1] X. Xiao and Y. Tao (2007). "m-invariance: towards privacy preserving re-publication of dynamic datasets."
   SIGMOD 2007, 689-700: section 5.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shoal.space.space import LINE, Axis, Space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def split(space: Space, values: Ints, bucket: Ints, k: int) -> Ints:
    """Groups 0, 1, ... of the rows whose bucket is not negative; a bucket has each of its values equally often."""
    labels = np.full(len(bucket), -1, dtype=np.int64)
    placed = np.flatnonzero(bucket >= 0)
    order = placed[np.lexsort((values[placed], bucket[placed]))]
    n_groups = 0
    for rows in np.split(order, np.flatnonzero(np.diff(bucket[order])) + 1):
        if not len(rows):
            continue
        size = len(np.unique(values[rows]))
        # One line per value: the rows of every value in the same number.
        todo = [rows.reshape(size, -1)]
        least = math.ceil(k / size)
        while todo:
            grid = todo.pop()
            if grid.shape[1] < 2 * least:
                labels[grid.ravel()] = n_groups
                n_groups += 1
            else:
                todo += _halves(space, grid, grid.shape[1] // 2)
    return labels


def _halves(space: Space, grid: Ints, half: int) -> list[Ints]:
    """The two sides of the cut that makes the least boxes; a cut is made even where it gains nothing, as k allows."""
    best: tuple[float, Ints] | None = None
    for j, axis in enumerate(space.axes):
        if axis.kind == LINE and not np.ptp(space.coordinates[grid.ravel(), j]):
            continue
        order = np.argsort(space.coordinates[grid, j], axis=1, kind="stable")
        cut = np.take_along_axis(grid, order, axis=1)
        left, right = cut[:, :half], cut[:, half:]
        lost = left.size * _box(space, left.ravel()) + right.size * _box(space, right.ravel())
        if best is None or lost < best[0]:
            best = lost, cut
    cut = grid if best is None else best[1]
    return [cut[:, :half], cut[:, half:]]


def _box(space: Space, rows: Ints) -> float:
    """What a group of these rows generalizes to, over all columns."""
    return math.fsum(_side(axis, space.coordinates[rows, j]) for j, axis in enumerate(space.axes))


def _side(axis: Axis, column: Floats) -> float:
    if axis.ancestors is None or axis.level_cost is None:
        return float(np.ptp(column))
    if axis.label_cost:
        n_labels = len(np.unique(column))
        return axis.label_cost * n_labels if n_labels > 1 else 0.0
    low, high = int(column.min()), int(column.max())
    return float(axis.level_cost[np.argmax(axis.ancestors[low] == axis.ancestors[high])])
