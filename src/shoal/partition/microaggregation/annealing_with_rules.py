"""Simulated annealing under the squared error for groups that must keep meeting requirements beyond k.

Problem     given groups of at least k records and rules on their sensitive values and people, lower their squared
            error.
Guarantee   the squared error never rises; every group keeps at least k records, and no group misses a rule by more
            than before. How much is gained is not proved.
Complexity  O(effort x n) proposals of O(d), and O(size^2) for the rules if the error alone would accept one.
            Deterministic for a seed and independent of the order of rows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from shoal.effort import SQUARED_ERROR_AFTER_REPAIR
from shoal.kernels.generalization_groups import Groups, Rules
from shoal.kernels.sse_annealing import AnnealingState, measure_all
from shoal.kernels.sse_annealing_with_rules import anneal_ruled
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.annealing import members_of, neighbor_lists
from shoal.partition.microaggregation.sse import sse
from shoal.partition.result import Floats, Labels
from shoal.partition.rules import Regrouped, Rule

HOT, COLD = 0.5, 0.02
"""Temperatures at the start and the end, in units of the mean error of a record."""
CHUNKS = 32
"""Parts of the search, between which the deadline is checked; the last third accepts only improvements."""


def regroup_squared(
    points: Floats,
    labels: Labels,
    k: int,
    rules: Sequence[Rule],
    *,
    seed: int = 0,
    effort: float | None = None,
    time_limit: float | None = None,
) -> Regrouped:
    """Return groups of at least `k` with a squared error of at most that of `labels`, which suppress no record.

    The result says whether the `time_limit` (seconds) ended the search early.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    n = len(points)
    cost = float(sse(points, labels))
    if cost == 0 or n <= k or not points.shape[1]:
        return Regrouped(labels, False)
    order = np.lexsort([*(rule.codes for rule in reversed(rules)), *points.T[::-1]]).astype(np.int64)
    own = np.ascontiguousarray(points[order] - points.mean(axis=0))
    first = number_groups(labels[order])
    asked = Rules(
        codes=np.stack([rule.codes[order] for rule in rules], axis=1) if rules else np.zeros((n, 0), dtype=np.int64),
        at_least=np.array([rule.l for rule in rules], dtype=np.float64),
        shares=np.array([rule.share for rule in rules], dtype=np.bool_),
        price=0.0,
    )
    rng = np.random.default_rng(seed)
    size = np.bincount(first)
    member = members_of(first, max(int(size.max()), 2 * k - 1) + 1)
    state = AnnealingState(
        own,
        neighbor_lists(own, k),
        first,
        np.empty(n, dtype=np.int64),
        member,
        size.astype(np.int64),
        np.zeros((len(size), own.shape[1])),
        rng.integers(1, 2**63, 1).astype(np.uint64),
    )
    measure_all(state)
    ruled = Groups(
        label=state.label,
        members=member,
        size=state.size,
        extent=np.zeros(len(size)),
        deficit=np.zeros(len(size)),
        ends=np.zeros((len(size), 0, 4)),
        bits=np.zeros((len(size), 0, 2), dtype=np.uint64),
    )
    work = SQUARED_ERROR_AFTER_REPAIR.for_records(n) if effort is None else effort
    steps, hot, cold = int(work * n) // CHUNKS, HOT * cost / n, COLD * cost / n
    hottest = CHUNKS * 2 // 3
    timed_out = False
    for chunk in range(CHUNKS):
        timed_out = time.monotonic() > deadline
        if timed_out:
            break
        temperatures = [hot * (cold / hot) ** (at / hottest) if chunk < hottest else 0.0 for at in (chunk, chunk + 1)]
        anneal_ruled(state, asked, ruled, k, steps, *temperatures)
    found = np.empty(n, dtype=np.int64)
    found[order] = state.label
    return Regrouped(found if sse(points, found) < cost else labels, timed_out)
