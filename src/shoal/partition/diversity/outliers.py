"""Diverse groups if some colors are too frequent: the fewest possible records are suppressed.

The number of groups, p, follows from the frequencies of the colors alone (Lemma 5 of the paper). A color of more than
p records is popular: every group has one record of it. To place the records of the other colors, balls are opened at
dense places and joined into trees; an order of each tree's balls is found in which neighbors are at most three edges
apart; and p virtual centers are placed in this order, one for every l - z records, where z is the number of popular
colors. A flow then assigns all records. docs/proofs/diverse.md, DIVERSE-3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.diversity.colored_points import Among, Colored, Reach
from shoal.partition.diversity.independent_set import Stars
from shoal.partition.diversity.tree_walk import walk
from shoal.partition.diversity.virtual_centers import Hosts, serve
from shoal.partition.radius.assignment import Shares
from shoal.partition.radius.balls import open_balls
from shoal.partition.radius.improve import CenteredGroups, recentered
from shoal.partition.result import Floats, Labels
from shoal.requirements.frequencies import fewest_dropped
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors

Table = Neighbors | Precomputed
LINK = 5
"""Balls are joined if the distance of their centers is at most LINK times the threshold."""
REACH = 3 * LINK + 3
"""Largest distance from a virtual center to a record of its group, in thresholds: 3 LINK for a step of the walk, 2
for a record of a ball, and 1 for the diameter of a group."""
RECENTERING_ROUNDS = 6
"""Rounds of improvement at most; they end earlier when the cost no longer falls."""
ROUNDING = 1 + 1e-9
"""Factor by which computed sums of distances may exceed the exact ones."""


class Counted(NamedTuple):
    """What follows from the color frequencies alone: the number of groups p, the popular colors, and s = l - z.

    s is the number of records of other colors that each group needs, with z the number of popular colors.
    """

    groups: int
    popular: Labels
    others: int

    @classmethod
    def of(cls, records: Colored, l: int) -> Counted:  # noqa: E741 (the field's own name)
        counts = np.bincount(records.color)
        groups = fewest_dropped(counts, l).groups
        popular = np.flatnonzero(counts > groups)
        return cls(groups, popular, l - len(popular))

    def smallest_largest(self, values: Floats, color: Labels) -> float:
        """Return the smallest possible maximum of `values` over the records that are not suppressed."""
        kept = ~np.isin(color, self.popular)
        of_popular = [np.sort(values[color == own])[self.groups - 1] for own in self.popular]
        return float(max(values[kept].max(), *of_popular))


class Dropped(NamedTuple):
    """Groups (owner -1 for suppressed records) and their cost before improvement.

    `diameter` is a lower bound on the largest diameter of every partition and `bound` one on its largest radius. If
    `members`, all centers are members of their groups, and `bound` holds for such partitions only.
    """

    stars: Stars
    theorem_cost: float
    diameter: float
    bound: float
    members: bool


def with_outliers(whole: Among, reach: Reach, l: int, *, improve: bool) -> Dropped:  # noqa: E741
    """Return the groups of theorem DIVERSE-3, improved if asked for."""
    records = whole.records
    counted = Counted.of(records, l)
    unpopular = np.flatnonzero(~np.isin(records.color, counted.popular))
    crowd = _part(records.metric, unpopular)
    spread = crowd.kth_distance(counted.others)
    diameter = max(counted.smallest_largest(reach.spread, records.color), float(spread.max()))
    best: CenteredGroups | None = None

    def attempt(threshold: float) -> CenteredGroups | None:
        advance(1)
        hosts = _placed(crowd, unpopular, spread, threshold, counted)
        limit = _at_most(threshold)
        return None if hosts is None else _served(records, counted, hosts, limit, at_least=diameter / 2)

    with progress.step("placing centers") as advance:
        passed = guess = diameter
        while True:
            found = attempt(guess)
            if found is None:
                diameter = max(diameter, float(np.nextafter(guess, np.inf)))
            else:
                best, passed = (found if best is None or found.cost < best.cost else best), guess
            if best is None:
                step = float(records.metric.distances_from(0).max()) / len(records)
                guess = 2 * guess if guess > 0 else step
            elif best.cost <= _at_most(diameter) or diameter >= passed:
                break
            else:
                guess = diameter + (passed - diameter) / 2
                guess = guess if guess < passed else diameter
        started = best.cost
        for _ in range(RECENTERING_ROUNDS if improve else 0):
            hosts = Hosts(best.centers, np.ones(len(best.centers), dtype=np.int64))
            better = _served(records, counted, hosts, best.cost, at_least=diameter / 2, inside=True)
            if better is None or better.cost >= best.cost:
                break
            best = better
    owner = np.full(len(records), -1, dtype=np.int64)
    owner[best.shares.point] = best.shares.group
    members = bool((owner[best.centers] == np.arange(len(best.centers))).all())
    bound = max(diameter / 2, counted.smallest_largest(reach.need, records.color) if members else 0.0)
    return Dropped(Stars(best.centers, owner), started, diameter, bound, members)


def _at_most(threshold: float) -> float:
    """Return REACH x threshold rounded down, so that computed distances up to it are within the proved bound."""
    return float(np.nextafter(REACH * threshold, 0.0))


def _part(metric: Table, rows: Labels) -> Table:
    """Return the metric restricted to `rows`."""
    if isinstance(metric, Precomputed):
        return Precomputed(metric.matrix[np.ix_(rows, rows)])
    return Neighbors(metric.space.take(rows), n_threads=metric.n_threads)


def _placed(crowd: Table, unpopular: Labels, spread: Floats, threshold: float, counted: Counted) -> Hosts | None:
    """Return virtual centers at records; None proves that every partition has a diameter above `threshold`."""
    size = counted.others
    balls = open_balls(crowd, np.argsort(spread, kind="stable"), threshold, needed=size)
    n_balls = len(balls.centers)
    own = np.full(len(crowd), n_balls, dtype=np.int64)
    np.minimum.at(own, balls.members, balls.ball)  # a record belongs to the first ball that covers it
    rest = np.flatnonzero(own == n_balls)
    centers = _part(crowd, balls.centers)
    if len(rest):
        own[rest] = _nearest_center(crowd, balls.centers, rest)
    held = np.bincount(own, minlength=n_balls)
    copies = np.zeros(n_balls, dtype=np.int64)
    for order in walk(centers, LINK * threshold * ROUNDING):
        copies[order] = np.diff(np.cumsum(held[order]) // size, prepend=0)
    if copies.sum() != counted.groups:
        return None
    used = copies > 0
    return Hosts(unpopular[balls.centers[used]], copies[used])


def _nearest_center(metric: Table, centers: Labels, rows: Labels) -> Labels:
    """Return the position in `centers` of the center nearest to each row."""
    if isinstance(metric, Precomputed):
        return np.asarray(metric.matrix[np.ix_(rows, centers)].argmin(axis=1))
    tree = Neighbors(metric.space.take(centers), n_threads=metric.n_threads)
    return tree.nearest(1, metric.space.coordinates[rows])[1][:, 0]


def _served(
    records: Colored, counted: Counted, hosts: Hosts, limit: float, *, at_least: float, inside: bool = False
) -> CenteredGroups | None:
    """Return groups around the hosts, within the smallest distance found up to `limit`; then recenter them.

    Returns None if there are none. If members as centers would exceed `limit`, the hosts stay centers even where they
    are not members; with `inside`, centers are always members.
    """
    host = serve(records, counted.popular, counted.groups, counted.others, hosts, limit, at_least)
    if host is None:
        return None
    kept = np.flatnonzero(host >= 0)
    kept = kept[np.lexsort((records.color[kept], host[kept]))]
    at = host[kept]
    begin = np.searchsorted(at, np.arange(len(hosts.records)))
    # Records are sorted by color, so dealing them out in turn gives the groups of a host different colors.
    copy = (np.arange(len(kept)) - begin[at]) % hosts.copies[at]
    group = (np.cumsum(hosts.copies) - hosts.copies)[at] + copy
    centers = np.repeat(hosts.records, hosts.copies)
    radii = np.zeros(len(centers))
    np.maximum.at(radii, group, records.metric.distance(kept, centers[group]))
    around = CenteredGroups(Shares(kept, group, np.ones(len(kept), dtype=np.int64)), centers, radii)
    of_members = recentered(records.metric, around._replace(radii=np.full(len(centers), np.inf)))
    return of_members if inside or of_members.cost <= limit else recentered(records.metric, around)
