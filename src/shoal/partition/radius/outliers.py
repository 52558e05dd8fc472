"""Centers for (r, eps)-gather and (k, r, eps)-center, in which some records may be suppressed.

Every function returns centers such that all but `allowed` records lie within `radius` of one of them, and such that
the points within `radius` can be assigned with at least r records for each center.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.radius.balls import Metric, nearest_center, open_balls
from shoal.partition.radius.improve import Reach
from shoal.partition.result import Floats, Labels

RECOUNTED = 64
"""Candidates whose uncovered records are counted again at a time; one query for many is faster than many queries."""

Mask = npt.NDArray[np.bool_]


class Around(NamedTuple):
    """Centers, the radius within which their points lie, and a lower bound on the largest diameter of a partition."""

    centers: Labels
    radius: float
    diameter_bound: float = 0.0


def all_but(values: Floats, counts: Labels, allowed: int) -> float:
    """Return the smallest of `values` such that at most `allowed` records have a larger one."""
    order = np.argsort(-values, kind="stable")
    return float(values[order[np.argmax(np.cumsum(counts[order]) > allowed)]])


def centers_by_peeling(metric: Metric, r: int, reach: Reach, sequence: Labels, allowed: int) -> Around:
    """Return centers by theorem 2.4: disjoint balls at the smallest threshold t = 2R at which enough points are kept.

    A point is kept if it has r kept records within t.
    """
    threshold = _smallest_peeling(metric, r, reach.spread, allowed)
    kept = _peel(metric, r, reach.spread, threshold)
    centers = open_balls(metric, sequence[kept[sequence]], threshold, needed=r).centers
    return Around(centers, max(threshold, _farthest_kept(metric, centers, allowed)), threshold)


def centers_by_candidates(metric: Metric, r: int, reach: Reach, sequence: Labels, allowed: int) -> Around:
    """Return centers by the version for centers that are records: disjoint balls around records with r records in R.

    A record lies within R of such a candidate if and only if its need is at most R.
    """
    radius = all_but(reach.need, metric.counts, allowed)
    candidates = sequence[reach.spread[sequence] <= radius]
    centers = open_balls(metric, candidates, radius, needed=r).centers
    return Around(centers, max(radius, _farthest_kept(metric, centers, allowed)))


def centers_by_cover(metric: Metric, reach: Reach, allowed: int, max_groups: int) -> Around:
    """Return centers for (k, r, eps)-center: at a threshold t = 2R, `max_groups` times the densest uncovered ball.

    The center of the ball of radius t with the most uncovered records is opened and covers all points within 2t. The
    search over t ends when the next smaller threshold is refuted, or when the radius found is at most twice a refuted
    threshold; in either case the radius is at most four times the optimum.
    """

    def cover(threshold: float) -> Around | None:
        centers = _densest(metric, reach.spread, threshold, allowed, max_groups)
        if centers is None:
            return None
        return Around(centers, max(threshold, _farthest_kept(metric, centers, allowed)))

    guess = all_but(reach.spread, metric.counts, allowed)
    found = cover(guess)
    if found is not None:
        return found._replace(diameter_bound=guess)
    while found is None:
        refuted = guess
        guess = 2 * refuted if refuted > 0 else float(metric.distances_from(0).max()) / len(metric)
        found = cover(guess)
    passed = guess
    while found.radius > 2 * refuted and np.nextafter(refuted, passed) < passed:
        guess = refuted + (passed - refuted) / 2
        better = cover(guess)
        if better is None:
            refuted = guess
        else:
            passed, found = guess, better
    return found._replace(diameter_bound=float(np.nextafter(refuted, passed)))


def _farthest_kept(metric: Metric, centers: Labels, allowed: int) -> float:
    """Return the largest distance of a record to its nearest center, without the `allowed` farthest records."""
    gaps, _ = nearest_center(metric, centers)
    return all_but(gaps, metric.counts, allowed)


def _smallest_peeling(metric: Metric, r: int, spread: Floats, allowed: int) -> float:
    """Return the smallest threshold at which `_peel` removes at most `allowed` records.

    As the threshold grows, fewer points are removed, and the set changes only at distances from removed points; the
    search bisects these distances.
    """

    def passes(threshold: float) -> bool:
        return bool(metric.counts[~_peel(metric, r, spread, threshold)].sum() <= allowed)

    failed, passed = 0.0, all_but(spread, metric.counts, allowed)
    if passes(passed):
        return passed
    while not passes(passed):
        failed, passed = passed, max(2 * passed, float(spread[spread > passed].min()))
    peeled = np.flatnonzero(~_peel(metric, r, spread, failed))
    starts, near = metric.within(passed, rows=peeled)
    distances = np.unique(metric.distance(np.repeat(peeled, np.diff(starts)), near))
    distances = distances[distances > failed]
    low, high = 0, len(distances) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(float(distances[middle])) else (middle + 1, high)
    return float(distances[low])


def _peel(metric: Metric, r: int, spread: Floats, threshold: float) -> Mask:
    """Return the largest set of points each of which has r records of the set within `threshold`, as a mask.

    Points with fewer records nearby are removed, then those that lack records because of it, until none is left.
    """
    kept: Mask = spread <= threshold
    records_within = np.full(len(kept), -1, dtype=np.int64)  # -1: not counted yet
    removed = np.flatnonzero(~kept)
    while len(removed):
        starts, near = metric.within(threshold, rows=removed)
        lost = np.bincount(near, np.repeat(metric.counts[removed], np.diff(starts)), minlength=len(kept)).astype(
            np.int64
        )
        affected = np.flatnonzero((lost > 0) & kept)
        uncounted = affected[records_within[affected] < 0]
        records_within[uncounted] = metric.count_within(threshold, rows=uncounted)
        records_within[affected] -= lost[affected]
        removed = affected[records_within[affected] < r]
        kept[removed] = False
    return kept


def _densest(metric: Metric, spread: Floats, threshold: float, allowed: int, max_groups: int) -> Labels | None:
    """Return greedily chosen centers at this threshold, or None if they leave more than `allowed` records uncovered.

    Only points with r records within the threshold are considered. The number of uncovered records around a point
    only falls, so earlier counts are upper bounds: the best of a few points counted again is the best of all points
    as soon as no earlier count exceeds it.
    """
    counts, uncovered = metric.counts, spread <= threshold
    left_out = counts[~uncovered].sum()
    if left_out > allowed:
        return None
    most = np.where(uncovered, metric.count_within(threshold), -1)
    centers: list[int] = []
    while len(centers) < max_groups and uncovered.any():
        best = -1
        while best < 0 or most[best] < most.max():
            tops = np.argsort(-most, kind="stable")[:RECOUNTED]
            tops = tops[most[tops] >= 0]
            starts, near = metric.within(threshold, rows=tops)
            most[tops] = np.add.reduceat(counts[near] * uncovered[near], starts[:-1])
            best = int(tops[np.argmax(most[tops])])
        centers.append(best)
        _, covered = metric.within(2 * threshold, rows=[best])
        uncovered[covered], most[covered] = False, -1
    return None if left_out + counts[uncovered].sum() > allowed else np.array(centers, dtype=np.int64)
