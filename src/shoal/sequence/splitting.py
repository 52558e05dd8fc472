"""Splitting people of one signature into groups of similar people that have every value equally often.

Problem     Rows of s values, c of each; split them into groups of k or more that have every value equally often.
Guarantee   Every group has every value equally often, at least ceil(k / s) times. There is no approximation ratio.
Complexity  O(d n log n) time for n rows on d axes to cut them into blocks, then O(MOST_BLOCK_ROWS^2) per row;
            O(n) memory. Deterministic for a given order of rows.

Notes
-----
The split is that of the paper: on the widest axis the rows of every value are sorted, and the lower half of each goes
to one side. As the halves of different values do not end at the same place, small groups made this way overlap;
therefore a block of at most MOST_BLOCK_ROWS rows per value is then improved: the rows of one value at a time are
reassigned to the groups whose rows of the other values are nearest, by a least-cost assignment.

References
----------
.. [1] X. Xiao and Y. Tao (2007). "m-invariance: toward privacy preserving re-publication of dynamic datasets."
   SIGMOD 2007, 689-700: section 5.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from shoal.space.space import Axis, Space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_BLOCK_ROWS = 160
"""The most rows per value that are improved at once; the assignment takes time cubic in it."""
REASSIGNING_ROUNDS = 4  # the most passes over the values of a block; most stop improving earlier
LARGEST = 4000
"""The most rows of a block for any number of values, because all their distances are kept in memory."""


def split(space: Space, values: Ints, bucket: Ints, k: int) -> Ints:
    """Return groups 0, 1, ... of the rows whose bucket is not negative; a bucket has its values equally often."""
    labels = np.full(len(bucket), -1, dtype=np.int64)
    placed = np.flatnonzero(bucket >= 0)
    order = placed[np.lexsort((values[placed], bucket[placed]))]
    n_groups = 0
    for rows in np.split(order, np.flatnonzero(np.diff(bucket[order])) + 1):
        if not len(rows):
            continue
        size = len(np.unique(values[rows]))
        least = math.ceil(k / size)
        # one line of the array per value, as every value has equally many rows
        for block in _cut(space, rows.reshape(size, -1), max(least, min(MOST_BLOCK_ROWS, LARGEST // size))):
            groups = _improved(space, _cut(space, block, least))
            for grid in groups:
                labels[grid.ravel()] = n_groups
                n_groups += 1
    return labels


def _cut(space: Space, grid: Ints, least: int) -> list[Ints]:
    """Return the parts of a grid halved repeatedly, as long as both halves have `least` rows of every value."""
    todo, done = [grid], []
    while todo:
        one = todo.pop()
        half = one.shape[1] // 2
        if half < least:
            done.append(one)
            continue
        rows = one.ravel()
        widths = [_width(axis, space.coordinates[rows, j]) for j, axis in enumerate(space.axes)]
        if widths:
            order = np.argsort(space.coordinates[one, int(np.argmax(widths))], axis=1, kind="stable")
            one = np.take_along_axis(one, order, axis=1)
        todo += [one[:, half:], one[:, :half]]
    return done


def _width(axis: Axis, column: Floats) -> float:
    """Return how far rows extend on an axis; for leaves of a tree, by their number in depth-first order."""
    side = float(np.ptp(column))
    if axis.ancestors is None or axis.level_cost is None:
        return side if axis.by_count is None else float(axis.by_count[int(side)])
    return side / max(len(axis.ancestors) - 1, 1) * float(axis.level_cost[-1])


def _improved(space: Space, groups: list[Ints]) -> list[Ints]:
    """Return the groups after exchanging rows of equal value between them, if that brings their members nearer."""
    n_values = groups[0].shape[0]
    if len(groups) < 2 or n_values < 2:
        return groups
    rows = np.concatenate([grid.ravel() for grid in groups])
    apart = _distances(space.take(rows))
    place = {row: at for at, row in enumerate(rows.tolist())}
    inside = [np.vectorize(place.__getitem__, otypes=[np.int64])(grid) for grid in groups]
    slots = np.repeat(np.arange(len(groups)), [grid.shape[1] for grid in groups])
    best, least = inside, _together(apart, inside)
    for _ in range(REASSIGNING_ROUNDS):
        for value in range(n_values):
            own = np.concatenate([grid[value] for grid in inside])
            others = [np.delete(grid, value, axis=0).ravel() for grid in inside]
            cost = np.stack([apart[np.ix_(own, members)].mean(axis=1) for members in others], axis=1)
            _, slot = linear_sum_assignment(cost[:, slots])
            given = slots[slot]
            for group, grid in enumerate(inside):
                inside[group] = grid.copy()
                inside[group][value] = own[given == group]
        found = _together(apart, inside)
        if found >= least:
            break
        best, least = list(inside), found
    return [rows[grid] for grid in best]


def _together(apart: Floats, groups: list[Ints]) -> float:
    """Return the sum over all rows of the distance to the farthest row in the same group."""
    return math.fsum(float(apart[np.ix_(grid.ravel(), grid.ravel())].max(axis=1).sum()) for grid in groups)


def _distances(space: Space) -> Floats:
    """Return the distances between all rows, summed over the axes."""
    total = np.zeros((len(space), len(space)))
    for j, axis in enumerate(space.axes):
        values, which = np.unique(space.coordinates[:, j], return_inverse=True)
        one, other = np.meshgrid(values, values)
        apart = axis.spanned(np.minimum(one, other).ravel(), np.maximum(one, other).ravel())
        total += apart.reshape(len(values), -1)[np.ix_(which, which)]
    return total
