"""Microaggregation on columns of any kind, or by any measure of loss.

Problem     split n records into groups of at least k, minimizing the sum of the groups' losses: squared error of
            numbers, distance to the median of ordered values, records that differ from the mode of labels; or a loss
            given by the user.
Guarantee   heuristics: no ratio is proved. On mixed columns a lower bound is reported (theorem SSE-3,
            docs/proofs/microaggregation.md); for a given loss no bound is known.
Complexity  that of the method on points that represent the records; "best" then exchanges records between groups.

Notes
-----
The squared error of a group of m of these points is m / 2 times the mean distance between its records. On columns
with means this is the loss itself; on columns with medians and modes it is between the loss and twice the loss. So a
method for squared error gives good groups, and "best" continues from them with the loss itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.group_loss import (
    GroupLoss,
    MixedLoss,
    OneByOne,
    as_points,
    loss_of,
    mixed_bound,
)
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.mixed_search import exchange_by_loss
from shoal.partition.microaggregation.sse import single_group_bound, sort_points, without_underflow
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.space.space import Space

OwnLoss = GroupLoss | Callable[[Labels], float]
"""A `GroupLoss`, or a function of the rows of one group."""
FEW, MANY = 4, 10_000
"""Limits on the rounds of exchanges by the loss itself: at most FEW per row, and for more than MANY rows fewer in
proportion. Otherwise their number is the effort."""


class _InOrder:
    """A loss that is defined on the input's rows, applied to records in another order."""

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
    """Return the groups that `grouping` gives for points that represent `space`; without it, those of "best"."""
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
    timed_out = False
    if n < 2 * k:
        labels = whole
    elif grouping is not None:
        labels = grouping(points, k, n_threads)
    else:
        labels, timed_out = _searched(own, points, k, seed, effort, time_limit, n_threads)
    cost, total = loss_of(own, labels), loss_of(own, whole)
    if not np.isfinite(cost):
        raise ParameterError(
            "the loss of a group is not a finite number.", "check the function that was given as loss."
        )
    lower = 0.0
    if bound and loss is None:
        lower = _least_loss(records, k, cost, n_threads)
    restored = np.empty_like(labels)
    restored[order] = labels
    return Partition(
        labels=number_groups(restored),
        method=method,
        objective="loss",
        cost=cost,
        lower_bound=lower,
        notes=(f"the search was stopped by the time limit of {time_limit} s",) if timed_out else (),
        timed_out=timed_out,
        details=Details(
            loss=100 * cost / total if total else 0.0,
            total=total,
            bound=None if not bound or loss is not None else "optimum" if n < 2 * k else "neighbors",
        ),
    )


def _least_loss(records: Space, k: int, cost: float, n_threads: int) -> float:
    """Return a lower bound on the loss of every partition, given the cost of one.

    With fewer than 2k records there is only one, whose cost is the bound. It is 0 if underflow might have raised it.
    """
    if len(records) < 2 * k:
        return without_underflow(single_group_bound(cost, len(records), len(records.axes)))
    return min(mixed_bound(records, k, n_threads=n_threads), cost)


def _searched(
    loss: GroupLoss, points: Floats, k: int, seed: int, effort: int, time_limit: float | None, n_threads: int
) -> tuple[Labels, bool]:
    """Return groups of small squared error, improved by exchanges under the loss itself; and whether it timed out.

    Each of the two steps gets half of the time limit.
    """
    from shoal.partition.microaggregation.annealing import neighbor_lists
    from shoal.partition.microaggregation.best import improve  # imported here because it loads much of scipy

    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    half = None if time_limit is None else time_limit / 2
    found = improve(points, k, seed=seed, effort=effort, time_limit=half, n_threads=n_threads)
    near = neighbor_lists(points, k, n_threads)
    start = min(found.labels, mdav(points, k), key=lambda labels: loss_of(loss, labels))
    n = len(points)
    rounds = max(1, min(effort, FEW * n, effort * MANY // n))
    labels, timed_out = exchange_by_loss(loss, near, start, k, seed=seed, rounds=rounds, deadline=deadline)
    return labels, timed_out or found.timed_out
