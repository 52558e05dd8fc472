"""Centers of (r, eps)-gather and (k, r, eps)-center, where some records may be left out.

Every function returns centers such that all but `allowed` records lie within `radius` of one of them, and the points
within `radius` can be shared out with at least r records for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.radius.balls import Metric, nearest_center, open_balls
from shoal.partition.radius.improve import Reach
from shoal.partition.result import Floats, Labels

RECOUNTED = 64
"""Candidates whose uncovered records are counted anew at a time."""

Mask = npt.NDArray[np.bool_]


class Around(NamedTuple):
    """Centers, how far their points lie, and a bound: no feasible grouping has a smaller largest diameter."""

    centers: Labels
    radius: float
    diameter_bound: float = 0.0


def all_but(values: Floats, counts: Labels, allowed: int) -> float:
    """The smallest of `values` that at most `allowed` records lie above."""
    order = np.argsort(-values, kind="stable")
    return float(values[order[np.argmax(np.cumsum(counts[order]) > allowed)]])


def centers_by_peeling(metric: Metric, r: int, reach: Reach, sequence: Labels, allowed: int) -> Around:
    """Theorem 2.4: disjoint balls at the smallest threshold t = 2R at which enough points have r records near."""
    threshold = _smallest_peeling(metric, r, reach.spread, allowed)
    kept = _peel(metric, r, reach.spread, threshold)
    centers = open_balls(metric, sequence[kept[sequence]], threshold, needed=r).centers
    return Around(centers, max(threshold, _farthest_kept(metric, centers, allowed)), threshold)


def centers_by_candidates(metric: Metric, r: int, reach: Reach, sequence: Labels, allowed: int) -> Around:
    """The version for record centers: disjoint balls of radius R around records that have r records within R.

    A record lies within R of such a candidate exactly if its need is at most R.
    """
    radius = all_but(reach.need, metric.counts, allowed)
    candidates = sequence[reach.spread[sequence] <= radius]
    centers = open_balls(metric, candidates, radius, needed=r).centers
    return Around(centers, max(radius, _farthest_kept(metric, centers, allowed)))


def centers_by_cover(metric: Metric, reach: Reach, allowed: int, max_groups: int) -> Around:
    """(k, r, eps)-center: at a threshold t = 2R the densest uncovered ball covers all within 2t, `max_groups` times.

    The search ends where the next smaller threshold was refuted, or the radius found is at most twice a refuted
    threshold: either way it is at most four times the best radius.
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
    """How far from its nearest center a record is when the `allowed` farthest ones are left out."""
    gaps, _ = nearest_center(metric, centers)
    return all_but(gaps, metric.counts, allowed)


def _smallest_peeling(metric: Metric, r: int, spread: Floats, allowed: int) -> float:
    """What is peeled off shrinks as the threshold grows, and only at distances from peeled points: bisect those."""

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
    """The largest set of points that have r records within `threshold` in the set itself."""
    kept: Mask = spread <= threshold
    left = np.full(len(kept), -1, dtype=np.int64)
    gone = np.flatnonzero(~kept)
    while len(gone):
        starts, near = metric.within(threshold, rows=gone)
        lost = np.bincount(near, np.repeat(metric.counts[gone], np.diff(starts)), minlength=len(kept)).astype(
            np.int64
        )
        hit = np.flatnonzero((lost > 0) & kept)
        fresh = hit[left[hit] < 0]
        left[fresh] = metric.count_within(threshold, rows=fresh)
        left[hit] -= lost[hit]
        gone = hit[left[hit] < r]
        kept[gone] = False
    return kept


def _densest(metric: Metric, spread: Floats, threshold: float, allowed: int, max_groups: int) -> Labels | None:
    """Greedy centers at this threshold, or None if they leave out more than `allowed` records.

    Only points with r records within the threshold count. Numbers of uncovered records only fall, so old ones are
    upper bounds: the best of a few recounted points is the best of all once no old number exceeds it.
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
