"""Improving groups under the maximum radius: better centers, moved records, and new centers at smaller radii.

No step returns groups that are worse than those it was given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.radius.assignment import Shares, assign
from shoal.partition.radius.balls import Balls, Metric, open_balls
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors

AT_ONCE = 30_000_000
"""Neighbors (points times r) held in memory at a time: about half a gigabyte."""
CENTER_ROUNDS = 12
"""Members tried as the center of each group; after each one, only members that may be better remain candidates."""
MOVE_ROUNDS = 5
"""Rounds of `moved` at most; it usually stops earlier, when the cost no longer falls."""
COVER_STEPS = 10
"""Radii that `closer_cover` tries, by bisection."""
CLOSE_ROUNDS = 4
"""How often `_settled` closes balls without enough records and assigns the points again."""
OPEN_ROUNDS = 5
"""Rounds of `reopened` at most."""
WORTHWHILE = 0.02
"""Least relative improvement of the cost that is worth another round: 2 %. On evenly spread points further rounds
gain a tenth of that, and each takes a cover and a flow."""
SAMPLE = 4
"""Points whose distances serve as candidate radii for `closer_cover`."""


class Reach(NamedTuple):
    """Two radii for every point p that follow from its nearest records alone.

    `spread` is D(p), the distance to the r-th nearest record (itself counted). `need` is q(p), the minimum of
    max(d(p, c), D(c)) over records c: no group of r records around a record contains p at a smaller radius. `via` is
    the c at which the minimum is attained.
    """

    spread: Floats
    need: Floats
    via: Labels


def reach_of(metric: Metric, r: int) -> Reach:
    """Return spread, need and via of all points.

    Only the r nearest records c of p are examined: others are at least as far as D(p), and p itself has need D(p).
    """
    n = len(metric)
    pieces = np.array_split(np.arange(n), -(-n * r // AT_ONCE))
    spread = metric.kth_distance(r) if len(pieces) > 1 else np.empty(0)
    need, via = np.empty(n), np.empty(n, dtype=np.int64)
    for rows in pieces:
        asked = rows if len(pieces) > 1 else None
        if isinstance(metric, Neighbors):
            distance, near = metric.nearest_rows(r, asked)
        else:
            distance, near = metric.nearest(r, rows=asked)
        if asked is None:
            spread = np.where(near < 0, 0.0, distance).max(axis=1)
        price = np.where(near < 0, np.inf, np.maximum(distance, spread[near]))
        best = price.argmin(axis=1)
        here = np.arange(len(rows))
        need[rows], via[rows] = price[here, best], near[here, best]
    return Reach(spread, need, via)


class CenteredGroups(NamedTuple):
    """An assignment of records to groups, each with a record as its center."""

    shares: Shares
    centers: Labels
    radii: Floats

    @property
    def cost(self) -> float:
        return float(self.radii.max(initial=0.0))

    @property
    def price(self) -> tuple[float, int]:
        """For comparing partitions, smaller is better: the cost, then the number of suppressed records."""
        return self.cost, -int(self.shares.amount.sum())


def around(metric: Metric, centers: Labels, shares: Shares) -> CenteredGroups:
    """Return the groups around the given centers; the radius is infinite if the center is not in its own group."""
    distance = metric.distance(shares.point, centers[shares.group])
    radii = np.zeros(len(centers))
    np.maximum.at(radii, shares.group, distance)
    stays = np.zeros(len(centers), dtype=bool)
    stays[shares.group[shares.point == centers[shares.group]]] = True
    radii[~stays] = np.inf
    return CenteredGroups(shares, centers, radii)


def recentered(metric: Metric, groups: CenteredGroups) -> CenteredGroups:
    """Return the same groups, each around the best member of the CENTER_ROUNDS that were tried, or as it was.

    The radius around a member x is at least d(x, w) for every member w. The members that were farthest from an
    earlier candidate are good choices of w, so after a few rounds these bounds rule out nearly all candidates.
    """
    order = np.lexsort((groups.shares.point, groups.shares.group))
    point, group = groups.shares.point[order], groups.shares.group[order]
    centers, radii = groups.centers.copy(), groups.radii.copy()
    bound = np.zeros(len(point))
    bound[point == centers[group]] = np.inf  # the present center need not be tried
    for _ in range(CENTER_ROUNDS):
        hopeful = np.zeros(len(centers), dtype=bool)
        hopeful[group[bound < radii[group]]] = True
        keep = hopeful[group]
        point, group, bound = point[keep], group[keep], bound[keep]
        if not len(point):
            break
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        spans = np.diff(starts, append=len(group))
        tried = _first_least(bound, starts, spans)
        distance = metric.distance(point, np.repeat(point[tried], spans))
        farthest = _first_least(-distance, starts, spans)
        better = distance[farthest] < radii[group[starts]]
        centers[group[starts[better]]], radii[group[starts[better]]] = (
            point[tried[better]],
            distance[farthest[better]],
        )
        bound = np.maximum(bound, metric.distance(point, np.repeat(point[farthest], spans)))
        bound[tried] = np.inf
    return CenteredGroups(groups.shares, centers, radii)


def _first_least(values: Floats, starts: Labels, spans: Labels) -> Labels:
    """Return the position of the first smallest value of each run."""
    least = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), spans))
    run = np.searchsorted(starts, least, side="right") - 1
    return least[np.flatnonzero(np.diff(run, prepend=-1))]


def moved(metric: Metric, groups: CenteredGroups, r: int) -> CenteredGroups:
    """Return groups in which points have moved to nearer centers, and centers to better members, as the cost falls.

    Groups keep at least `r` records.
    """
    for _ in range(MOVE_ROUNDS):
        balls = open_balls(metric, groups.centers, groups.cost, needed=-1)
        shares = assign(balls, groups.cost, metric.counts, r)
        if shares is None:
            break
        better = recentered(metric, around(metric, groups.centers, shares))
        if better.price >= groups.price:
            break
        groups = better
    return groups


def closer_cover(
    metric: Metric,
    groups: CenteredGroups,
    reach: Reach,
    r: int,
    *,
    bound: float,
    allowed: int,
    max_groups: int | None,
) -> CenteredGroups:
    """Return better groups than `groups` if a cover at a radius between `bound` and their cost gives some.

    At a radius, points are covered in order of their need, largest first, each by a ball around its `via`. This is a
    heuristic: not every group may get r records, and then the radius is given up. On clustered points it usually
    succeeds at `bound` itself.
    """
    sequence = np.argsort(-reach.need, kind="stable")
    # Distances from a few points stand for all distances; columns of labels have few different ones anyway.
    some = np.linspace(0, len(metric) - 1, min(len(metric), SAMPLE)).astype(np.int64)
    radii = np.unique(np.concatenate([metric.distances_from(int(row)) for row in some]))
    radii = np.concatenate(([bound], radii[radii > bound]))
    radii, at, best = radii[radii < groups.cost], 0, groups
    for _ in range(COVER_STEPS):
        if not len(radii):
            break
        found = _cover(metric, reach, sequence, float(radii[at]), r, allowed, max_groups)
        if found is None:
            radii = radii[at + 1 :]
        else:
            best = min(best, found, key=lambda some: some.price)
            radii = radii[:at]
        radii = radii[radii < best.cost * (1 - WORTHWHILE)]
        at = len(radii) // 2
    return best if best is groups else moved(metric, best, r)


def _cover(
    metric: Metric, reach: Reach, sequence: Labels, radius: float, r: int, allowed: int, max_groups: int | None
) -> CenteredGroups | None:
    """Return groups of a cover at one radius, in the order of `sequence`; None if not all requirements can be met."""
    needy = sequence[reach.need[sequence] <= radius]
    balls = open_balls(metric, needy, radius, pick=reach.via)
    return _settled(metric, balls, radius, r, allowed, max_groups)


def reopened(
    metric: Metric,
    groups: CenteredGroups,
    reach: Reach,
    r: int,
    *,
    bound: float,
    allowed: int,
    max_groups: int | None,
) -> CenteredGroups:
    """Return better groups around the same centers and a few more, at radii just below the cost, while it falls.

    Records that no center reaches at the smaller radius open new groups around their `via`. Then all records are
    assigned by a flow, and groups without enough records are closed.
    """
    for _ in range(OPEN_ROUNDS):
        radius = float(np.nextafter(groups.cost, 0.0))
        if not groups.cost > bound or not np.isfinite(radius):
            break
        balls = open_balls(metric, groups.centers, radius, needed=-1)
        bare = np.flatnonzero((balls.owner < 0) & (reach.need <= radius))
        if len(bare):
            bare = bare[np.argsort(-reach.need[bare], kind="stable")]
            opened = open_balls(metric, bare, radius, pick=reach.via).centers
            balls = open_balls(metric, np.union1d(groups.centers, opened), radius, needed=-1)
        found = _settled(metric, balls, radius, r, allowed, max_groups)
        if found is None or found.price >= groups.price:
            break
        before, groups = groups, found
        if groups.cost > before.cost * (1 - WORTHWHILE):
            break
    return groups


def _settled(
    metric: Metric, balls: Balls, radius: float, r: int, allowed: int, max_groups: int | None
) -> CenteredGroups | None:
    """Assign the points to the balls, if necessary after closing balls without enough records; None if that fails."""
    for _ in range(CLOSE_ROUNDS):
        spare = allowed - int(metric.counts[balls.owner < 0].sum())
        if spare < 0:
            return None
        shares = assign(balls, radius, metric.counts, r)
        if shares is not None and (max_groups is None or len(balls.centers) <= max_groups):
            return recentered(metric, around(metric, balls.centers, shares))
        stays = _not_closed(metric, balls, r, spare)
        if stays.all():
            return None
        balls = open_balls(metric, balls.centers[stays], radius, needed=-1)
    return None


def _not_closed(metric: Metric, balls: Balls, r: int, spare: int) -> npt.NDArray[np.bool_]:
    """Return which balls stay open. Balls with fewer than r records are closed, smallest first.

    A ball is closed only if that leaves, together with those closed before, at most `spare` records uncovered.
    """
    covered = np.flatnonzero(balls.owner >= 0)
    sizes = np.bincount(balls.owner[covered], metric.counts[covered], minlength=len(balls.centers))
    short = np.flatnonzero(sizes < r)
    times = np.bincount(balls.members, minlength=len(metric))
    stays = np.ones(len(balls.centers), dtype=bool)
    for ball in short[np.argsort(sizes[short], kind="stable")]:
        members = balls.members[balls.starts[ball] : balls.starts[ball + 1]]
        alone = int(metric.counts[members[times[members] == 1]].sum())
        if alone <= spare:
            times[members] -= 1
            stays[ball] = False
            spare -= alone
    return stays
