"""Duals on a grid for many records, of which some may be suppressed.

Radii and times are taken from a grid. At time t of the grid, all duals that still rise are equal to t, and the balls
of radius t are set up around a net of the records whose duals still rise. Only the rising records inside a ball will
pay for it. At each later time the payments are added up, and the duals in every ball that is paid for stop.
docs/proofs/cellular.md says what this costs: duals are too large by at most the factor GRID, balls by STRETCH.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.radius.balls import Metric, open_balls, subset
from shoal.partition.result import Floats, Labels
from shoal.space.graph import Paths

GRID = Fraction(5, 4)
"""The factor from one radius of the grid, and from one time, to the next."""
NET = Fraction(1, 4)
"""Centers of balls are more than this fraction of the radius apart."""
STRETCH = 2 * GRID / (1 - NET)
"""A group of radius R lies in a ball of the grid with a radius of at most STRETCH x R."""

Mask = npt.NDArray[np.bool_]


class Payers(NamedTuple):
    """Balls of the grid: centers, radii, and the points `members[starts[b]:starts[b + 1]]` that pay for ball b."""

    centers: Labels
    radii: Floats
    starts: Labels
    members: Labels

    @property
    def ball(self) -> Labels:
        return np.repeat(np.arange(len(self.centers)), np.diff(self.starts))

    def take(self, chosen: Labels) -> Payers:
        """Return the chosen balls."""
        spans = np.diff(self.starts)[chosen]
        starts = np.concatenate(([0], np.cumsum(spans)))
        places = np.repeat(self.starts[chosen] - starts[:-1], spans) + np.arange(starts[-1])
        return Payers(self.centers[chosen], self.radii[chosen], starts, self.members[places])

    def of(self, ball: int) -> Labels:
        """Return the points that pay for a ball."""
        return self.members[self.starts[ball] : self.starts[ball + 1]]


def joined(some: list[Payers]) -> Payers:
    """Return one list of the balls of several lists."""
    starts = np.concatenate(([0], np.cumsum(np.concatenate([np.diff(one.starts) for one in some]))))
    return Payers(
        np.concatenate([one.centers for one in some]),
        np.concatenate([one.radii for one in some]),
        starts.astype(np.int64),
        np.concatenate([one.members for one in some]),
    )


class Raised(NamedTuple):
    """The dual of each point, the ball that stopped it (-1: none), and the balls that were paid for.

    `end` is the time of the grid at which the last dual stopped.
    """

    alpha: Floats
    witness: Labels
    paid: Payers
    end: float


def raise_on_grid(
    metric: Metric, spread: Floats, r: int, *, largest: float = np.inf, n_suppressed: int = 0
) -> Raised | None:
    """Raise all duals together until at most `n_suppressed` records have a dual that has not stopped.

    `spread` is D of every point. Balls have radii up to `largest`; returns None if these do not reach enough records.
    Points that stand for r records or more stop at time 0, each in a ball of its own.
    """
    n, counts = len(metric), metric.counts
    alpha, witness = np.zeros(n), np.full(n, -1, dtype=np.int64)
    alone = np.flatnonzero(spread == 0)
    witness[alone] = np.arange(len(alone))
    found = [Payers(alone, np.zeros(len(alone)), np.arange(len(alone) + 1), alone)]
    n_paid, n_rising = len(alone), int(counts[witness < 0].sum())
    waiting: list[Payers] = []
    nets = _Nets(metric, spread)
    time = float(spread[witness < 0].min(initial=np.inf)) / (1 - float(NET))
    while n_rising > n_suppressed:
        alpha[witness < 0] = time
        for some in waiting:
            chosen: list[int] = []
            for ball in _paid(some, alpha, counts, r).tolist():
                stops = some.of(ball)[witness[some.of(ball)] < 0]
                if len(stops) and n_rising > n_suppressed:
                    witness[stops] = n_paid + len(chosen)
                    n_rising -= int(counts[stops].sum())
                    chosen.append(ball)
            if chosen:
                found.append(some.take(np.array(chosen)))
                n_paid += len(chosen)
        if n_rising <= n_suppressed:
            break
        rising = witness < 0
        waiting = [kept for kept in (_with_any(some, rising) for some in waiting) if len(kept.centers)]
        if time <= largest:
            waiting.append(nets.balls(rising, time))
        elif not waiting:
            return None
        time *= float(GRID)
    return Raised(alpha, witness, joined(found), time)


def _paid(balls: Payers, alpha: Floats, counts: Labels, r: int) -> Labels:
    """Return the balls whose points together pay at least r times the radius."""
    ball = balls.ball
    offers = counts[balls.members] * (alpha[balls.members] - balls.radii[ball])
    return np.flatnonzero(np.bincount(ball, offers, minlength=len(balls.centers)) >= r * balls.radii)


def _with_any(balls: Payers, rising: Mask) -> Payers:
    """Return the balls that have a payer whose dual still rises."""
    return balls.take(np.flatnonzero(np.bincount(balls.ball, rising[balls.members], minlength=len(balls.centers))))


class _Nets:
    """Makes nets of the points whose duals still rise; rebuilds the tree when half of its points have stopped."""

    def __init__(self, metric: Metric, spread: Floats) -> None:
        self.whole, self.spread = metric, spread
        self.metric: Metric = metric
        self.points = np.arange(len(metric))

    def balls(self, rising: Mask, radius: float) -> Payers:
        """Return the balls of this radius around a net, each with the rising points that it contains."""
        if 2 * np.count_nonzero(rising) < len(self.points) and not isinstance(self.whole, Paths):
            self.points = np.flatnonzero(rising)
            self.metric = subset(self.whole, self.points)
        inside = rising[self.points]
        hopeful = np.flatnonzero(inside & (self.spread[self.points] <= (1 - float(NET)) * radius))
        # Any order gives a net; dense places come first because their balls are paid for soonest.
        hopeful = hopeful[np.argsort(self.spread[self.points[hopeful]], kind="stable")]
        balls = open_balls(self.metric, hopeful, float(NET) * radius, reach=radius)
        keep = inside[balls.members]
        listed = np.bincount(balls.ball[keep], minlength=len(balls.centers))
        return Payers(
            self.points[balls.centers],
            np.full(len(balls.centers), radius),
            np.concatenate(([0], np.cumsum(listed))).astype(np.int64),
            self.points[balls.members[keep]],
        )


def by_payers(raised: Raised, kept: Labels) -> tuple[Labels, Labels]:
    """Return the group of every point and the ball of every group, as `primal_dual.by_witness` does.

    Balls are opened from the largest to the smallest if none of their payers is in an open ball; each other point
    joins an open ball that has a payer of its witness. Only the points in `kept` take part.
    """
    takes_part = np.zeros(len(raised.alpha), dtype=bool)
    takes_part[kept] = True
    owner = np.full(len(raised.alpha), -1, dtype=np.int64)
    opened: list[int] = []
    blocker = np.full(len(raised.paid.centers), -1, dtype=np.int64)
    for ball in np.argsort(-raised.paid.radii, kind="stable").tolist():
        payers = raised.paid.of(ball)
        payers = payers[takes_part[payers]]
        if not len(payers):
            continue
        taken = int(owner[payers].max())
        if taken < 0:
            owner[payers] = len(opened)
            opened.append(ball)
        else:
            blocker[ball] = taken
    left = kept[owner[kept] < 0]
    owner[left] = blocker[raised.witness[left]]
    return owner, np.array(opened, dtype=np.int64)
