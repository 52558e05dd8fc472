"""People of one signature into groups of near people, every value as often as every other.

Problem     rows of s values, c of each; split them into groups of k or more that hold every value equally often.
Guarantee   every group holds every value equally often, at least ceil(k / s) times. No ratio.
Complexity  O(d n log n) time for n rows on d axes to cut them into blocks, then O(BLOCK^2) per row; O(n) memory.
            Deterministic by the order of rows.

Notes
-----
The split of the paper: on the widest axis the rows of every value are sorted, and the lower half of each goes to one
side. As the halves of different values do not end at the same place, small groups made so overlap; so a block of at
most BLOCK rows per value is then improved: the rows of one value at a time are given to the groups anew, where they
are nearest to the rows of the other values, by an assignment of least cost.

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

BLOCK = 160
"""Rows of every value that are improved at once."""
ROUNDS = 4
LARGEST = 4000
"""Rows of a block at most, whatever the number of values: their distances are in memory."""


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
        least = math.ceil(k / size)
        # One line per value: the rows of every value in the same number.
        for block in _cut(space, rows.reshape(size, -1), max(least, min(BLOCK, LARGEST // size))):
            groups = _improved(space, _cut(space, block, least))
            for grid in groups:
                labels[grid.ravel()] = n_groups
                n_groups += 1
    return labels


def _cut(space: Space, grid: Ints, least: int) -> list[Ints]:
    """Halved again and again, as long as both sides have `least` rows of every value."""
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
    """How far apart rows are on an axis: leaves of a tree, in depth-first order, by how many lie between."""
    side = float(np.ptp(column))
    if axis.ancestors is None or axis.level_cost is None:
        return side
    return side / max(len(axis.ancestors) - 1, 1) * float(axis.level_cost[-1])


def _improved(space: Space, groups: list[Ints]) -> list[Ints]:
    """The same groups with rows of equal value exchanged between them, if they are then nearer to each other."""
    n_values = groups[0].shape[0]
    if len(groups) < 2 or n_values < 2:
        return groups
    rows = np.concatenate([grid.ravel() for grid in groups])
    apart = _distances(space.take(rows))
    place = {row: at for at, row in enumerate(rows.tolist())}
    inside = [np.vectorize(place.__getitem__, otypes=[np.int64])(grid) for grid in groups]
    slots = np.repeat(np.arange(len(groups)), [grid.shape[1] for grid in groups])
    best, least = inside, _together(apart, inside)
    for _ in range(ROUNDS):
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
    """How far apart the rows of groups are: for every row the farthest one in its group."""
    return math.fsum(float(apart[np.ix_(grid.ravel(), grid.ravel())].max(axis=1).sum()) for grid in groups)


def _distances(space: Space) -> Floats:
    """Between all rows, over all axes: numbers apart, and the levels at which leaves meet."""
    total = np.zeros((len(space), len(space)))
    for j, axis in enumerate(space.axes):
        column = space.coordinates[:, j]
        if axis.ancestors is None or axis.level_cost is None:
            total += np.abs(column[:, None] - column[None, :])
            continue
        above = axis.ancestors[column.astype(np.int64)]
        met = np.full(total.shape, float(axis.level_cost[-1]))
        for level in range(above.shape[1] - 2, -1, -1):
            met[above[:, level, None] == above[None, :, level]] = axis.level_cost[level]
        total += met
    return total
