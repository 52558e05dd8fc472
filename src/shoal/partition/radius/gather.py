"""Groups of at least k records with the smallest maximum radius (r-gather).

Problem     split n points of a metric space into groups of at least k, minimizing the largest distance between a
            record and the center of its group; if asked for, in at most `max_groups` groups, or with up to a fraction
            `max_suppressed` of the records suppressed.
Guarantee   radius <= 2 x optimum (GATHER-1), also with `max_groups` (GATHER-4); with `max_suppressed` <= 4 x optimum
            (GATHER-2) and <= 3 x the optimum with records as centers (GATHER-3); with both <= 4 x optimum (GATHER-5).
            One column of numbers without either: the optimum with records as centers (GATHER-6).
            docs/proofs/gather.md. The ratios 2 and 4 hold even against an optimum whose centers may be anywhere in
            any space around the records; the groups returned have records as centers. No ratio below 2 is possible
            unless P = NP.
Complexity  O(n k log n) for the neighbors in few dimensions, then O(log n) tests of a threshold. Each opens a
            separated set of centers, finds the points around them, and computes a flow if a center has too few
            records. No matrix of distances is needed. Deterministic; does not depend on the order of rows (for a
            matrix of distances: if no distances are equal).

References
----------
.. [1] G. Aggarwal, R. Panigrahy, T. Feder, D. Thomas, K. Kenthapadi, S. Khuller and A. Zhu (2010). "Achieving
   anonymity via clustering." ACM Transactions on Algorithms 6(3), 49: section 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.errors import CertificateError, ParameterError, check_share, whole_number
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.radius.assignment import Shares, assign, group_sizes
from shoal.partition.radius.balls import Metric, open_balls
from shoal.partition.radius.improve import (
    CenteredGroups,
    Reach,
    around,
    closer_cover,
    moved,
    reach_of,
    recentered,
    reopened,
)
from shoal.partition.radius.one_column import MOST_WORK, gather_line, one_column
from shoal.partition.radius.outliers import (
    Around,
    all_but,
    centers_by_candidates,
    centers_by_cover,
    centers_by_peeling,
)
from shoal.partition.radius.points import Points, weighted_points
from shoal.partition.radius.threshold import smallest_threshold
from shoal.partition.result import Details, Labels, Partition, share_of
from shoal.space.metric import as_metric
from shoal.space.space import Space

RATIOS = {
    "GATHER-1": Fraction(2),
    "GATHER-2": Fraction(4),
    "GATHER-3": Fraction(3),
    "GATHER-4": Fraction(2),
    "GATHER-5": Fraction(4),
    "GATHER-6": Fraction(1),
}


@guarantee(objective="radius", ratio=RATIOS["GATHER-1"], theorem="GATHER-1")
@guarantee(objective="radius", ratio=RATIOS["GATHER-2"], theorem="GATHER-2")
@guarantee(objective="radius", ratio=RATIOS["GATHER-3"], theorem="GATHER-3")
@guarantee(objective="radius", ratio=RATIOS["GATHER-4"], theorem="GATHER-4")
@guarantee(objective="radius", ratio=RATIOS["GATHER-5"], theorem="GATHER-5")
@guarantee(objective="radius", ratio=RATIOS["GATHER-6"], theorem="GATHER-6")
@checked
def gather(
    points: Any,
    k: int,
    *,
    metric: Literal["precomputed", "graph"] | None = None,
    max_groups: int | None = None,
    max_suppressed: float | Fraction = 0.0,
    n_threads: int | None = None,
) -> Partition:
    """Return groups of at least `k` records whose largest radius is at most 2 times the smallest possible.

    The ratio is proved (GATHER-1), also with `max_groups` (GATHER-4). With `max_suppressed` it is 4 (GATHER-2), and 3
    against groupings around records (GATHER-3); with both it is 4 (GATHER-5). For one column of numbers, without
    either, the groups are the best possible around records (GATHER-6). See docs/proofs/gather.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records as points. With ``metric="precomputed"`` a symmetric matrix of distances, with
        ``metric="graph"`` a graph: a sparse matrix of lengths, or edges as rows (vertex, vertex, length).
    k : int
        The least number of records in a group, at least 1.
    metric : {"precomputed", "graph"}, optional
        What `points` is, where it is neither an array of points nor a Space.
    max_groups : int, optional
        The largest number of groups.
    max_suppressed : float or Fraction, default 0.0
        The share of the records that may be left out, from 0 up to but not including 1. It counts as it is
        written: 0.29 of 100 records are 29 of them. Records left out have the label -1.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `centers` are rows, `cost` is the largest of `radii`, and `lower_bound` holds for every grouping around
        records; ``details.lower_bound_any_center`` also for centers that are no records.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import gather
    >>> found = gather([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [9.0, 10.0], [9.0, 11.0], [9.0, 12.0]], k=3)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 0, 1, 1, 1], 1.0)
    >>> float(found.ratio_proved), found.ratio_seen
    (2.0, 1.0)
    """
    r = whole_number("k", k, 1)  # the paper's letter
    if max_groups is not None and max_groups < 1:
        raise ParameterError(f"max_groups must be at least 1; it is {max_groups}.")
    check_share("max_suppressed", max_suppressed)
    records = weighted_points(points, metric, at_least=r, n_threads=n_threads)
    n_rows = len(records.order)
    allowed = share_of(max_suppressed, n_rows)
    column = one_column(points) if metric is None and allowed == 0 and max_groups is None else None
    if column is not None and n_rows * r <= MOST_WORK:
        return gather_line(column, records.order, r)
    reach = reach_of(records.metric, r)
    start = _by_theorem(records.metric, r, reach, allowed, max_groups)
    bound_any = start.diameter_bound / 2
    bound = max(bound_any, all_but(reach.need, records.metric.counts, allowed))
    groups = moved(records.metric, recentered(records.metric, start.groups), r)
    for better in (closer_cover, reopened):
        groups = better(records.metric, groups, reach, r, bound=bound, allowed=allowed, max_groups=max_groups)
    _check(groups.shares, len(groups.centers), r, n_rows - allowed, max_groups)
    labels, centers, radii = _of_rows(records, groups)
    return Partition(
        labels=labels,
        method="gather",
        objective="radius",
        cost=groups.cost * records.scale,
        lower_bound=bound * records.scale,
        ratio_proved=RATIOS[start.theorem],
        theorem=start.theorem,
        centers=centers,
        radii=radii * records.scale,
        theorem_cost=start.groups.cost * records.scale,
        details=Details(
            lower_bound_centers="records",
            lower_bound_any_center=bound_any * records.scale,
            n_outliers_allowed=allowed,
        ),
    )


def radius_cost(space: Space, labels: Labels) -> float:
    """Return the largest radius of the groups, each around its best record; records with label -1 are suppressed."""
    return float(best_centers(space, labels)[1].max(initial=0.0))


def cellular_cost(space: Space, labels: Labels) -> float:
    """Return the sum of size x radius over the groups, each around its best record."""
    sizes = np.unique(labels[labels >= 0], return_counts=True)[1]
    return float(sizes @ best_centers(space, labels)[1])


def best_centers(space: Space, labels: Labels) -> tuple[Labels, npt.NDArray[np.float64]]:
    """Return, for each group, the row of the member with the smallest radius around it, and that radius."""
    kept = np.flatnonzero(labels >= 0)
    if not len(kept):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    records = weighted_points(space.take(kept), None, at_least=1, n_threads=None)
    point = np.repeat(np.arange(len(records.metric)), records.metric.counts)
    pairs, amount = np.unique(np.column_stack((labels[kept][records.order], point)), axis=0, return_counts=True)
    group, first = np.unique(pairs[:, 0], return_index=True)
    shares = Shares(pairs[:, 1], np.searchsorted(group, pairs[:, 0]), amount)
    groups = recentered(records.metric, around(records.metric, pairs[first, 1], shares))
    of_record = np.searchsorted(group, labels[kept][records.order])
    at_center = np.flatnonzero(point == groups.centers[of_record])
    one_each = at_center[np.unique(of_record[at_center], return_index=True)[1]]
    return kept[records.order[one_each]], groups.radii * records.scale


def radii_around(space: Space, labels: Labels, centers: Labels) -> npt.NDArray[np.float64]:
    """Return the radius of each group 0, 1, ...: the largest distance of a record to the row centers[group]."""
    kept = np.flatnonzero(labels >= 0)
    radii = np.zeros(len(centers))
    np.maximum.at(radii, labels[kept], as_metric(space).distance(kept, centers[labels[kept]]))
    return radii


class TheoremGroups(NamedTuple):
    """The groups for which the theorem holds, before they are improved, and a lower bound on the largest diameter."""

    groups: CenteredGroups
    diameter_bound: float
    theorem: str


def _by_theorem(metric: Metric, r: int, reach: Reach, allowed: int, max_groups: int | None) -> TheoremGroups:
    """Run the algorithm of the theorem that applies: with or without suppression, with or without `max_groups`."""
    # The theorem holds for any order; opening centers in dense places first leaves the fewest of them without r
    # records.
    sequence = np.argsort(reach.spread, kind="stable")
    if allowed == 0:
        passed = smallest_threshold(metric, r, reach.spread, sequence, max_groups)
        theorem = "GATHER-1" if max_groups is None else "GATHER-4"
        return TheoremGroups(around(metric, passed.balls.centers, passed.shares), passed.threshold, theorem)
    if max_groups is not None:
        found = centers_by_cover(metric, reach, allowed, max_groups)
        return TheoremGroups(_shared_out(metric, found, r), found.diameter_bound, "GATHER-5")
    peeled = centers_by_peeling(metric, r, reach, sequence, allowed)
    candidates = centers_by_candidates(metric, r, reach, sequence, allowed)
    # The better one of the two satisfies both theorems.
    groups = min((_shared_out(metric, found, r) for found in (candidates, peeled)), key=lambda some: some.price)
    return TheoremGroups(groups, peeled.diameter_bound, "GATHER-3")


def _shared_out(metric: Metric, found: Around, r: int) -> CenteredGroups:
    """Return the points assigned to the found centers, at least `r` records to each."""
    balls = open_balls(metric, found.centers, found.radius, needed=-1)
    shares = assign(balls, found.radius, metric.counts, r)
    if shares is None:
        raise CertificateError(f"internal check failed: not every center can get {r} records; please report this.")
    return around(metric, found.centers, shares)


def _check(shares: Shares, n_groups: int, r: int, at_least: int, max_groups: int | None) -> None:
    """Raise a CertificateError unless group sizes, grouped records and number of groups are as required."""
    sizes = group_sizes(shares, n_groups)
    if sizes.min() < r or sizes.sum() < at_least or (max_groups is not None and n_groups > max_groups):
        raise CertificateError(
            f"internal check failed: smallest group {sizes.min()} (needs {r}), {sizes.sum()} records grouped "
            f"(needs {at_least}), {n_groups} groups; please report this."
        )


def _of_rows(records: Points, groups: CenteredGroups) -> tuple[Labels, Labels, npt.NDArray[np.float64]]:
    """Return the groups in terms of rows: the label of each row, and for each group its center's row and radius."""
    counts = records.metric.counts
    missing = counts.copy()
    np.subtract.at(missing, groups.shares.point, groups.shares.amount)
    left_out = np.flatnonzero(missing)
    point = np.concatenate((groups.shares.point, left_out))
    group = np.concatenate((groups.shares.group, np.full(len(left_out), -1)))
    amount = np.concatenate((groups.shares.amount, missing[left_out]))
    by_point = np.lexsort((group, point))
    sorted_group = np.repeat(group[by_point], amount[by_point])
    sorted_point = np.repeat(np.arange(len(counts)), counts)
    raw = np.empty(len(sorted_group), dtype=np.int64)
    raw[records.order] = sorted_group
    labels = number_groups(raw)
    at_center = np.flatnonzero((sorted_group >= 0) & (sorted_point == groups.centers[sorted_group]))
    first = at_center[np.unique(sorted_group[at_center], return_index=True)[1]]
    old = sorted_group[first]
    centers, radii = np.empty(len(old), dtype=np.int64), np.empty(len(old))
    rows = records.order[first]
    centers[labels[rows]], radii[labels[rows]] = rows, groups.radii[old]
    return labels, centers, radii
