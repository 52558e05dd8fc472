"""Groups of the cheapest cells first: a start for the search that needs no neighbors.

Problem     records whose columns are generalized in hierarchies or to ranges; groups of at least k that cost little.
Guarantee   every group has at least k records. Nothing is proved about the cost, which is low where columns have
            hierarchies.
Complexity  a walk over the cells of all records that cost next to nothing, then over dearer ones of the records
            that are left, and so on. It gives up where that is too much work. Deterministic; it does not depend on
            the order of rows.

Notes
-----
The records without a group that lie in the cheapest cell with at least k of them become a group, until fewer than k
are left. As cells are taken in the order of their costs, dearer ones are looked for among the records left only.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.hierarchy_cells import take_cells
from shoal.partition.generalization.cells import count_cells, list_cells
from shoal.partition.result import Labels
from shoal.space.space import Space

FIRST, WIDER = 1 / 64, 1.5
"""The cost of the first cells, as a part of what the dearest cell costs, and from one cost to the next."""
MEMBERS, WORK, LEAST_WORK = 20_000_000, 1000, 1_000_000
"""Members of cells that may be held at a time, and how many may be looked at for each different record."""


def cheapest_first(space: Space, k: int) -> Labels | None:
    """Groups; fewer than `k` records have none, -1. None where there are no cells, or far too many."""
    points, counts, point_of = space.distinct()
    dearest = _dearest(points)
    if dearest == 0:
        return None
    label, most_work = np.full(len(points), -1, dtype=np.int64), max(LEAST_WORK, WORK * len(points))
    group, cost, left = 0, dearest * FIRST, np.arange(len(points))
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


def _dearest(points: Space) -> float:
    """What the cell of all records costs."""
    total = 0.0
    for axis, values in zip(points.axes, points.coordinates.T, strict=True):
        total += np.ptp(values) if axis.level_cost is None else axis.level_cost[-1]
    return float(total)
