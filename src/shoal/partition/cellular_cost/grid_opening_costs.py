"""Duals on a grid for many records, with or without opening costs.

Radii and times are taken from a grid, and centers from nets. A net is chosen in order of opening costs, so every
record has a center of the net nearby that costs no more, and a slightly larger ball around that center costs no more
either. docs/proofs/cellular.md (CELLULAR-5, 7 and 8) says by how much the grid and the nets weaken the ratio.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shoal.partition.cellular_cost.grid_duals import NET, Mask, Payers, Raised, by_payers, joined
from shoal.partition.cellular_cost.grid_outliers import ROUNDING, GridGroups, grid_cost
from shoal.partition.cellular_cost.groups import Clusters, sum_rounded_down
from shoal.partition.cellular_cost.improve_blocks import RecordPoints
from shoal.partition.cellular_cost.primal_dual import of_at_least
from shoal.partition.radius.balls import Metric, around, nearest_center, open_balls, subset
from shoal.partition.radius.improve import Reach
from shoal.partition.result import Floats, Labels
from shoal.space.graph import Paths
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors

GRID = Fraction(9, 8)
"""The factor from one radius of the grid, and from one time, to the next."""
STRETCH = GRID / (1 - NET)
"""A group of radius R lies in a ball of the grid that costs no more, with a radius of at most STRETCH x R."""
FLOOR = Fraction(1, 90)
"""The grid starts at a radius at which all records together pay at most this fraction of a lower bound."""


class Instance(NamedTuple):
    """Points, the cheapest opening cost at each of them, and the least size r of groups (0 if there is none).

    `spread` is D of every point (0 without r) and `gap` the distance to the nearest other point.
    """

    metric: Metric
    opening: Floats
    spread: Floats
    gap: Floats
    r: int

    @classmethod
    def of(cls, records: RecordPoints, opening: Floats, reach: Reach, r: int) -> Instance:
        metric = records.metric
        n = len(metric)
        gap = metric.nearest(2)[0][:, 1] if n > 1 else np.full(n, np.inf)
        return cls(metric, opening[records.first], reach.spread if r else np.zeros(n), gap, r)

    def prices(self, balls: Payers) -> Floats:
        return self.opening[balls.centers] + self.r * balls.radii

    def least(self) -> float:
        """Return a lower bound on the cost of every partition.

        At each point either a center is opened or its records are in a group around another point.
        """
        return max(float(self.opening.min()), sum_rounded_down(np.minimum(self.gap, self.opening)))

    def start(self, need: float) -> tuple[float, bool]:
        """Return the first radius of the grid, and whether it is exact.

        It is exact if no group has a radius between 0 and it; otherwise it comes from FLOOR.
        """
        radii = _distances(self.metric, np.where(self.spread > 0, self.spread, self.gap))
        smallest = float(radii[radii > 0].min(initial=np.inf)) / (1 - float(NET))
        share = float(FLOOR) * max(self.least(), need) / float(self.metric.counts.sum())
        floor = 2 * share / (self.r + 1) if self.r else share
        return max(smallest, floor), smallest >= floor


def _distances(metric: Metric, of_points: Floats) -> Floats:
    """Return distances whose smallest positive one is a lower bound on every positive radius of a group."""
    if isinstance(metric, Precomputed):
        return metric.matrix
    if isinstance(metric, Paths):
        return metric._lengths
    if of_points.all():
        return of_points
    # Different points may be at distance 0 and hide the next one; keep one of each such set.
    apart = subset(metric, open_balls(metric, np.arange(len(metric)), 0.0).centers)
    return apart.nearest(2)[0][:, 1] if len(apart) > 1 else np.zeros(0)


def by_openings(records: RecordPoints, opening: Floats, reach: Reach, r: int) -> GridGroups:
    """Return groups by the primal-dual algorithm with opening costs; with r > 0, groups of at least r records."""
    task = Instance.of(records, opening, reach, r)
    counts = records.metric.counts
    need = sum_rounded_down(counts * reach.need) if r else 0.0
    first, fine = task.start(need)
    raised = raise_openings(task, first)
    owner, opened = by_payers(raised, np.arange(len(counts)))
    clusters = Clusters(owner[records.point], records.first[raised.paid.centers[opened]])
    share, divisor = 3, 1
    if r:
        nearest = records.nearest(clusters.centers, r)
        clusters = of_at_least(records.away, nearest, opening, clusters, r)
        share, divisor = (18 if (opening == opening[0]).all() else 30), 2
    total = math.fsum((counts * raised.alpha).tolist())
    holds = grid_cost(records, clusters, opening) <= share * total * (1 + ROUNDING)
    duals = _duals(raised, task, 0.0 if fine else first)[records.point]
    plain = plain_duals(task, reach.need)[records.point] if r and opening.any() else None
    return GridGroups(clusters, sum_rounded_down(duals) / divisor, holds, task.least(), duals, plain)


def _duals(raised: Raised, task: Instance, late: float) -> Floats:
    """Return feasible duals: scaled so that the payments never exceed the price of a ball.

    `late` is the first radius of the grid if that is not exact, else 0; what it may add to a dual is subtracted.
    """
    too_much = (task.r + 1) * late
    return np.maximum(raised.alpha / float(GRID) - too_much, 0.0) / float(STRETCH) * (1 - ROUNDING)


def plain_duals(task: Instance, need: Floats) -> Floats:
    """Return duals whose payments never exceed the opening cost of a ball of at least r records.

    They give the better bound if opening costs dominate. A record in such a ball has a need of at most its radius, so
    each dual may be raised to the record's need.
    """
    task = task._replace(r=0)
    first, fine = task.start(sum_rounded_down(task.metric.counts * need))
    return np.maximum(need, _duals(raise_openings(task, first), task, 0.0 if fine else first))


def raise_openings(task: Instance, time: float) -> Raised:
    """Raise all duals together until every one has stopped; `time` is the first radius of the grid."""
    metric, counts = task.metric, task.metric.counts
    n = len(metric)
    alpha, witness = np.zeros(n), np.full(n, -1, dtype=np.int64)
    nets = _Nets(task)
    alike = open_balls(metric, nets.cheap_first[task.spread[nets.cheap_first] == 0], 0.0)
    own = Payers(alike.centers, np.zeros(len(alike.centers)), alike.starts, alike.members)
    # Balls of radius 0 that are paid for before the first time of the grid are opened at their exact time.
    each = task.prices(own) / np.maximum(np.bincount(own.ball, counts[own.members], len(own.centers)), 1)
    early = np.flatnonzero(each <= time)
    found = [own.take(early)]
    alpha[found[0].members] = each[early][found[0].ball]
    witness[found[0].members] = found[0].ball
    n_paid = len(early)
    waiting = [own.take(np.flatnonzero(each > time))]
    while (witness < 0).any():
        alpha[witness < 0] = time
        for some in waiting:
            chosen: list[int] = []
            offers = counts[some.members] * (alpha[some.members] - some.radii[some.ball])
            offered = np.bincount(some.ball, offers, minlength=len(some.centers))
            for ball in np.flatnonzero(offered >= task.prices(some)).tolist():
                stops = some.of(ball)[witness[some.of(ball)] < 0]
                if len(stops):
                    witness[stops] = n_paid + len(chosen)
                    chosen.append(ball)
            if chosen:
                found.append(some.take(np.array(chosen)))
                n_paid += len(chosen)
        rising = witness < 0
        left = [np.bincount(some.ball[rising[some.members]], minlength=len(some.centers)) for some in waiting]
        new_balls = nets.balls(rising, time)
        new_balls = new_balls.take(np.flatnonzero(_has_more_payers(new_balls, waiting, left, n)))
        kept = [some.take(np.flatnonzero(rise)) for some, rise in zip(waiting, left, strict=True)]
        waiting = [some for some in (*kept, new_balls) if len(some.centers)]
        time *= float(GRID)
    return Raised(alpha, witness, joined(found), time)


def _has_more_payers(balls: Payers, waiting: list[Payers], left: list[Labels], n: int) -> Mask:
    """Return which balls have more rising payers than the smaller balls around their center.

    The others can be left out: the smaller ball with the same payers is always paid for first.
    """
    rising = np.zeros(n, dtype=np.int64)
    for some, rise in zip(waiting, left, strict=True):
        np.maximum.at(rising, some.centers, rise)
    return np.asarray(np.diff(balls.starts) > rising[balls.centers])


class _Nets:
    """Makes nets of the records near points whose duals still rise, cheapest centers first.

    `away`, a lower bound on each point's distance to the nearest rising point, and `some`, the metric of the rising
    points, are computed again whenever the number of rising points has halved.
    """

    def __init__(self, task: Instance) -> None:
        self.task, self.cheap_first = task, np.lexsort((task.spread, task.opening))
        self.away = np.zeros(len(task.metric))
        self.points = np.arange(len(task.metric))
        self.some = task.metric

    def balls(self, rising: Mask, radius: float) -> Payers:
        """Return the balls of this radius around a net, each with the rising points that it contains.

        Centers are records that have r records within (1 - NET) x radius.
        """
        task, metric = self.task, self.task.metric
        if 2 * np.count_nonzero(rising) <= len(self.points) and rising.any():
            self.points = np.flatnonzero(rising)
            self.away = nearest_center(metric, self.points)[0]
            if isinstance(metric, Neighbors):
                self.some = subset(metric, self.points)
        useful = (self.away <= radius) & (task.spread <= (1 - float(NET)) * radius) & (task.gap <= radius)
        hopeful = self.cheap_first[useful[self.cheap_first]]
        centers = open_balls(metric, hopeful, float(NET) * radius).centers
        if isinstance(metric, Neighbors) and isinstance(self.some, Neighbors):
            starts, places = around(metric, centers, self.some, radius)
            members = self.points[places]
        else:
            balls = open_balls(metric, centers, radius, needed=-1)
            starts, members = balls.starts, balls.members
        keep = rising[members]
        listed = np.concatenate(([0], np.cumsum(keep)))[starts].astype(np.int64)
        return Payers(centers, np.full(len(centers), radius), listed, members[keep])
