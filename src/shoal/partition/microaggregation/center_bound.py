"""A lower bound on the loss around centers of every partition, by column generation and a search over centers.

Problem     records that are published as the means, medians and modes of their groups; a lower bound on the loss of
            all partitions into groups of at least k.
Guarantee   at most the optimum, however early the search ends: theorem SSE-5, docs/proofs/microaggregation.md. Every
            round gives a valid bound and the best one is kept.
Complexity  a round searches over all centers by branch and bound, which is fast for labels and a few columns of
            numbers, and balances the duals over the groups found so far. Work is limited by counts, never by a
            clock; deterministic, and equal for any number of threads and any order of rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.center_pricing import price_centers
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.group_pool import GroupPool
from shoal.partition.microaggregation.centers import FEW_LINES, center_arrays
from shoal.partition.microaggregation.column_generation import proved_sum
from shoal.partition.microaggregation.group_loss import STEPS, MixedLoss, least_shares
from shoal.partition.microaggregation.sse import SMALLEST
from shoal.partition.mixed_duals import MixedDuals
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

Ids = npt.NDArray[np.int32]

ROUNDS, BALANCED = 40, 200
"""Rounds of looking for groups at most, and rounds of the primal-dual method after each of them."""
GAP = 0.01
"""The search ends when the bound is within this part of the value of the groups found so far."""
WORK, WORK_PER_RECORD = 400_000_000, 30_000
"""Candidates and cells of groups that are looked at, in all rounds and parts together."""
MANY_LINES = 0.25
"""With more than FEW_LINES columns of numbers the search gets this part of the work."""
SHARES, HOPELESS = 8, 4
"""A single round may look at one of SHARES of these. If the search of the first round does not end, or those of
HOPELESS rounds do not, there is no further one."""
PARTS, FEW_LARGE = 8, 2
"""Parts of a search over centers, which are divided among threads; each may look at one of FEW_LARGE of the
candidates of its round, because a few parts have most of them."""
TOLERANCE, CLOSE = 1e-7, 1e-3
"""Groups count if their duals exceed their loss by more than TOLERANCE, and a search among some centers ends when it
is known to CLOSE by how much; both in units of the mean loss of k records."""


def center_bound(space: Space, k: int, labels: Labels, *, effort: float = 1.0, n_threads: int = 1) -> CenterBound:
    """Return a lower bound on the loss of every partition into groups of at least `k`. Expects n >= k >= 2.

    The search starts from the groups of `labels`; `effort` multiplies the work that it may take.
    """
    points, counts, point_of = space.distinct()
    search = _Search(points, counts, k, n_threads)
    first = np.empty(len(points), dtype=np.int64)
    first[point_of] = np.arange(len(space))
    shares = least_shares(space, k, n_threads)[first]
    duals = search.begin(space, point_of, labels)
    roundings = 4 * len(space.axes) * (STEPS + 1)
    most = effort * (WORK + WORK_PER_RECORD * len(space))
    if search.arrays.numbers.shape[1] > FEW_LINES:
        most *= MANY_LINES
    left, unended = most, 0
    if not np.isfinite(duals).all() or search.unit * len(space) < SMALLEST:
        return CenterBound(0.0, np.zeros(len(space)))
    mixed = MixedDuals(shares, proved_sum(shares[point_of], shares, roundings, k))
    with progress.step("bounding the loss") as advance:
        for turn in range(ROUNDS):
            trial = mixed.with_those_of(duals)
            feasible, work, ended = search.priced(trial, limit=int(min(left, most / SHARES)))
            advance(1)
            left -= work
            unended += not ended
            mixed.tried(feasible, proved_sum(feasible[point_of], trial, roundings, k))
            if left <= 0 or unended == HOPELESS or unended > turn:
                break
            duals = search.pool.balance(duals, np.full(len(points), np.inf), search.unit, BALANCED)
            if float(counts @ duals) - mixed.best <= GAP * mixed.best:
                break
    return CenterBound(mixed.best, mixed.feasible[point_of])


class CenterBound(NamedTuple):
    """The bound, and the dual of every record: no k records lose less, as a group, than their duals add up to.

    The latter is up to rounding, which is taken off the bound.
    """

    value: float
    duals: Floats


class _Search:
    """The points, the groups found so far, and the search for groups whose duals exceed their loss."""

    def __init__(self, points: Space, counts: Labels, k: int, n_threads: int) -> None:
        self.arrays = center_arrays(points, np.minimum(counts, k), at_most=True)
        self.loss, self.pool = MixedLoss(points), GroupPool(counts)
        self.k, self.n_threads, self.unit = k, n_threads, 0.0

    def begin(self, space: Space, point_of: Labels, labels: Labels) -> Floats:
        """Add the groups of `labels`, and return what the records of each point lose in them on average."""
        order = np.lexsort((point_of, labels))
        sizes = np.bincount(labels)
        lost = MixedLoss(space).of_groups(order, labels[order])
        # sorted by their points, so that sums do not depend on the order of rows
        parts = np.split(point_of[order], np.cumsum(sizes)[:-1])
        place = sorted(range(len(parts)), key=lambda at: tuple(parts[at].tolist()))
        members = np.concatenate([parts[at] for at in place])
        sizes, lost = sizes[place], lost[place]
        self.pool.add(members.astype(np.int32), np.append(0, np.cumsum(sizes)), lost, 1.0)
        self.unit = math.fsum(lost) / len(space)
        each = np.bincount(members, weights=np.repeat(lost / sizes, sizes), minlength=len(self.pool.counts))
        first: Floats = each / self.pool.counts
        return first

    def priced(self, duals: Floats, *, limit: int) -> tuple[Floats, int, bool]:
        """Add groups whose duals exceed their loss; return feasible duals, the work, and whether the search ended."""
        n, k = len(duals), self.k
        found = np.full((PARTS, n + 64, k), -1, dtype=np.int32)
        lowered = np.zeros((PARTS, n))
        told = np.zeros((PARTS, 2), dtype=np.int64)
        least, close = TOLERANCE * self.unit * k, CLOSE * self.unit * k

        def run(start: int, stop: int) -> None:
            for part in range(start, stop):
                told[part] = price_centers(
                    self.arrays, duals, k, least, close, limit // FEW_LARGE, part, PARTS, found[part], lowered[part]
                )

        in_slots(run, PARTS, self.n_threads, slot=1)
        groups = self.pool.unknown(found[found[:, :, 0] >= 0])
        if len(groups):
            members = groups.ravel()
            lost = self.loss.of_groups(members.astype(np.int64), np.repeat(np.arange(len(groups)), k))
            self.pool.add(members, np.arange(0, groups.size + 1, k), lost, 0.0)
        return duals - lowered.max(axis=0) - least / k, int(told[:, 0].sum()), not told[:, 1].any()
