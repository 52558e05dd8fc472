"""MDAV and V-MDAV: maximum distance to the average vector.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   the groups of the published algorithms, equal to those of plain loops over all ungrouped points. Among
            points at equal distance, as computed column by column, the first row is taken. The centroid is a running
            sum of the ungrouped points, divided by their number. Nothing is proved about the error.
Complexity  n / k searches of a tree from which grouped points are removed, and which is rebuilt when half of them
            are: near n log n in few dimensions, O(n^2 d / k) at worst; O(n d) memory.

References
----------
.. [1] J. Domingo-Ferrer and V. Torra (2005). "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation." Data Mining and Knowledge Discovery 11(2), 195-212.
.. [2] A. Solanas and A. Martinez-Balleste (2006). "V-MDAV: a multivariate microaggregation with variable group size."
   COMPSTAT 2006, 917-925.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal import progress
from shoal.kernels.mdav import mdav_rounds, v_mdav_rounds
from shoal.kernels.shrinking_tree import ShrinkingTree, build_shrinking_tree
from shoal.partition.microaggregation.sse import group_means
from shoal.partition.result import Floats, Labels

GAIN = 0.2
"""Gain factor of V-MDAV for scattered points; its authors use 1.1 for points in clusters."""


def mdav(points: Floats, k: int) -> Labels:
    """Return groups of `k` around the point farthest from the centroid and the point farthest from that, in turn."""
    centered = points - points.mean(axis=0)
    total = centered.sum(axis=0)
    labels, n_groups = _peel(
        centered,
        2 * k,
        lambda tree, left, labels, group: mdav_rounds(tree, k, total, left, left // 2, labels, group),
    )
    labels[labels < 0] = n_groups
    return labels


def v_mdav(points: Floats, k: int, *, gain: float = GAIN) -> Labels:
    """Return groups of `k` to 2k - 1 points around points far from the centroid of all points.

    While at least `k` points are ungrouped, the one farthest from the centroid, which is computed once, forms a group
    with its k - 1 nearest ungrouped points. Then, up to 2k - 1, the ungrouped point nearest to any member joins if
    that distance is below `gain` times its distance to the nearest other ungrouped point (the last point always
    joins). The fewer than `k` points that remain join the group with the nearest mean (computed without them),
    whatever its size. The published description leaves open which of equal points is taken (here the first) and how
    the distance to a group is measured.
    """
    centered = points - points.mean(axis=0)
    center = centered.mean(axis=0)
    labels, _ = _peel(
        centered,
        k,
        lambda tree, left, labels, group: v_mdav_rounds(tree, k, gain, center, left, left // 2, labels, group),
    )
    rest = np.flatnonzero(labels < 0)
    grouped = labels >= 0
    means = group_means(centered[grouped], labels[grouped])
    for row in rest:
        labels[row] = np.argmin(((means - centered[row]) ** 2).sum(axis=1))
    return labels


def _peel(
    centered: Floats, least: int, rounds: Callable[[ShrinkingTree, int, Labels, int], int]
) -> tuple[Labels, int]:
    """Run `rounds` on trees of the ungrouped points until fewer than `least` remain.

    Returns the labels, -1 for the points that remain, and the number of groups.
    """
    labels = np.full(len(centered), -1, dtype=np.int64)
    rows, group = np.arange(len(centered)), 0
    with progress.step("groups around far points", len(centered)) as advance:
        while len(rows) >= least:
            group = rounds(build_shrinking_tree(np.ascontiguousarray(centered[rows]), rows), len(rows), labels, group)
            before, rows = len(rows), np.flatnonzero(labels < 0)
            advance(before - len(rows))
    return labels, group
