"""Neighbor lists for the annealing: the nearest points, and, if there are rules, the nearest with another value.

If all points around a record have the same sensitive value, exchanges among them never meet a rule. Therefore half of
the list of such a point goes to the nearest points with another value, however far away they are.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.result import Labels
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

OTHERS, FEW = 10, 10
"""OTHERS points with another value are listed for a point that has fewer than FEW of them among its nearest."""
FREQUENT = 0.05
"""Only values with at least this share of the records are treated: rarer ones do not fill a neighborhood."""


def near_points(points: Space, n_near: int, n_threads: int | None) -> Labels:
    """Return the `n_near` nearest points of each point, itself first, as an array (points, n_near)."""
    return Neighbors(points, n_threads=n_threads).nearest(n_near)[1]


def with_others(near: Labels, points: Space, point_of: Labels, codes: Labels, n_threads: int | None) -> Labels:
    """Return `near` with every second place given to the nearest points of another value, where those are lacking."""
    only = _only_value(point_of, codes, len(points))
    differing = np.count_nonzero(only[near] != only[:, None], axis=1)
    found = near.copy()
    for value in np.flatnonzero(np.bincount(codes) >= FREQUENT * len(codes)):
        uniform = np.flatnonzero((only == value) & (differing < FEW))  # points among points of their own value
        others = np.flatnonzero(only != value)
        width = min(OTHERS, near.shape[1] // 2, len(others))
        if len(uniform) and width:
            tree = Neighbors(points.take(others), n_threads=n_threads)
            found[uniform, 1 : 2 * width : 2] = others[tree.nearest(width, points.coordinates[uniform])[1]]
    return found


def _only_value(point_of: Labels, codes: Labels, n_points: int) -> Labels:
    """Return the value that all records of a point have; -1 if they have several."""
    low, high = np.full(n_points, np.iinfo(np.int64).max), np.full(n_points, -1, dtype=np.int64)
    np.minimum.at(low, point_of, codes)
    np.maximum.at(high, point_of, codes)
    return np.where(low == high, low, -1)
