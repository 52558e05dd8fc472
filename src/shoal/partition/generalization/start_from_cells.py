"""A first partition from the cheapest cells, for the annealing; it needs no neighbor lists.

Problem     records whose columns are generalized in hierarchies or to ranges; groups of at least k with a small cost.
Guarantee   every group has at least k records. Nothing is proved about the cost, which is low if columns have
            hierarchies.
Complexity  an enumeration of the cheapest cells of all records, then of costlier cells of the ungrouped records, and
            so on. It gives up if that is too much work. Deterministic; it does not depend on the order of rows.

Notes
-----
The ungrouped records of the cheapest cell that has at least k of them become a group, until fewer than k records are
ungrouped. Cells are taken in order of cost, so costlier ones need be enumerated among the ungrouped records only.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.hierarchy_cells import take_cells
from shoal.partition.generalization.cells import count_cells, list_cells
from shoal.partition.result import Labels
from shoal.space.space import Space

FIRST, WIDER = 1 / 64, 1.5
"""Limit on the cost of the first cells, as a fraction of the costliest cell's, and the factor from one limit to the
next."""
MEMBERS, WORK, LEAST_WORK = 20_000_000, 1000, 1_000_000
"""Members of cells held in memory at a time (80 MB); records that an enumeration may touch, per different record and
at least in all."""


def cheapest_first(space: Space, k: int) -> Labels | None:
    """Return the group of each record, -1 for fewer than `k` records without one.

    None if all records are equal, or if there are far too many cells.
    """
    points, counts, point_of = space.distinct()
    highest = highest_cost(points)
    if highest == 0:
        return None
    label, most_work = np.full(len(points), -1, dtype=np.int64), max(LEAST_WORK, WORK * len(points))
    group, cost, left = 0, highest * FIRST, np.arange(len(points))
    while counts[left].sum() >= k:
        some, sizes, limit = points.take(left), counts[left], np.full(len(left), cost)
        size = count_cells(some, sizes, k, limit, most_work, MEMBERS)
        if size is None:
            return None
        cells = list_cells(some, sizes, k, limit, size)
        found = np.full(len(left), -1, dtype=np.int64)
        in_turn = np.argsort(cells.costs, kind="stable")
        group = take_cells(cells.members, cells.starts, in_turn, sizes, k, found, group)
        label[left] = found
        left = left[found < 0]
        cost *= WIDER
    return label[point_of]


def highest_cost(points: Space) -> float:
    """Return the cost per record of the cell that contains all records."""
    total = 0.0
    for axis, values in zip(points.axes, points.coordinates.T, strict=True):
        farthest = axis.farthest
        total += float(np.ptp(values)) if farthest is None else farthest
    return float(total)
