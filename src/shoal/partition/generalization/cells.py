"""The cells of a table. A cell has all records below one node of every hierarchy and in one range of every number.

A column of sets of labels counts as a hierarchy with one level above the labels, at the cost of two labels, which is
the least that a set of several labels costs. Cells are enumerated in kernels/hierarchy_cells.py;
docs/proofs/cells.md explains it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.hierarchy_cells import walk_cells
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space


class Cells(NamedTuple):
    """A list of cells: cell v costs costs[v] per record and has the points members[starts[v]:starts[v + 1]]."""

    members: npt.NDArray[np.int32]
    starts: Labels
    costs: Floats


class Size(NamedTuple):
    """The number of cells, and of their members in all."""

    cells: int
    members: int


def cheapest_cells(points: Space, counts: Labels, k: int, most_work: int) -> Floats | None:
    """Return the cost of every point's cheapest cell with at least k records; None if that is too much work."""
    limit = np.full(len(points), np.inf)
    size = _walk(points, counts, k, limit, most_work, 0, _room(Size(0, 0)), shrink=True)
    return limit if size.cells >= 0 else None


def count_cells(
    points: Space, counts: Labels, k: int, limit: Floats, most_work: int, most_members: int
) -> Size | None:
    """Count the cells of at least k records that cost less than the limit of one of them; None if too many."""
    size = _walk(points, counts, k, limit, most_work, most_members, _room(Size(0, 0)))
    return size if size.cells >= 0 else None


def list_cells(points: Space, counts: Labels, k: int, limit: Floats, size: Size) -> Cells:
    """Return the cells that `count_cells` has counted."""
    cells = _room(size)
    _walk(points, counts, k, limit, np.iinfo(np.int64).max, size.members, cells)
    return cells


def _room(size: Size) -> Cells:
    """Return arrays for cells of the given size, to be filled."""
    return Cells(np.empty(size.members, np.int32), np.zeros(size.cells + 1, np.int64), np.empty(size.cells))


def _walk(
    points: Space,
    counts: Labels,
    k: int,
    limit: Floats,
    most_work: int,
    most_members: int,
    cells: Cells,
    *,
    shrink: bool = False,
) -> Size:
    """Enumerate the cells by the kernel; return the number of cells and members, or (-1, 0) if there are too many."""
    coordinates, packed = points.packed()
    n, n_axes = len(points), len(points.axes)
    # Hierarchies come before numbers, because they have fewer nodes than numbers have ranges.
    in_turn = np.roll(coordinates, -packed.n_lines, axis=1)
    numbered: Floats = np.vstack((in_turn.T, np.arange(n, dtype=np.float64)))
    trees = np.vstack((packed.trees, np.zeros((packed.n_lines, 3), dtype=np.int64)))
    numbers, some = np.arange(n, dtype=np.int32), np.empty((n_axes, n), np.int32)
    state, prices = np.empty((4, n_axes), np.int64), np.empty((2, n_axes))
    found = walk_cells(
        numbered,
        trees,
        packed.ancestors,
        packed.costs,
        counts,
        k,
        limit,
        shrink,
        most_work,
        most_members,
        *cells,
        numbers,
        some,
        state,
        prices,
    )
    return Size(*found)
