"""Groups of at least k records with a small generalization cost: trees of nearest neighbors, cut into small groups.

Problem     split n records into groups of at least k, minimizing the sum over records and columns of what the group's
            common value costs: the level of the lowest common ancestor in a hierarchy, the range of numbers, the
            size of a set of labels; columns may be weighted.
Guarantee   cost <= max(2k - 1, 3k - 5) x optimum: theorem FOREST-1, docs/proofs/forest.md. A group of more than
            max(2k - 1, 3k - 5) records has equal records only and costs 0.
Complexity  O(n log n) time and O(n) memory for n different records, plus the search for nearest neighbors in a box
            tree: FIRST neighbors of every record, more for one record of each tree that is still too small.
            Deterministic, and it does not depend on the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 4.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.kernels.forest import cut_forest, grow_forest
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Floats, Labels, Partition
from shoal.space.neighbors import Neighbors
from shoal.space.space import Axis, Space

FIRST, MORE = 16, 4
"""Length of the first neighbor list of every record, and the factor by which the lists of too small trees grow."""
BOUND_WORK = 20_000_000
"""Neighbors examined for the lower bound, a few seconds of work. If n times k is more, the bound uses fewer than k
neighbors of each record, and is valid but weaker."""


def _ratio(k: int) -> Fraction:
    """Return the ratio that FOREST-1 proves for k."""
    return Fraction(max(2 * k - 1, 3 * k - 5))


@guarantee(objective="generalization", ratio=_ratio, theorem="FOREST-1")
@checked
def forest(points: npt.ArrayLike | Space, k: int, *, n_threads: int | None = None) -> Partition:
    """Return groups of at least `k` records that cost at most max(2k - 1, 3k - 5) times the least generalization.

    The ratio is proved: theorem FOREST-1, docs/proofs/forest.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    k : int
        The least number of records in a group, at least 1.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs; `lower_bound` holds for
        every grouping.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import forest
    >>> answers = [["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"]]
    >>> found = forest(answers, k=2)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 2.0)
    >>> found.theorem, int(found.ratio_proved)
    ('FOREST-1', 3)
    """
    k = whole_number("k", k, 1)
    return forest_of(added_up(points, k), k, n_threads=n_threads)


def forest_of(space: Space, k: int, *, known: KnownNearest | None = None, n_threads: int | None = None) -> Partition:
    """Return the groups of `forest` in a space whose costs are added; `known` saves the search for what it has."""
    different, counts, point_of = space.distinct()
    metric = Neighbors(different, counts, n_threads=n_threads)
    link, reach = _grown(metric, counts, k, known)
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


class KnownNearest(NamedTuple):
    """Nearest rows of some of the different records, as `Neighbors.nearest_rows(first_width(k))` finds them.

    Records are numbered in their canonical order; of those that `known` does not mark, the lists are not read.
    """

    known: npt.NDArray[np.bool_]
    distances: Floats
    nearest: Labels


def first_width(k: int) -> int:
    """Return how many nearest rows of every record are looked for at first."""
    return min(FIRST, k)


def _nearest_rows(metric: Neighbors, width: int, asked: Labels, known: KnownNearest | None) -> tuple[Floats, Labels]:
    """Return the nearest `width` rows of the points that are asked for, from `known` where it has them."""
    if known is None or known.distances.shape[1] != width:
        return metric.nearest_rows(width, rows=asked)
    distances, nearest = known.distances[asked], known.nearest[asked]
    rest = np.flatnonzero(~known.known[asked])
    if len(rest):
        distances[rest], nearest[rest] = metric.nearest_rows(width, rows=asked[rest])
    return distances, nearest


def _grown(metric: Neighbors, counts: Labels, k: int, lists: KnownNearest | None) -> tuple[Labels, Floats]:
    """Return the target of each point's edge (-1: none), and a lower bound on the distance to its k-th record."""
    n = len(counts)
    link, leader, size = np.full(n, -1, dtype=np.int64), np.arange(n), counts.copy()
    # A point of k records or more adds no edge; every other point adds at most one, to one of its nearest k records.
    short = asked = np.flatnonzero(counts < k)
    reach, width = np.zeros(n), first_width(k)
    while len(asked):
        distances, nearest = _nearest_rows(metric, width, asked, lists)
        lists = None  # they are those of the first round
        if width == first_width(k):
            reach[asked] = np.where(nearest >= 0, distances, 0.0).max(axis=1, initial=0.0)
        at, place = np.nonzero((nearest >= 0) & (nearest != asked[:, None]))
        by_length = np.argsort(distances[at, place], kind="stable")
        at, place = at[by_length], place[by_length]
        grow_forest(asked[at], nearest[at, place], link, leader, size, k)
        if width == k:
            break
        # Every tree now has at least `width` records and exactly one point that has added no edge.
        asked = asked[(link[asked] < 0) & (size[_roots(leader, asked)] < k)]
        width = min(MORE * width, k)
    known = min(k, max(FIRST, BOUND_WORK // n))
    if known > FIRST:
        reach[short] = metric.kth_distance(known, rows=short)
    return link, reach


def _roots(leader: Labels, points: Labels) -> Labels:
    """Return the root of each point's tree, where following `leader` ends."""
    while len(points) and (leader[points] != points).any():
        points = leader[points]
    return points


def added_up(records: npt.ArrayLike | Space, k: int) -> Space:
    """Return the records as a Space whose costs are added over the columns; an array is taken as labels.

    Raises an InfeasibleError if there are fewer than `k` records.
    """
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
    """Return the sum over records and columns of what their group's common value costs.

    Suppressed records (label -1) are not counted.
    """
    kept = np.flatnonzero(labels >= 0)
    if not len(kept):
        return 0.0
    order = kept[np.argsort(labels[kept], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    return math.fsum(sizes * cost_of_groups(space, order, starts))


def cost_of_groups(space: Space, rows: Labels, starts: Labels) -> Floats:
    """Return the cost of one record of each group; group g has the rows rows[starts[g]:starts[g + 1]]."""
    each = np.zeros(len(starts))
    for j, axis in enumerate(space.axes):
        each += _axis_cost(axis, space.coordinates[rows, j], starts)
    return each


def _axis_cost(axis: Axis, values: Floats, starts: Labels) -> Floats:
    """Return the cost of one record on one axis, for each group."""
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    if not axis.in_sets:
        return axis.spanned(low, high)
    assert axis.ancestors is not None
    assert axis.by_count is not None
    # Most groups have a single label and cost 0; only the others are counted.
    sizes, several = np.diff(starts, append=len(values)), low != high
    group, labels = np.repeat(np.flatnonzero(several), sizes[several]), values[np.repeat(several, sizes)]
    seen = np.unique(group * len(axis.ancestors) + labels.astype(np.int64))
    n_labels = np.bincount(seen // len(axis.ancestors), minlength=len(starts))
    return axis.by_count[np.maximum(n_labels - 1, 0)]


def rounded_down(bound: float, n_axes: int) -> float:
    """Return a number below what exact arithmetic would give.

    A sum over the axes, a product and a final sum round by a relative 2 ** -53 each.
    """
    return bound * (1 - (n_axes + 8) * 2.0**-52)
