"""The grid on which the sides of areas lie. Places are first rounded to its cells, so a side reveals nothing finer.

Cells are numbered by integers from the equator and from the meridian of Greenwich. A side lies on a line of the grid.
The outermost sides depend on very few people, so they lie on a grid that is OUTER times as wide.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from shoal.partition.result import Floats, Labels

USUAL = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
"""Widths of cells, in degrees, that are used if the policy gives none; each divides the next but one."""
ACROSS = 500
"""Most cells across the box of all places: the finest grid of USUAL with at most so many is chosen."""
OUTER = 10
"""The outermost sides lie on a grid that is this many times as wide."""


def usual_grid(places: Floats) -> float:
    """Return the width of the grid's cells, chosen by the longer side of the box around `places`.

    `places` are rows of latitude and longitude, as `unwrapped` returns them.
    """
    wide = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    return next((grid for grid in USUAL if wide / grid <= ACROSS), USUAL[-1])


def lines(index: Labels, grid: float) -> Floats:
    """Return the degrees of lines of the grid, exact as decimals are written: line 3 of a grid of 0.1 is 0.3."""
    unit = Decimal(repr(float(grid)))
    different, place = np.unique(index, return_inverse=True)
    return np.array([float(unit * one) for one in different.tolist()], dtype=np.float64)[place].reshape(index.shape)


def cells(degrees: Floats, grid: float) -> Labels:
    """Return the cell of every coordinate: the number of the line at or below it."""
    index = np.floor(degrees / grid).astype(np.int64)
    # The quotient may have been rounded across a line; this corrects it.
    index -= lines(index, grid) > degrees
    index += lines(index + 1, grid) <= degrees
    return index


def around(grid: float) -> int:
    """Return the number of cells around the Earth."""
    return round(360 / grid)


def outer_box(low: Labels, high: Labels, grid: float) -> Labels:
    """Return south, north, west and east of all cells from `low` to `high`, moved outwards to the wider grid."""
    quarter = around(grid) // 4
    south, west = (low // OUTER * OUTER).tolist()
    north, east = (-(-(high + 1) // OUTER) * OUTER).tolist()
    if east - west > around(grid):  # moved outwards, the two sides would pass each other
        west, east = int(low[1]), int(high[1]) + 1
    return np.array([max(south, -quarter), min(north, quarter), west, east], dtype=np.int64)


def as_degrees(sides: Labels, grid: float) -> Floats:
    """Return rows south, north, west, east in degrees instead of cells; across the date line, west exceeds east."""
    n = around(grid)
    turned = np.where(sides > n // 2, sides - n, sides)
    found = np.column_stack([lines(sides[:, :2], grid), lines(turned[:, 2:], grid)])
    found[sides[:, 3] - sides[:, 2] >= n, 2:] = -180.0, 180.0
    return found
