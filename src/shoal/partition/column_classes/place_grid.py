"""The grid on which the sides of areas lie: places are first put into its cells, so a side says nothing finer.

Cells are counted in whole numbers from the equator and from Greenwich; a side is a whole number of degrees of the
grid, and the outermost sides, which only the outermost people decide, whole numbers of ten times as many.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from shoal.partition.result import Floats, Labels

USUAL = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
"""Grids that are chosen from where the policy gives none: each goes into the next but one."""
ACROSS = 500
"""A grid is chosen that has about so many cells across all places, or fewer."""
OUTER = 10
"""The outermost sides are on a grid so many times as wide."""


def usual_grid(places: Floats) -> float:
    """By the longer side of the box around `places` (rows of latitude and longitude, opened where none is)."""
    wide = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    return next((grid for grid in USUAL if wide / grid <= ACROSS), USUAL[-1])


def lines(index: Labels, grid: float) -> Floats:
    """The degrees of the grid's lines, as decimals are written: three times 0.1 is 0.3."""
    unit = Decimal(repr(float(grid)))
    different, place = np.unique(index, return_inverse=True)
    return np.array([float(unit * one) for one in different.tolist()], dtype=np.float64)[place].reshape(index.shape)


def cells(degrees: Floats, grid: float) -> Labels:
    """The cell of every coordinate: the line at or below it."""
    index = np.floor(degrees / grid).astype(np.int64)
    # A quotient may be rounded across a line.
    index -= lines(index, grid) > degrees
    index += lines(index + 1, grid) <= degrees
    return index


def around(grid: float) -> int:
    """Cells around the Earth."""
    return round(360 / grid)


def outer_box(low: Labels, high: Labels, grid: float) -> Labels:
    """South, north, west, east of all cells from `low` to `high`, moved outwards."""
    quarter = around(grid) // 4
    south, west = (low // OUTER * OUTER).tolist()
    north, east = (-(-(high + 1) // OUTER) * OUTER).tolist()
    if east - west > around(grid):  # the gap is not that wide
        west, east = int(low[1]), int(high[1]) + 1
    return np.array([max(south, -quarter), min(north, quarter), west, east], dtype=np.int64)


def as_degrees(sides: Labels, grid: float) -> Floats:
    """Rows south, north, west, east in cells as degrees; west may then be larger than east, at the date line."""
    n = around(grid)
    turned = np.where(sides > n // 2, sides - n, sides)
    found = np.column_stack([lines(sides[:, :2], grid), lines(turned[:, 2:], grid)])
    found[sides[:, 3] - sides[:, 2] >= n, 2:] = -180.0, 180.0
    return found
