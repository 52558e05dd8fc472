"""Groups of k points around extreme points, by the diameter-based (D) and the centroid-based (C) method.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   the groups of the published pseudocode; ties go to the first point. Nothing is proved about the error.
Complexity  O(n^2 d) time and O(n d) memory; for the diameter-based method, the time is what is seen in practice.

References
----------
.. [1] M. Laszlo and S. Mukherjee (2005). "Minimum spanning tree partitioning algorithm for microaggregation."
   IEEE TKDE 17(7), 902-911, section 4.2: D, C, M-d and M-c.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.fixed_size import fixed_size_groups
from shoal.partition.microaggregation.mst import spanning_tree
from shoal.partition.result import Floats, Labels


def diameter(points: Floats, k: int) -> Labels:
    """Return the groups of method D, which forms two groups at a time, around the two most distant points."""
    return _groups(points, k, by_diameter=True)


def centroid(points: Floats, k: int) -> Labels:
    """Return the groups of method C, which forms one group at a time, around the point farthest from the centroid."""
    return _groups(points, k, by_diameter=False)


def split_tree(points: Floats, k: int, *, by_diameter: bool, n_threads: int = 1) -> Labels:
    """Return the groups of methods M-d and M-c: those of the spanning tree, with large ones split by D or C."""
    return split_oversized(points, spanning_tree(points, n_threads=n_threads).groups(k), k, by_diameter=by_diameter)


def split_oversized(points: Floats, labels: Labels, k: int, *, by_diameter: bool) -> Labels:
    """Return the partition with groups of at least 2k points split by D or C, as in M-d and M-c."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)))
    split = labels.copy()
    n_groups = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        rows = order[starts[group] : starts[group + 1]]
        parts = _groups(points[rows], k, by_diameter=by_diameter)
        split[rows] = np.where(parts == 0, group, n_groups + parts - 1)
        n_groups += int(parts.max())
    return split


def _groups(points: Floats, k: int, *, by_diameter: bool) -> Labels:
    columns = np.ascontiguousarray((points - points.mean(axis=0)).T)
    labels: Labels = fixed_size_groups(columns, k, by_diameter)
    return labels
