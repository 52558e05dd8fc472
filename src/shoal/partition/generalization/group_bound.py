"""A lower bound on the generalization cost of every partition, from offers of the records, by column generation.

Problem     records whose columns are generalized to sets, ranges or nodes of hierarchies; a lower bound on the cost
            of every partition into groups of at least k of them (`forest` defines the cost).
Guarantee   at most the optimum, however early the search ends: GROUPS-1 and, with charges for subset rows,
            GROUPS-2, docs/proofs/cells.md.
Complexity  a few rounds, each a search around every different record (limited work per record) and some rounds of a
            primal-dual method on the groups found so far. Memory for the records near each record. Deterministic,
            equal for any number of threads, and it does not depend on the order of rows.

Notes
-----
Every record makes an offer such that no k records together offer more than k times what the smallest box around them
costs. Then every group costs at least the sum of its records' offers, as in `cell_bound`; but here a set of labels
costs what it costs, and offers may be negative. The offers start as what the records of a given partition cost;
groups that offer more than they cost are sought, and the offers are balanced over all groups found so far. Then
groups are charged for records that the linear program divides among several of them (`subset_rows`), which lets
records offer more. At the end an exact search around every record proves by how much its offer must be lowered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.kernels.generalization_groups import RecordArrays
from shoal.kernels.group_pricing import price_groups
from shoal.kernels.record_boxes import near_records, pair_costs
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.generalization.known_groups import KnownGroups
from shoal.partition.generalization.subset_rows import LEAST_K, SubsetRows, no_charges
from shoal.partition.group_pool import GroupPool
from shoal.partition.result import Floats, Labels
from shoal.partition.rules import Rule
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

Ids = npt.NDArray[np.int32]

ROUNDS, BALANCED = 10, 400
"""Rounds of looking for groups, and rounds of the primal-dual method after each of them."""
BEFORE_ROWS, WITH_ROWS, BALANCED_ROWS = 0.8, 8, 300
"""If subset rows follow: the part of the rounds before them, the rounds with them, and the rounds of the primal-dual
method after each of these."""
ROWS_AT, LAST = (0, 2), 3
"""The rounds in which subset rows are added; and how many of the last look longer, and prove what they can."""
QUICK, LIMIT, THOROUGH_LIMIT = 0.6, 1500, 20_000
"""Boxes looked at around a point at most, in the share QUICK of the rounds and in those after them."""
PROOF, TRIES = 100_000, (1.0, 0.85, 0.7, 0.5, 0.25)
"""The limit for a single point in the last search, and the parts to which the offers of points are lowered whose
search does not end within it."""
HOPELESS = 0.4
"""If the search around more than this share of the points has not ended in the third round, the bound is given up."""
SLOTS = 4
"""Groups that are kept of the search around a point, the best of them included."""
MANY_ROUNDS, MANY_WITH_ROWS, MANY_BALANCED = 7, 11, 200
MANY_LIMIT, MANY_PROOF = 3000, 20_000
"""With more than DENSE points: the rounds, those with subset rows, and the rounds of the primal-dual method after
each of them; and the limits of the later ones and of the last search."""
DENSE, NEAR, FAR, LISTED = 3000, 1.7, 2.5, 1500
"""With at most DENSE points, every point is a neighbor of every other. With more, neighbors are nearer than NEAR
times the mean offer or FAR times the point's first offer, and offers are limited to that; or nearer still, so that a
point has at most LISTED neighbors."""
MOST_VALUES = 100
"""Rules on more different values than this are left out of the bound, as the nearest record of each is sought."""
TOLERANCE, ROUNDING, MOST_K = 1e-9, 2.0**-34, 64
"""Groups are sought that offer more than they cost by TOLERANCE mean offers, and offers are lowered by so much. All
rounding errors are below the relative ROUNDING by which offers are lowered, too, for k of at most MOST_K and up to a
thousand columns."""


class Near(NamedTuple):
    """The neighbors of each point in `who` and `apart`, from starts[i] to starts[i + 1], nearer than reach[i]."""

    starts: Labels
    who: Ids
    apart: Floats
    reach: Floats


class Priced(NamedTuple):
    """Groups that offer too much; and for each point the excess found, an upper bound on it, and the work done."""

    groups: Ids
    found: Floats
    most: Floats
    work: Labels


class Offered(NamedTuple):
    """The offer of every record, and what groups pay for rows of three records (`SubsetRows`): GROUPS-2.

    A group of two records of rows[r] pays prices[r], one of all three the part `whole` of it.
    """

    each: Floats
    rows: Labels
    prices: Floats
    whole: Fraction
    known: KnownGroups | None = None
    """The groups that the search has found and their duals, without charges; None with rules, which they may miss."""

    @property
    def charged(self) -> float:
        """What is taken off the sum of the offers, rounded up."""
        return math.fsum(self.prices) * (1 + 2.0**-51)

    @property
    def total(self) -> float:
        """The lower bound, rounded down."""
        total, charged = math.fsum(self.each), self.charged
        return total - charged - 2.0**-51 * (abs(total) + charged)


def group_offers(
    space: Space, k: int, labels: Labels, *, rules: Sequence[Rule] = (), effort: float = 1.0, n_threads: int = 1
) -> Offered | None:
    """Return the offer of every record, so that no `k` records offer more than they pay: `k` times the cost of their
    box, and charges for the rows of which they have two records or three.

    With `rules`, the box of a record costs at least what the smallest box costs that has enough values besides it.
    The search starts from the groups of `labels`. None if it would take too long to prove anything.
    """
    if not space.axes or not 2 <= k <= MOST_K or len(space) < k or (labels < 0).any():
        return None
    points, counts, point_of = _costly_axes_first(space).distinct()
    floor = floors(points, point_of, rules)
    first, pool = _first_offers(space, points, counts, point_of, labels, floor)
    unit = float(counts @ first) / len(space)
    if unit <= 0:
        return None
    rows = SubsetRows(k, counts)
    with progress.step("bound"):
        work = OffersOfGroups(points, counts, k, unit, floor, _near(points, first, unit, n_threads), n_threads)
        n_rounds = (MANY_ROUNDS if work.many else ROUNDS) * effort
        # where rules make groups costly, rows raise the bound of many points by a hundredth, in a tenth of the time
        with_rows = k >= LEAST_K and not (work.many and floor.any())
        offers = work.balanced(first, pool, math.ceil(n_rounds * BEFORE_ROWS if with_rows else n_rounds))
        if offers is None:
            return None
        known = None if rules else KnownGroups(points, counts, point_of, k, unit, offers, pool)
        if with_rows:
            offers = work.tightened(
                offers, pool, rows, math.ceil((MANY_WITH_ROWS if work.many else WITH_ROWS) * effort)
            )
        offers = work.proved(offers)
    record_of = np.empty(len(points), dtype=np.int64)
    record_of[point_of] = np.arange(len(space))  # rows have points of one record only
    paid = rows.prices > 0
    each = (offers - np.abs(offers) * ROUNDING)[point_of]
    return Offered(each, record_of[rows.rows[paid]], rows.prices[paid], rows.whole, known)


def floors(points: Space, point_of: Labels, rules: Sequence[Rule]) -> Floats:
    """Return for each point a cost that the box of every group with one of its records has at least, by the rules.

    A group with l values has a record of each, so from each of its points it reaches as far as to the nearest record
    of the l-th nearest value. A rule on the largest share of a value needs l values, too.
    """
    floor = np.zeros(len(points))
    for rule in rules:
        least, codes = math.ceil(rule.l), np.unique(rule.codes[rule.codes >= 0])
        if least < 2 or not least <= len(codes) <= MOST_VALUES:
            continue
        to_value = np.empty((len(points), len(codes)))
        for place, code in enumerate(codes):
            held = np.unique(point_of[rule.codes == code])
            to_value[:, place] = Neighbors(points.take(held)).nearest(1, points.coordinates)[0][:, 0]
        to_value.partition(least - 1, axis=1)
        floor = np.maximum(floor, to_value[:, least - 1] * (1 - ROUNDING))
    return floor


def _costly_axes_first(space: Space) -> Space:
    """Return the same records with the axes on which cells cost most first, which ends comparisons early."""
    most = [
        axis.most if axis.farthest is not None else float(width)
        for axis, width in zip(space.axes, np.ptp(space.coordinates, axis=0), strict=True)
    ]
    order = np.argsort(-np.array(most), kind="stable")
    return replace(
        space,
        coordinates=np.ascontiguousarray(space.coordinates[:, order]),
        axes=tuple(space.axes[j] for j in order),
    )


def _first_offers(
    space: Space, points: Space, counts: Labels, point_of: Labels, labels: Labels, floor: Floats
) -> tuple[Floats, GroupPool]:
    """Return what the records of each point cost on average in the groups of `labels`, and these groups as a pool.

    Groups are sorted by their points, so that sums do not depend on the order of rows.
    """
    order = np.lexsort((point_of, labels))
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    parts.sort(key=lambda rows: tuple(point_of[rows].tolist()))
    order, sizes = np.concatenate(parts), np.array([len(rows) for rows in parts])
    starts = np.append(0, np.cumsum(sizes))
    each = np.maximum(
        cost_of_groups(space, order, starts[:-1]), np.maximum.reduceat(floor[point_of[order]], starts[:-1])
    )
    pool = GroupPool(counts)
    pool.add(point_of[order].astype(np.int32), starts, sizes * each, 1.0)
    return np.bincount(point_of[order], weights=np.repeat(each, sizes), minlength=len(points)) / counts, pool


def _near(points: Space, offers: Floats, unit: float, n_threads: int) -> Near:
    """Return the neighbors of each point, and how far they reach."""
    n = len(points)
    if n <= DENSE:
        return all_near(points, n_threads)
    spans = by_kind(points).spans
    order = np.lexsort(spans.T[::-1]) if spans.shape[1] else np.arange(n)
    records, ends, shared = by_kind(points.take(order)), *_runs(spans[order])
    reach = np.maximum(NEAR * unit, FAR * offers)[order]
    parts: dict[int, tuple[Ids, Floats, Labels]] = {}

    def run(start: int, stop: int) -> None:
        who, apart = np.empty((stop - start, LISTED), dtype=np.int32), np.empty((stop - start, LISTED))
        found = np.empty(stop - start, dtype=np.int64)
        near_records(records, ends, shared, start, stop, reach, who, apart, found)
        listed = np.arange(LISTED) < found[:, None]
        parts[start] = who[listed], apart[listed], found

    in_slots(run, n, n_threads, slot=64)
    who, apart, found = (np.concatenate(one) for one in zip(*(parts[at] for at in sorted(parts)), strict=True))
    # back from the sorted points to the order of `points`
    place = np.argsort(order)
    begins = (np.cumsum(found) - found)[place]
    starts = np.append(0, np.cumsum(found[place]))
    listed = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], np.diff(starts))
    return Near(starts, order[who[listed]].astype(np.int32), apart[listed], reach[place])


def _runs(rows: Floats) -> tuple[Ids, Ids]:
    """Return where the sorted rows that agree up to each column end, and how far each agrees with the one before."""
    n, width = rows.shape
    differs = np.ones((n, width), dtype=np.bool_)
    differs[1:] = np.logical_or.accumulate(rows[1:] != rows[:-1], axis=1)
    ends = np.full((n, width), n, dtype=np.int32)
    for column in range(width):
        first = np.flatnonzero(differs[:, column])
        ends[:, column] = np.repeat(np.append(first[1:], n), np.diff(np.append(first, n)))
    return ends, (width - differs.sum(axis=1)).astype(np.int32)


def all_near(points: Space, n_threads: int) -> Near:
    """Return all points as the neighbors of each."""
    n, records = len(points), by_kind(points)
    apart = np.empty((n, n))
    in_slots(lambda start, stop: pair_costs(records, start, stop, apart), n, n_threads, slot=64)
    who = np.broadcast_to(np.arange(n, dtype=np.int32), (n, n)).ravel()
    return Near(np.arange(0, n * n + 1, n), np.ascontiguousarray(who), apart.ravel(), np.full(n, np.inf))


class OffersOfGroups:
    """The points, their neighbors, and the search for groups that offer more than they cost."""

    def __init__(
        self, points: Space, counts: Labels, k: int, unit: float, floor: Floats, near: Near, n_threads: int
    ) -> None:
        self.points, self.counts, self.k, self.unit, self.floor = points, counts, k, unit, floor
        self.n_threads, self.near, self.many = n_threads, near, len(points) > DENSE
        self.records: RecordArrays = by_kind(points)
        self.charges = no_charges(len(points))

    def balanced(self, offers: Floats, pool: GroupPool, n_rounds: int) -> Floats | None:
        """Return offers that are nearly feasible and nearly as large as possible; None if that is hopeless."""
        everyone = np.arange(len(offers))
        for turn in range(n_rounds):
            offers = np.minimum(offers, self.near.reach)
            thorough = MANY_LIMIT if self.many else THOROUGH_LIMIT
            limit = LIMIT if turn < QUICK * n_rounds else thorough
            priced = self.priced(offers, _ranks(offers), offers, everyone, limit)
            if turn == 2 and (priced.most > priced.found).mean() > HOPELESS:
                return None
            self._add(priced.groups, pool)
            rounds = MANY_BALANCED if self.many else BALANCED
            offers = pool.balance(offers, self.near.reach, self.unit, rounds)
        return np.minimum(offers, self.near.reach)

    def _add(self, found: Ids, pool: GroupPool) -> None:
        """Add the groups to the pool that it does not know."""
        groups = pool.unknown(found)
        if len(groups):
            starts = np.arange(0, groups.size + 1, self.k)
            each = cost_of_groups(self.points, groups.ravel().astype(np.int64), starts[:-1])
            each = np.maximum(each, self.floor[groups].max(axis=1))
            pool.add(groups.ravel(), starts, self.k * each, 0.0)

    def tightened(self, offers: Floats, pool: GroupPool, rows: SubsetRows, n_rounds: int) -> Floats:
        """Return larger offers, as groups pay charges for the rows that those of the pool violate."""
        everyone = np.arange(len(offers))
        for turn in range(n_rounds):
            if turn in ROWS_AT:
                rows.add_violated(pool)
            rounds = MANY_BALANCED if self.many else BALANCED_ROWS
            offers = rows.balance(pool, offers, self.near.reach, self.unit, rounds)
            self.charges = rows.charges()
            if turn == n_rounds - 1:
                break
            ranks, is_last = _ranks(offers), turn >= n_rounds - LAST
            thorough = MANY_LIMIT if self.many else THOROUGH_LIMIT
            priced = self.priced(offers, ranks, offers, everyone, thorough if is_last else LIMIT)
            self._add(priced.groups, pool)
            if is_last:
                unsure = np.flatnonzero(priced.most > priced.found)
                priced = self.priced(offers, ranks, offers, unsure, MANY_PROOF if self.many else PROOF)
                self._add(priced.groups, pool)
        return offers

    def proved(self, offers: Floats) -> Floats:
        """Return feasible offers, none larger than the given ones."""
        ranks, reach, lowered = _ranks(offers), offers, offers.copy()
        anchors = np.arange(len(offers))
        for part in TRIES:
            lowered[anchors] = np.minimum(offers[anchors], part * offers[anchors])
            priced = self.priced(lowered, ranks, reach, anchors, MANY_PROOF if self.many else PROOF)
            open_ones = priced.most[anchors] > priced.found[anchors]
            ended = anchors[~open_ones]
            lowered[ended] -= priced.found[ended]
            anchors = anchors[open_ones]
            if not len(anchors):
                return lowered
        lowered[anchors] -= priced.most[anchors]
        return lowered

    def priced(self, offers: Floats, ranks: Labels, reach: Floats, anchors: Labels, limit: int) -> Priced:
        """Search around each of `anchors` for groups that offer more than they cost."""
        n, k = len(offers), self.k
        groups = np.full((n, SLOTS, k), -1, dtype=np.int32)
        found, most, work = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)
        near, least = self.near, TOLERANCE * self.unit

        def run(start: int, stop: int) -> None:
            price_groups(
                self.records, self.counts, k, offers, ranks, reach, self.floor, self.charges, near.starts, near.who,
                near.apart, anchors, start, stop, least, limit, groups, found, most, work,
            )  # fmt: skip

        in_slots(run, len(anchors), self.n_threads, slot=64)
        rows = groups.reshape(-1, k)
        return Priced(rows[rows[:, 0] >= 0], found, most, work)


def _ranks(offers: Floats) -> Labels:
    """Return the place of each offer in their ascending order."""
    ranks = np.empty(len(offers), dtype=np.int64)
    ranks[np.argsort(offers, kind="stable")] = np.arange(len(offers))
    return ranks
