"""Groups of at least k records with little loss, on columns of any kind or by any measure.

Problem     split n records into groups of at least k, minimizing the sum of the groups' losses: squared error of
            numbers, distance to the median of ordered values, records unlike the mode for labels; or a given loss.
Guarantee   heuristics: no ratio. On mixed columns a lower bound is reported (theorem SSE-3,
            docs/proofs/microaggregation.md); of a loss that was given nothing is known.
Complexity  that of the method on points that stand for the records; "best" then exchanges records between groups.

Notes
-----
On the points, a group's squared error is half the mean distance between its records, n of them: between the loss of
the group and twice that on medians and modes, the loss itself on means. So any method for squared error groups well;
"best" goes on from there with the loss itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.microaggregation.group_loss import (
    GroupLoss,
    MixedLoss,
    OneByOne,
    as_points,
    loss_of,
    mixed_bound,
)
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.mixed_search import exchange
from shoal.partition.microaggregation.sse import rounded_down, sort_points
from shoal.partition.result import Floats, Labels, Partition, number_groups
from shoal.space.space import Space

OwnLoss = GroupLoss | Callable[[Labels], float]
"""A `GroupLoss`, or a function of the rows of one group."""
FEW, MANY = 4, 10_000
"""Rounds of exchanges by the loss itself: as the effort says, but at most FEW per row, and less beyond MANY rows."""


class _InOrder:
    """A loss of the rows of the input, for records in another order."""

    def __init__(self, loss: GroupLoss, order: Labels) -> None:
        self.loss, self.order = loss, order

    def of_groups(self, rows: Labels, groups: Labels) -> Floats:
        return self.loss.of_groups(self.order[rows], groups)


def aggregate_mixed(
    space: Space,
    k: int,
    *,
    method: str,
    grouping: Callable[[Floats, int, int], Labels] | None,
    loss: OwnLoss | None,
    seed: int,
    effort: int,
    time_limit: float | None,
    n_threads: int,
    bound: bool,
    keep_order: bool = False,
) -> Partition:
    """Groups by `grouping` of the points that stand for `space`, or (None) by the search of "best"."""
    n = len(space)
    if n < k:
        raise InfeasibleError.too_few_rows(n, k)
    order = np.arange(n) if keep_order else space.canonical_order()
    records = space.take(order)
    own: GroupLoss = MixedLoss(records)
    if loss is not None:
        own = _InOrder(loss if hasattr(loss, "of_groups") else OneByOne(loss), order)
    whole = np.zeros(n, dtype=np.int64)
    points = sort_points(as_points(records), keep_order=True).points
    stopped = False
    if n < 2 * k:
        labels = whole
    elif grouping is not None:
        labels = grouping(points, k, n_threads)
    else:
        labels, stopped = _searched(own, points, k, seed, effort, time_limit, n_threads)
    cost, total = loss_of(own, labels), loss_of(own, whole)
    if not np.isfinite(cost):
        raise ParameterError(
            "the loss of a group is not a finite number.", "check the measure of loss that was given."
        )
    lower = 0.0
    if bound and loss is None:
        lower = rounded_down(cost, n + 8) if n < 2 * k else min(mixed_bound(records, k, n_threads=n_threads), cost)
    restored = np.empty_like(labels)
    restored[order] = labels
    return Partition(
        labels=number_groups(restored),
        method=method,
        objective="loss",
        cost=cost,
        lower_bound=lower,
        notes=(f"the search was stopped by the time limit of {time_limit} s",) if stopped else (),
        details={"loss": 100 * cost / total if total else 0.0, "total": total}
        | ({"bound": "optimum" if n < 2 * k else "neighbors"} if bound and loss is None else {})
        | ({"timed_out": True} if stopped else {}),
    )


def _searched(
    loss: GroupLoss, points: Floats, k: int, seed: int, effort: int, time_limit: float | None, n_threads: int
) -> tuple[Labels, bool]:
    """Little squared error first, then exchanges by the loss itself; a time limit is shared half and half."""
    from shoal.partition.microaggregation.annealing import neighbor_lists
    from shoal.partition.microaggregation.best import improve  # brings integer programs with much of scipy

    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    half = None if time_limit is None else time_limit / 2
    found = improve(points, k, seed=seed, effort=effort, time_limit=half, n_threads=n_threads)
    near = neighbor_lists(points, k, n_threads)
    start = min(found.labels, mdav(points, k), key=lambda labels: loss_of(loss, labels))
    n = len(points)
    rounds = max(1, min(effort, FEW * n, effort * MANY // n))
    labels, stopped = exchange(loss, near, start, k, seed=seed, rounds=rounds, deadline=deadline)
    return labels, stopped or found.stopped
