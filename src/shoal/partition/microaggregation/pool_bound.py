"""A lower bound on the loss of every partition by column generation, in about the time of a search.

Problem     a lower bound on the squared error of all partitions into groups of at least k, from the distances of all
            pairs.
Guarantee   at most the optimum: theorem SSE-4, docs/proofs/microaggregation.md. Every round gives a valid bound and
            the best one is kept; it is never below that of the nearest neighbors (SSE-1) by more than rounding.
Complexity  O(n^2) memory; a round searches around every record with limited work, and balances the duals over the
            groups found so far by a primal-dual method. Nothing depends on the clock or on the number of threads.

Notes
-----
Only groups of exactly k records are looked for: a larger group costs at least as much per record as its parts of k
records do on average, so duals that no k records exceed are exceeded by no larger group.
"""

from __future__ import annotations

import math

import numpy as np

from shoal import progress
from shoal.partition.group_pool import GroupPool, Ids
from shoal.partition.microaggregation.annealing import members_of
from shoal.partition.microaggregation.column_generation import Prices, proved_sum
from shoal.partition.microaggregation.sse import SMALLEST
from shoal.partition.mixed_duals import MixedDuals
from shoal.partition.result import Floats, Labels

ROUNDS, BALANCED = 25, 400
"""Rounds of looking for groups at most, and rounds of the primal-dual method after each of them."""
LIMIT, PROOF = 20_000, 100_000
"""Candidates looked at around a record at most: in a round, and in the last one."""
GAP = 1e-9
"""The search ends when the bound is within this part of the value of the groups found so far."""
HOPELESS, TRIED = 0.7, 3
"""If the search around more than this share of the records has not ended in round TRIED, no other round follows."""


def pool_bound(square: Floats, k: int, labels: Labels, terms: int, *, rounds: int = ROUNDS, n_threads: int) -> float:
    """Return a lower bound on the sum over groups of what their pairs of `square` add up to, divided by their size.

    `square` has the squared distances of all pairs, each with at most `terms` roundings. The search starts from the
    groups of `labels`.
    """
    n = len(square)
    sizes = np.bincount(labels)
    duals: Floats = np.where(labels[:, None] == labels, square, 0.0).sum(axis=1) / (2 * sizes[labels])
    unit = math.fsum(duals) / n
    if unit * n < SMALLEST:
        return 0.0
    square, duals = square / unit, duals / unit
    prices, pool = Prices.of(square, k), GroupPool(np.ones(n, dtype=np.int64))
    shares = prices.near[:, k - 1] / k
    groups = pool.unknown(members_of(labels, int(sizes.max()))[sizes < 2 * k, : 2 * k - 1])
    _add(pool, groups, _costs(square, groups), 1.0)
    free = np.full(n, np.inf)
    mixed = MixedDuals(shares, proved_sum(shares, shares, terms, k))
    with progress.step("bounding the error") as advance:
        for turn in range(rounds):
            trial = mixed.with_those_of(duals)
            found, least, low = prices.search(
                trial, PROOF if turn == rounds - 1 else LIMIT, math.inf, n_threads, largest=k
            )
            advance(1)
            # a record whose dual is at most its share in the neighbor bound is no anchor: it needs no search
            feasible = np.maximum(trial + low, np.minimum(trial, shares))
            mixed.tried(feasible, proved_sum(feasible, trial, terms, k))
            fresh = pool.unknown(found)
            _add(pool, fresh, _costs(square, fresh), 0.0)
            duals = pool.balance(duals, free, 1.0, BALANCED)
            if math.fsum(duals) - mixed.best <= GAP * mixed.best:
                break
            if turn == TRIED - 1 and (low < least).mean() > HOPELESS:
                break
    return mixed.best * unit


def _costs(square: Floats, groups: Ids) -> Floats:
    """Return what the pairs of each row of `groups`, padded with -1, add up to, divided by the size of the group."""
    total, real = np.zeros(len(groups)), groups >= 0
    for a in range(groups.shape[1]):
        for b in range(a):
            total += np.where(real[:, a] & real[:, b], square[groups[:, a], groups[:, b]], 0.0)
    costs: Floats = total / real.sum(axis=1)
    return costs


def _add(pool: GroupPool, groups: Ids, costs: Floats, opened: float) -> None:
    """Add rows of `groups`, padded with -1, to the pool."""
    real = groups >= 0
    starts = np.concatenate(([0], np.cumsum(real.sum(axis=1)))).astype(np.int64)
    pool.add(groups[real], starts, costs, opened)
