"""Derive everything that shapes a published cell from the released rows only, so that cells reveal no suppressed row.

If rows were suppressed, the shape (see `pipeline.shape`) is derived again from the released rows. The groups are kept
if they remain valid in the new shape; otherwise the released rows are grouped again by themselves.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.clock import Clock
from shoal.errors import InfeasibleError
from shoal.partition.methods.cost import suppression_costs
from shoal.partition.result import Floats, Labels, Partition, share_of
from shoal.pipeline.groups import make_groups, of_all_rows
from shoal.pipeline.shape import Shape, subset
from shoal.pipeline.task import Task, build_task
from shoal.policy import Policy

DERIVING_ROUNDS = 3
"""How often groups are made again because rows were suppressed; after that, no more rows may be suppressed."""
AGAIN = 0.2
"""The share of the time limit that making groups again may take each time."""


def restrict_to_released(
    task: Task, partition: Partition, clock: Clock, rounds: int = DERIVING_ROUNDS
) -> tuple[Task, Partition]:
    """Return the task with its shape derived from the released rows only, and the groups in that shape.

    If the released rows must be grouped again, as many more may be suppressed as the policy still allows. If that is
    infeasible, no row is suppressed at all, and the shape is that of all rows.
    """
    if not partition.n_suppressed:
        return task, partition
    kept = np.flatnonzero(partition.labels >= 0)
    try:
        shape = _shape_of(task, kept, clock)
        if shape.takes_groups_of(task.whole, whole_columns=task.choice.whole_columns):
            return replace(task, shape=shape), _in_units_of(task, shape, partition, kept)
        asked = _asked_of_others(task, partition, len(kept), rounds)
        inner = build_task(task.table.taken(kept), asked, task.secret, clock)
        with clock("groups"):
            again = make_groups(inner)
        inner, again = restrict_to_released(inner, again, clock, rounds - 1)
    except InfeasibleError:
        with clock("groups"):
            return task, of_all_rows(make_groups(task.with_max_suppressed(0.0)))
    levels = {
        "seed": task.secret.seed,
        "max_suppressed": task.policy.max_suppressed,
        "time_limit": task.policy.time_limit,
    }
    whole = _with_suppressed(again, partition, kept, suppression_costs(task.choice, task.space))
    return replace(task, policy=inner.policy.model_copy(update=levels), shape=inner.shape), whole


def reshape_to_released(task: Task, partition: Partition, clock: Clock) -> Task:
    """Return the task with its shape derived from the rows in the groups only, for groups that must not change."""
    if not partition.n_suppressed:
        return task
    return replace(task, shape=_shape_of(task, np.flatnonzero(partition.labels >= 0), clock))


def _shape_of(task: Task, kept: Labels, clock: Clock) -> Shape:
    """Return the shape derived from the rows `kept` only."""
    with clock("points"):
        people = subset(task.problem.records.people, kept)
        return Shape.of(task.table.frame[kept], task.asked, task.choice, people)


def _asked_of_others(task: Task, partition: Partition, n_kept: int, rounds: int) -> Policy:
    """Return the policy for grouping the released rows again, with what is left of `max_suppressed` and less time."""
    left = share_of(task.policy.max_suppressed, len(partition.labels)) - partition.n_suppressed
    limit = task.policy.time_limit
    return task.asked.model_copy(
        update={
            "max_suppressed": max(left, 0) / n_kept if rounds else 0.0,
            "time_limit": None if limit is None else AGAIN * limit,
        }
    )


def _with_suppressed(again: Partition, before: Partition, kept: Labels, price: Floats) -> Partition:
    """Return groups of the rows `kept` as a partition of all rows; the other rows are suppressed, as in `before`.

    Each of them costs its `price`.
    """
    labels = np.full(len(before.labels), -1, dtype=np.int64)
    labels[kept] = again.labels
    around = again.centers is not None and again.centers.ndim == 1
    return again.without_claim(
        f"{before.n_suppressed} rows were left out, and the others were grouped by themselves",
        labels=labels,
        cost=again.cost + math.fsum(price[before.labels < 0]),
        lower_bound=0.0,
        theorem_cost=None,
        centers=kept[np.asarray(again.centers, dtype=np.int64)] if around else None,
        outlier_curve=before.outlier_curve or again.outlier_curve,
    )


def _in_units_of(task: Task, shape: Shape, partition: Partition, kept: Labels) -> Partition:
    """Return the partition with released rows as centers and with radii in the units of the released rows."""
    if not task.choice.minimized.around_records or partition.centers is None:
        return partition
    from shoal.partition.radius.gather import best_centers, radii_around

    partition = replace(partition, notes=(*partition.notes, "radii are published in units of the released rows"))
    space, labels = shape.built.space, partition.labels[kept]
    own = np.asarray(partition.centers, dtype=np.int64)
    if np.isin(own, kept).all():
        return replace(partition, radii=radii_around(space, labels, np.searchsorted(kept, own)))
    centers, radii = best_centers(space, labels)
    return replace(partition, centers=kept[centers], radii=radii)
