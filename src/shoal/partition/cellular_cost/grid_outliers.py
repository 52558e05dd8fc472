"""Groups of at least r for many records, some of them suppressed: duals on a grid, then improvement in blocks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.cellular_cost.grid_duals import GRID, NET, STRETCH, Raised, by_payers, raise_on_grid
from shoal.partition.cellular_cost.groups import Clusters
from shoal.partition.cellular_cost.improve import LEAST_GAIN
from shoal.partition.cellular_cost.improve_blocks import RecordPoints, improved_in_blocks, leaves
from shoal.partition.cellular_cost.primal_dual import of_at_least
from shoal.partition.radius.improve import Reach
from shoal.partition.radius.outliers import all_but
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors

PASSES, LEAST_PASS = 4, 0.02
"""Passes of the improvement at most, and the relative saving (2 % of the cost) below which a pass is the last."""
DROP_ROUNDS = 40
"""Rounds in which records are suppressed, one record per group in each; a quarter of those still allowed at most."""
ROUNDING = 1e-9
"""Relative tolerance for rounding errors in sums of costs and duals."""


class GridGroups(NamedTuple):
    """The groups for which the theorem holds, before they are improved, and the lower bound from its duals.

    `holds` says whether their cost satisfies the inequality of the proof. `least` is a lower bound without duals.
    `duals` are the duals of the records, if there is a single list of them. `plain` are duals for the opening costs
    alone, if there are opening costs and groups have a least size.
    """

    clusters: Clusters
    bound: float
    holds: bool
    least: float = 0.0
    duals: Floats | None = None
    plain: Floats | None = None


def by_guesses(records: RecordPoints, reach: Reach, r: int, allowed: int) -> GridGroups:
    """Return groups of at least r records that contain all but at most `allowed` records.

    The largest radius of the optimum is guessed on the grid, from small to large; for each guess, larger balls are
    not considered. The loop ends when a run needed no ball of the largest radius allowed, because every larger guess
    would give the same run, or when larger radii alone would cost more than what was found.
    """
    counts = records.metric.counts
    guess = 2 * all_but(reach.need, counts, allowed) / (1 - float(NET))
    best, least, bound, holds = math.inf, 0.0, math.inf, True
    while True:
        largest = float(GRID) * guess
        raised = raise_on_grid(records.metric, reach.spread, r, largest=largest, n_suppressed=allowed)
        if raised is not None:
            suppressed = _suppressed(raised, counts, allowed)
            total = math.fsum(((counts - suppressed) * raised.alpha).tolist())
            tried = _groups(records, raised, r, suppressed)
            cost = grid_cost(records, tried, np.zeros(len(tried.labels)))
            holds &= cost <= 18 * (total + r * float(raised.paid.radii[-1])) * (1 + ROUNDING)
            bound = min(bound, max(_bound(total), r * least * (1 - ROUNDING)))
            if cost < best:
                best, clusters = cost, tried
            if raised.end <= largest or cost <= r * least:
                return GridGroups(clusters, bound, holds)
        least = guess * (1 - float(NET)) / 2
        guess = guess * float(GRID) if guess > 0 else float(reach.spread[reach.spread > 0].min())


def _bound(total: float) -> float:
    """Return the lower bound on the optimum that follows from the sum of the duals."""
    return total / float(2 * GRID * STRETCH) * (1 - ROUNDING)


def _suppressed(raised: Raised, counts: Labels, allowed: int) -> Labels:
    """Return how many records of each point are suppressed, `allowed` in all.

    These are the records whose duals still rise at the end, then some of those that the last ball stopped.
    """
    suppressed = np.where(raised.witness < 0, counts, 0)
    last = np.flatnonzero(raised.witness == len(raised.paid.centers) - 1)[::-1]
    before = np.cumsum(counts[last]) - counts[last]
    suppressed[last] = np.clip(allowed - suppressed.sum() - before, 0, counts[last])
    return suppressed


def _groups(records: RecordPoints, raised: Raised, r: int, suppressed: Labels) -> Clusters:
    """Return groups of at least r records. The last `suppressed` records of each point need not be in a group."""
    counts = records.metric.counts
    owner, opened = by_payers(raised, np.flatnonzero(suppressed < counts))
    place = np.arange(len(records.point)) - records.first[records.point]
    labels = np.where(place < (counts - suppressed)[records.point], owner[records.point], -1)
    nearest = records.nearest(records.first[raised.paid.centers[opened]], r)
    # The first of the nearest records is the center or equal to it, and is in a group: no center is suppressed.
    return of_at_least(records.away, nearest, np.zeros(len(labels)), Clusters(labels, nearest[:, 0]), r)


def grid_cost(records: RecordPoints, clusters: Clusters, opening: Floats) -> float:
    """Return the sum of size x radius and of the centers' opening costs, correctly rounded (one rounding in all)."""
    radii = records.radii(clusters)[clusters.labels[clusters.labels >= 0]]
    return math.fsum(np.concatenate((radii, opening[clusters.centers])).tolist())


