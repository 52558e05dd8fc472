"""A lower bound on the loss of every partition by column generation, in about the time of a search.

Problem     a lower bound on the squared error of all partitions into groups of at least k, n >= 2k, from the
            distances of all pairs.
Guarantee   at most the optimum: theorem SSE-2, docs/proofs/microaggregation.md. Every round gives a valid bound and
            the best one is kept.
Complexity  O(n^2) memory; a round searches around every record with limited work, and balances the duals over the
            groups found so far by a primal-dual method. Nothing depends on the clock or on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from shoal import progress
from shoal.partition.group_pool import GroupPool, Ids
from shoal.partition.microaggregation.annealing import members_of
from shoal.partition.microaggregation.column_generation import TOLERANCE, Prices, slack
from shoal.partition.result import Floats, Labels

ROUNDS, BALANCED = 11, 400
"""Rounds of looking for groups, and rounds of the primal-dual method after each of them."""
LIMIT, PROOF = 1000, 20_000
"""Candidates looked at around a record for one size of group at most: in a round, and in the last one."""
EVERYONE = 3
"""Rounds from one in which all records are looked at to the next."""


def pool_bound(square: Floats, k: int, labels: Labels, terms: int, *, rounds: int = ROUNDS, n_threads: int) -> float:
    """Return a lower bound on the sum over groups of what their pairs of `square` add up to, divided by their size.

    `square` has the squared distances of all pairs, each with at most `terms` roundings. The search starts from the
    groups of `labels`.
    """
    n = len(square)
    sizes = np.bincount(labels)
    duals: Floats = np.where(labels[:, None] == labels, square, 0.0).sum(axis=1) / (2 * sizes[labels])
    unit = math.fsum(duals) / n
    if unit == 0:
        return 0.0
    square, duals = square / unit, duals / unit
    prices, pool = Prices.of(square, k), GroupPool(np.ones(n, dtype=np.int64))
    groups = pool.unknown(members_of(labels, int(sizes.max()))[sizes < 2 * k, : 2 * k - 1])
    _add(pool, groups, _costs(square, groups), 1.0)
    free, best, kept = np.full(n, np.inf), -math.inf, duals
    some: Labels | None = None
    with progress.step("bounding the error") as advance:
        for turn in range(rounds):
            last = turn == rounds - 1
            found, least, bound = prices.search(duals, PROOF if last else LIMIT, math.inf, n_threads, some)
            advance(1)
            total = math.fsum(duals + bound)
            if total > best:
                best, kept = total, duals + bound
            if last:
                break
            fresh = pool.unknown(found)
            _add(pool, fresh, _costs(square, fresh), 0.0)
            duals = pool.balance(duals, free, 1.0, BALANCED)
            # records around which there was nothing to find are looked at again in every third round, and in the last
            everyone = turn % EVERYONE == EVERYONE - 1 or turn == rounds - 2
            some = None if everyone else np.flatnonzero(least < -TOLERANCE)
    return max(0.0, best - slack(kept, terms, k)) * unit


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
