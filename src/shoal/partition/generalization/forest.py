"""Groups of at least k records that generalize to little: trees of nearest neighbors, cut into small pieces.

Problem     split n records into groups of at least k, minimizing the sum over records and columns of what the group's
            common value costs: the level of the lowest common ancestor in a hierarchy, the range of numbers, the
            size of a set of labels; columns may be weighted.
Guarantee   cost <= max(2k - 1, 3k - 5) x optimum: theorem FOREST-1, docs/proofs/forest.md. A group of more than
            max(2k - 1, 3k - 5) records holds equal records only and costs nothing.
Complexity  O(n log n) time and O(n) memory for n different records besides their nearest neighbors, which a box
            tree finds: FIRST of all, more of one record per small tree only. Deterministic, and it does not depend on
            the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 4.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.kernels.forest import cut_forest, grow_forest
from shoal.partition.result import Floats, Labels, Partition, guarantee, number_groups
from shoal.space.neighbors import Neighbors
from shoal.space.space import Axis, Space

FIRST, MORE = 16, 4
"""Nearest records that every record asks for, and how many times more those do whose tree is still too small."""
BOUND_WORK = 20_000_000
"""Neighbors looked at for the lower bound: where n times k is more, it counts fewer than k of each."""


def _ratio(k: int) -> Fraction:
    return Fraction(max(2 * k - 1, 3 * k - 5))


@guarantee(objective="generalization", ratio=_ratio, theorem="FOREST-1")
def forest(records: npt.ArrayLike | Space, k: int, *, n_threads: int | None = None) -> Partition:
    """Groups of at least `k` records at a generalization cost of at most max(2k - 1, 3k - 5) x optimum.

    `records` is a Space (whatever its norm, costs of columns are added), or an array (n, d) of labels: then an entry
    is published where its whole group agrees, and suppressed at a cost of 1 elsewhere.
    """
    k = whole_number("k", k, 1)
    space = added_up(records, k)
    points, counts, point_of = space.distinct()
    metric = Neighbors(points, counts, n_threads=n_threads)
    link, reach = _grown(metric, counts, k)
    with progress.step("groups"):
        parcels = cut_forest(link, counts, k, int(_ratio(k)))
        _point, amount, group = parcels[np.argsort(parcels[:, 0], kind="stable")].T
        labels = np.empty(len(space), dtype=np.int64)
        labels[np.argsort(point_of, kind="stable")] = np.repeat(group, amount)
    return Partition(
        labels=number_groups(labels),
        method="forest",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=rounded_down(math.fsum(counts * reach), len(space.axes)),
        ratio_proved=_ratio(k),
        theorem="FOREST-1",
    )


def _grown(metric: Neighbors, counts: Labels, k: int) -> tuple[Labels, Floats]:
    """What each point is joined to (or -1), and how far it is at least to its k-th record."""
    n = len(counts)
    link, leader, size = np.full(n, -1, dtype=np.int64), np.arange(n), counts.copy()
    # A point of k records or more pays for no edge; the others for one to their nearest k records, at most.
    short = asked = np.flatnonzero(counts < k)
    reach, width = np.zeros(n), min(FIRST, k)
    while len(asked):
        distances, nearest = metric.nearest_rows(width, rows=asked)
        if width == min(FIRST, k):
            reach[asked] = np.where(nearest >= 0, distances, 0.0).max(axis=1, initial=0.0)
        at, place = np.nonzero((nearest >= 0) & (nearest != asked[:, None]))
        by_length = np.argsort(distances[at, place], kind="stable")
        at, place = at[by_length], place[by_length]
        grow_forest(asked[at], nearest[at, place], link, leader, size, k)
        if width == k:
            break
        # Every tree now has `width` records at least, and one point that has paid for nothing.
        asked = asked[(link[asked] < 0) & (size[_roots(leader, asked)] < k)]
        width = min(MORE * width, k)
    known = min(k, max(FIRST, BOUND_WORK // n))
    if known > FIRST:
        reach[short] = metric.kth_distance(known, rows=short)
    return link, reach


def _roots(leader: Labels, points: Labels) -> Labels:
    """Where following `leader` ends."""
    while len(points) and (leader[points] != points).any():
        points = leader[points]
    return points


def added_up(records: npt.ArrayLike | Space, k: int) -> Space:
    """At least `k` records whose costs are added over the columns; an array is one of labels."""
    space = replace(records, norm=1) if isinstance(records, Space) else Space.from_labels(records)
    if len(space) < k:
        raise InfeasibleError.too_few_rows(len(space), k)
    with np.errstate(over="ignore"):
        if not np.isfinite(np.ptp(space.coordinates, axis=0).sum() * len(space)):
            raise ParameterError(
                "the ranges of these records are beyond floating-point numbers.",
                "divide the largest columns by their range first.",
            )
    return space


def generalization_cost(space: Space, labels: Labels) -> float:
    """Sum over records and axes of what their group's common value costs; suppressed records (-1) cost nothing."""
    kept = np.flatnonzero(labels >= 0)
    if not len(kept):
        return 0.0
    order = kept[np.argsort(labels[kept], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    return math.fsum(sizes * cost_of_groups(space, order, starts))


def cost_of_groups(space: Space, rows: Labels, starts: Labels) -> Floats:
    """What one record pays in each group; group g is rows[starts[g]:starts[g + 1]]."""
    each = np.zeros(len(starts))
    for j, axis in enumerate(space.axes):
        each += _axis_cost(axis, space.coordinates[rows, j], starts)
    return each


def _axis_cost(axis: Axis, values: Floats, starts: Labels) -> Floats:
    """What one record pays on an axis, group by group."""
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    if axis.ancestors is None or axis.level_cost is None:
        return high - low
    if axis.label_cost > 0:
        # Most groups hold one label: those are not counted.
        sizes, several = np.diff(starts, append=len(values)), low != high
        group, labels = np.repeat(np.flatnonzero(several), sizes[several]), values[np.repeat(several, sizes)]
        seen = np.unique(group * len(axis.ancestors) + labels.astype(np.int64))
        return np.asarray(np.bincount(seen // len(axis.ancestors), minlength=len(starts)) * axis.label_cost)
    # Ranks are depth-first, so the two ends of a group meet where all of it does.
    level = (axis.ancestors[low.astype(np.int64)] != axis.ancestors[high.astype(np.int64)]).sum(axis=1)
    return np.asarray(axis.level_cost[level])


def rounded_down(bound: float, n_axes: int) -> float:
    """Below what exact arithmetic would give: a sum over the axes, a product and a sum each round by 2 ** -53."""
    return bound * (1 - (n_axes + 8) * 2.0**-52)
