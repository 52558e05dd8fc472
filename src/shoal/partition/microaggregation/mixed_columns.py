"""Microaggregation on columns of any kind, or by any measure of loss.

Problem     split n records into groups of at least k, minimizing the sum of the groups' losses: squared error of
            numbers, distance to the median of ordered values, records that differ from the mode of labels; or a loss
            given by the user.
Guarantee   heuristics: no ratio is proved. On mixed columns a lower bound is reported (theorems
            SSE-3 and SSE-5, docs/proofs/microaggregation.md); for a given loss no bound is known.
Complexity  that of the method on points that represent the records; "best" then exchanges records between groups.

Notes
-----
The squared error of a group of m of these points is m / 2 times the mean distance between its records. On columns
with means this is the loss itself; on columns with medians and modes it is between the loss and twice the loss. So a
method for squared error gives good groups, and "best" continues from them with the loss itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Literal

import numpy as np

from shoal.effort import SQUARED_ERROR
from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.centers import MOST_K, MOST_RECORDS, few_labels
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
"""Limits on the rounds of exchanges by the loss of whole groups: at most FEW per row, and for more than MANY rows
fewer in proportion. Otherwise their number is the effort."""
FIRST_SHARE, SMALL_K, FEW_COLUMNS = 0.1, 10, 20
"""Share of the effort that the search for little squared error gets at least; above k = SMALL_K or FEW_COLUMNS it
gets more, because proposals under the loss itself take longer for large groups and for many columns."""
MOST_BOUND = 4.0
"""The most that the bound "groups" works, in units of its usual work."""


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
    bound: str | Literal[False],
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
        labels, timed_out = _searched(records, own, points, k, seed, effort, time_limit, n_threads)
    cost, total = loss_of(own, labels), loss_of(own, whole)
    if not np.isfinite(cost):
        raise ParameterError(
            "the loss of a group is not a finite number.", "check the function that was given as loss."
        )
    lower, kind = 0.0, None
    if bound and loss is None:
        lower, kind = _least_loss(records, k, labels, cost, bound, effort, n_threads)
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
            bound=kind,
        ),
    )


def _least_loss(
    records: Space, k: int, labels: Labels, cost: float, bound: str, effort: float, n_threads: int
) -> tuple[float, str]:
    """Return a lower bound on the loss of every partition, given one of them and its cost; and the bound's name.

    With fewer than 2k records there is only one, whose cost is the bound. It is 0 if underflow might have raised it.
    """
    n = len(records)
    if n < 2 * k:
        return without_underflow(single_group_bound(cost, n, len(records.axes))), "optimum"
    quick = mixed_bound(records, k, n_threads=n_threads)
    if bound == "groups" and n <= MOST_RECORDS and k <= MOST_K and few_labels(records):
        from shoal.partition.microaggregation.center_bound import center_bound

        work = min(effort / SQUARED_ERROR.usual, MOST_BOUND)
        sharper = without_underflow(center_bound(records, k, labels, effort=work, n_threads=n_threads).value)
        if sharper > quick:
            return min(sharper, cost), "groups"
    return min(quick, cost), "neighbors"


def _searched(
    records: Space,
    loss: GroupLoss,
    points: Floats,
    k: int,
    seed: int,
    effort: int,
    time_limit: float | None,
    n_threads: int,
) -> tuple[Labels, bool]:
    """Return groups of small squared error, improved under the loss itself; and whether the search timed out.

    The first step gets the `FIRST_SHARE` of the effort, and a quarter of the time limit. A loss of one's own,
    columns with missing values and columns of very many labels need exchanges that compute the loss of whole groups.
    """
    from shoal.partition.microaggregation.annealing import neighbor_lists
    from shoal.partition.microaggregation.best import improve  # imported here because it loads much of scipy
    from shoal.partition.microaggregation.center_search import search_centers

    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    mixed = isinstance(loss, MixedLoss) and few_labels(records)
    share = min(1.0, SMALL_K / k) * min(1.0, FEW_COLUMNS / len(records.axes)) if mixed else 0.0
    quick = max(1, int(effort * max(FIRST_SHARE, 1.0 - share)))
    soon = None if time_limit is None else time_limit / 4
    found = improve(points, k, seed=seed, effort=quick, time_limit=soon, n_threads=n_threads)
    near = neighbor_lists(points, k, n_threads)
    labels, timed_out = min(found.labels, mdav(points, k), key=lambda labels: loss_of(loss, labels)), found.timed_out
    if mixed and not timed_out:
        labels, timed_out = search_centers(
            records,
            near,
            labels,
            k,
            seed=seed,
            effort=math.ceil(share * effort),
            deadline=deadline,
            n_threads=n_threads,
        )
    if not mixed or any(axis.gaps for axis in records.axes):
        n = len(points)
        rounds = max(1, min(effort, FEW * n, effort * MANY // n))
        labels, stopped = exchange_by_loss(loss, near, labels, k, seed=seed, rounds=rounds, deadline=deadline)
        timed_out = timed_out or stopped
    return labels, timed_out
