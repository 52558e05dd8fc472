"""Which rows of a group's people are published alike: the first of each, the second of each, and so on.

All people of a group keep n rows of a table. One of them is the model: each of the others has its n rows assigned to
the n rows of the model, so that rows which resemble each other have the same place. Rows of one place are published
with the same cells, so that everybody in the group has the same n cells.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from shoal.pipeline.linked.tables import LinkedTable
from shoal.space import Space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST = 200
"""Up to so many rows of a person are assigned at the least cost, which takes cubic time; more, in their own order."""


def places(table: LinkedTable, labels: Ints) -> Ints:
    """Return the place 0, 1, ... of every row among those of its person; -1 for dropped rows (label -1).

    In every group all people have equally many rows with its label, and get each place once.
    """
    found = np.full(len(labels), -1, dtype=np.int64)
    kept = np.flatnonzero(labels >= 0)
    by_group = kept[np.lexsort((kept, table.people[kept], labels[kept]))]
    start = np.flatnonzero(np.diff(labels[by_group], prepend=-1))
    for begin, end in zip(start.tolist(), [*start[1:].tolist(), len(by_group)], strict=True):
        rows = by_group[begin:end]
        n_people = len(np.unique(table.people[rows]))
        matrix = rows.reshape(n_people, -1)  # a line per person, rows in the order of the table
        found[matrix] = _assigned(table.task.space, matrix)
    return found


def _assigned(space: Space, matrix: Ints) -> Ints:
    """Return the place of every row in a matrix of rows, with a line per person."""
    n_people, n = matrix.shape
    own = np.broadcast_to(np.arange(n), matrix.shape).copy()  # rows are sorted by their quasi-identifiers
    if n == 1 or n > MOST or len(space.axes) < 2:
        return own
    means = space.coordinates[matrix].mean(axis=1)
    model = int(np.argmin(np.abs(means - means.mean(axis=0)).sum(axis=1)))
    for person in range(n_people):
        if person != model:
            cost = _distances(space, matrix[model], matrix[person])
            place, row = linear_sum_assignment(cost)
            own[person, row] = place
    return own


def _distances(space: Space, first: Ints, second: Ints) -> Floats:
    """Return what a cell that covers a row of `first` and one of `second` costs, for every pair."""
    a = np.repeat(space.coordinates[first], len(second), axis=0)
    b = np.tile(space.coordinates[second], (len(first), 1))
    low, high = np.minimum(a, b), np.maximum(a, b)
    total = sum(axis.spanned(low[:, j], high[:, j]) for j, axis in enumerate(space.axes))
    return np.asarray(total, dtype=np.float64).reshape(len(first), len(second))
