"""Points that proposals of an exchange come from: the nearest, and where rules ask for it the nearest that differ.

Where everyone around holds the same sensitive value, exchanges among neighbors never meet a rule. So half of such a
point's places go to the nearest points with another value, however far those are.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.result import Labels
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

OTHERS, FEW = 10, 10
"""Points with another value that are listed where fewer than FEW are among the nearest."""
FREQUENT = 0.05
"""Share of the records that hold a value: rarer ones do not fill a neighborhood."""


def near_points(points: Space, n_near: int, n_threads: int | None) -> Labels:
    """(points, n_near): the nearest of each, itself first."""
    return Neighbors(points, n_threads=n_threads).nearest(n_near)[1]


def with_others(near: Labels, points: Space, point_of: Labels, codes: Labels, n_threads: int | None) -> Labels:
    """`near` with every second place given to the nearest points that hold another value than all those around."""
    only = _only_value(point_of, codes, len(points))
    differing = np.count_nonzero(only[near] != only[:, None], axis=1)
    found = near.copy()
    for value in np.flatnonzero(np.bincount(codes) >= FREQUENT * len(codes)):
        lonely = np.flatnonzero((only == value) & (differing < FEW))
        others = np.flatnonzero(only != value)
        width = min(OTHERS, near.shape[1] // 2, len(others))
        if len(lonely) and width:
            tree = Neighbors(points.take(others), n_threads=n_threads)
            found[lonely, 1 : 2 * width : 2] = others[tree.nearest(width, points.coordinates[lonely])[1]]
    return found


def _only_value(point_of: Labels, codes: Labels, n_points: int) -> Labels:
    """The value that all records of a point hold; -1 where they hold several."""
    low, high = np.full(n_points, np.iinfo(np.int64).max), np.full(n_points, -1, dtype=np.int64)
    np.minimum.at(low, point_of, codes)
    np.maximum.at(high, point_of, codes)
    return np.where(low == high, low, -1)
