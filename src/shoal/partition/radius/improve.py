"""Radii of groups around their best records, and better groups at the same or a smaller radius."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.radius.assignment import Shares, assign
from shoal.partition.radius.balls import Balls, Metric, open_balls
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors

AT_ONCE = 30_000_000
"""Neighbors held in memory at a time."""
CENTER_ROUNDS = 12
"""Candidates tried as a group's center; after each one, only records that may do better are left."""
MOVE_ROUNDS = 5
COVER_STEPS = 10
CLOSE_ROUNDS = 4
OPEN_ROUNDS = 5
WORTHWHILE = 0.02
"""Of the cost: radii closer together than this are not told apart, and a round that gains less is the last. On evenly
spread points what is gained by further rounds is a tenth of that, at the price of a cover and a flow each."""
SAMPLE = 4
"""Radii tried between the lower bound and what the theorem gave."""


class Reach(NamedTuple):
    """Of every point p, through its nearest records alone.

    `spread` is D(p), the distance to the r-th record (itself counted). `need` is q(p), the smallest of
    max(d(p, c), D(c)) over records c: no group with a record as center holds p at a smaller radius. `via` is that c.
    """

    spread: Floats
    need: Floats
    via: Labels


def reach_of(metric: Metric, r: int) -> Reach:
    """The search for c ends at the records nearer than D(p): p itself is a center at D(p)."""
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


class Groups(NamedTuple):
    """Records shared out to groups, each with a record as center."""

    shares: Shares
    centers: Labels
    radii: Floats

    @property
    def cost(self) -> float:
        return float(self.radii.max(initial=0.0))

    @property
    def price(self) -> tuple[float, int]:
        """Smaller is better: the cost, then the number of records left out, up to a constant."""
        return self.cost, -int(self.shares.amount.sum())


def around(metric: Metric, centers: Labels, shares: Shares) -> Groups:
    """The groups with the centers that they were built around; a center that went elsewhere has no radius yet."""
    distance = metric.distance(shares.point, centers[shares.group])
    radii = np.zeros(len(centers))
    np.maximum.at(radii, shares.group, distance)
    stays = np.zeros(len(centers), dtype=bool)
    stays[shares.group[shares.point == centers[shares.group]]] = True
    radii[~stays] = np.inf
    return Groups(shares, centers, radii)


def recentered(metric: Metric, groups: Groups) -> Groups:
    """The same groups, each around its best member (of those tried: see CENTER_ROUNDS), never a worse one.

    The radius around a record x is at least d(x, w) for every member w. Members that were farthest from a candidate
    make good w, so few candidates are left after a few of them.
    """
    order = np.lexsort((groups.shares.point, groups.shares.group))
    point, group = groups.shares.point[order], groups.shares.group[order]
    centers, radii = groups.centers.copy(), groups.radii.copy()
    bound = np.zeros(len(point))
    bound[point == centers[group]] = np.inf  # tried already
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
    return Groups(groups.shares, centers, radii)


def _first_least(values: Floats, starts: Labels, spans: Labels) -> Labels:
    """Where the first smallest value of each run is."""
    least = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), spans))
    run = np.searchsorted(starts, least, side="right") - 1
    return least[np.flatnonzero(np.diff(run, prepend=-1))]


def moved(metric: Metric, groups: Groups, r: int) -> Groups:
    """Points moved to nearer centers while sizes hold, centers moved to better members, as long as the cost falls."""
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
    metric: Metric, groups: Groups, reach: Reach, r: int, *, bound: float, allowed: int, max_groups: int | None
) -> Groups:
    """Better groups than `groups`, where radii between `bound` and their cost admit them.

    At a radius, points are covered in the order of their need, the neediest first, each by the record that its need
    speaks of. Nothing says that every group then gets its r records, so this proves nothing and only replaces what is
    worse; on clustered points it mostly succeeds at the bound itself.
    """
    sequence = np.argsort(-reach.need, kind="stable")
    # Distances from a few points stand for all: on labels there are few different ones, and few radii to try.
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
) -> Groups | None:
    needy = sequence[reach.need[sequence] <= radius]
    balls = open_balls(metric, needy, radius, pick=reach.via)
    return _settled(metric, balls, radius, r, allowed, max_groups)


def reopened(
    metric: Metric, groups: Groups, reach: Reach, r: int, *, bound: float, allowed: int, max_groups: int | None
) -> Groups:
    """Better groups around the same centers and a few more, at the largest radius below the cost, while it falls.

    Records that no center reaches any more open groups around the records that their needs speak of; then records are
    moved and swapped along the paths of a flow, and groups that stay short of records are closed.
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
) -> Groups | None:
    """Points shared out to the balls, if need be after some short ones are closed; None where that fails."""
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
    """Balls that are short of records closed, smallest first, if no more than `spare` records are left uncovered."""
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