def improved_at_scale(
    records: RecordPoints, opening: Floats, reach: Reach, clusters: Clusters, r: int, allowed: int
) -> Clusters:
    """Return cheaper groups by improving, in blocks, the cheaper start: `clusters` or the leaves of a tree."""
    if isinstance(records.metric, Neighbors):
        needy_last = np.argsort(reach.need[records.point], kind="stable")
        kept = np.sort(needy_last[: len(needy_last) - allowed])
        # With opening costs, larger groups may cost less.
        larger = [r << power for power in range(1, (len(kept) // r).bit_length())] if opening.any() else []
        cut = (leaves(records, kept, size) for size in (r, *larger))
        clusters = min((clusters, *cut), key=lambda some: grid_cost(records, some, opening))
    cost = grid_cost(records, clusters, opening)
    for turn in range(PASSES):
        clusters = _fewer(records, improved_in_blocks(records, opening, clusters, r, turn), r, allowed)
        before, cost = cost, grid_cost(records, clusters, opening)
        if not cost < before * (1 - LEAST_PASS):
            break
    return _with_free(records, clusters)


def _with_free(records: RecordPoints, clusters: Clusters) -> Clusters:
    """Return the groups with suppressed records added to groups of radius 0 whose center they equal, at no cost."""
    group_at = np.full(len(records.first), -1, dtype=np.int64)
    free = np.flatnonzero(records.radii(clusters) == 0)
    group_at[records.point[clusters.centers[free]]] = free
    return Clusters(np.where(clusters.labels < 0, group_at[records.point], clusters.labels), clusters.centers)


def _fewer(records: RecordPoints, clusters: Clusters, r: int, allowed: int) -> Clusters:
    """Suppress more records, up to `allowed`, while that lowers the cost: in each round the costliest of each group.

    Centers and members of groups with only r records are never suppressed.
    """
    labels = clusters.labels.copy()
    is_center = np.zeros(len(labels), dtype=bool)
    is_center[clusters.centers] = True
    for _ in range(DROP_ROUNDS):
        spare = allowed - int(np.count_nonzero(labels < 0))
        if spare <= 0:
            break
        kept = np.flatnonzero(labels >= 0)
        group = labels[kept]
        away = records.metric.distance(records.point[kept], records.point[clusters.centers[group]])
        far_first = np.lexsort((-away, group))
        sizes = np.bincount(group, minlength=len(clusters.centers))
        starts = np.cumsum(sizes) - sizes
        farthest, radii = kept[far_first[starts]], away[far_first[starts]]
        second = away[far_first[np.minimum(starts + 1, len(kept) - 1)]]
        gain = sizes * radii - (sizes - 1) * second
        gain[(sizes <= r) | is_center[farthest]] = 0.0
        best = np.argsort(-gain, kind="stable")[: max(1, spare // 4)]
        best = best[gain[best] > LEAST_GAIN * float(sizes @ radii)]
        if not len(best):
            break
        labels[farthest[best]] = -1
    return Clusters(labels, clusters.centers)
