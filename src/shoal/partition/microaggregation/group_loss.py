"""The loss of a group whose records are all published as one: on mixed columns, or by a user's own measure.

Problem     measure what is lost when every record of a group is published as its mean, median or mode.
Guarantee   `mixed_bound` is at most the loss of every partition into groups of at least k: theorem SSE-3,
            docs/proofs/microaggregation.md. It is rounded down.
Complexity  a loss takes one sort per axis; the bound one query of k - 1 nearest neighbors per record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from shoal.partition.microaggregation.missing_values import least_beside, loss_with_gaps, lost_by_each, missing_on
from shoal.partition.microaggregation.sse import off_mean, rounded_down, sse_of_groups, without_underflow
from shoal.partition.result import Floats, Labels
from shoal.space.group_centers import line_medians, tree_medians
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, Axis, Space

STEPS = 16
"""Largest number of coordinates that stand for an axis with medians, so that its distances become squared ones."""
CODE = 12
"""Largest number of coordinates that stand for one level of a hierarchy: one per node, or random codes of this length
if there are more nodes."""


class GroupLoss(Protocol):
    """A measure of loss that is computed for many groups at once."""

    def of_groups(self, rows: Labels, groups: Labels) -> Floats:
        """Return the loss of each group. `rows[i]` is in `groups[i]`; groups are 0, 1, ... in ascending order."""


class OneByOne:
    """A `GroupLoss` made of a function of the rows of one group; slower than one that takes all groups at once."""

    def __init__(self, function: Callable[[Labels], float]) -> None:
        self.function = function

    def of_groups(self, rows: Labels, groups: Labels) -> Floats:
        parts = np.split(rows, np.flatnonzero(np.diff(groups)) + 1)
        return np.array([self.function(part) for part in parts], dtype=np.float64)


class MixedLoss:
    """The loss on mixed columns: squared error on lines, distance to the median on ordered values and hierarchies.

    It is summed over the axes. On labels without a hierarchy, the distance to the median is the number of records
    that differ from the mode, times the distance of two different labels.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._averaged = np.ascontiguousarray(space.coordinates[:, [_is_mean(axis) for axis in space.axes]])
        self._missing = {j: missing_on(space, j) for j, axis in enumerate(space.axes) if axis.gaps}

    def of_groups(self, rows: Labels, groups: Labels) -> Floats:
        n_groups = int(groups[-1]) + 1 if len(groups) else 0
        total: Floats = np.zeros(n_groups)
        if self._averaged.shape[1]:
            total += sse_of_groups(self._averaged[rows], groups)
        for j, axis in enumerate(self.space.axes):
            values = self.space.coordinates[rows, j]
            if axis.gaps:
                total += loss_with_gaps(axis, values, self._missing[j][rows], groups, n_groups)
            elif axis.ancestors is not None and axis.level_cost is not None:
                leaves = values.astype(np.int64)
                total += tree_medians(leaves, groups, n_groups, axis.ancestors, axis.level_cost)[1]
            elif axis.median:
                apart = np.abs(values - line_medians(values, groups, n_groups)[groups])
                total += np.bincount(groups, weights=apart, minlength=n_groups)
        return total


def _is_mean(axis: Axis) -> bool:
    """Whether a group is published as the mean of all its records on this axis."""
    return axis.kind == LINE and not axis.median and not axis.gaps


def aggregation_cost(space: Space, labels: Labels) -> float:
    """Return the loss when every group is published as one record; it is the squared error if all are numbers."""
    return loss_of(MixedLoss(space), labels)


def lost_against_all(space: Space) -> Floats:
    """Return what each record loses if it is published as the means, medians and modes of all records.

    That is what a suppressed record costs. Over all records it adds up to the loss of one group of them all.
    """
    n = len(space)
    together = np.zeros(n, dtype=np.int64)
    lost: Floats = np.zeros(n)
    if not n:
        return lost
    for j, axis in enumerate(space.axes):
        values = space.coordinates[:, j]
        if axis.gaps:
            lost += lost_by_each(axis, values, missing_on(space, j))
        elif axis.ancestors is not None and axis.level_cost is not None:
            leaves = values.astype(np.int64)
            center = tree_medians(leaves, together, 1, axis.ancestors, axis.level_cost)[0]
            lost += axis.level_cost[(axis.ancestors[leaves] != axis.ancestors[center]).sum(axis=1)]
        elif axis.median:
            lost += np.abs(values - line_medians(values, together, 1)[0])
        else:
            lost += off_mean(values) ** 2
    return lost


def loss_of(loss: GroupLoss, labels: Labels) -> float:
    """Return the loss of all groups together; suppressed records (label -1) are not counted."""
    order = np.argsort(labels, kind="stable")
    order = order[np.searchsorted(labels[order], 0) :]
    return math.fsum(loss.of_groups(order, labels[order]))


def is_squared_error(space: Space) -> bool:
    """Whether the loss is the squared error, because every axis is published as means and no number is missing."""
    return all(_is_mean(axis) for axis in space.axes)


def as_points(space: Space) -> Floats:
    """Return points whose squared distances add squared distances on averaged axes and distances on the others.

    This is exact except for axes with many values, which are cut into steps, and many labels, which get random codes.
    """
    columns: list[Floats] = [np.zeros((len(space), 1))]
    for j, axis in enumerate(space.axes):
        values = space.coordinates[:, j]
        if axis.ancestors is not None and axis.level_cost is not None:
            for level, step in enumerate(np.diff(axis.level_cost)):
                columns.append(_codes(axis.ancestors[values.astype(np.int64), level], math.sqrt(step / 2)))
        else:
            columns.append(_steps(values) if axis.median else values[:, None])
    points = np.hstack(columns)
    varied = np.flatnonzero(np.ptp(points, axis=0) > 0) if len(points) else np.zeros(0, dtype=np.int64)
    return np.ascontiguousarray(points[:, varied if len(varied) else [0]])


def _codes(nodes: np.ndarray, length: float) -> Floats:
    """Return a point for each node; two different nodes are (with random codes, about) sqrt(2) x `length` apart."""
    found, which = np.unique(nodes, return_inverse=True)
    if len(found) <= CODE:
        return np.eye(len(found))[which] * length
    return np.random.default_rng(0).normal(size=(len(found), CODE))[which] * (length / math.sqrt(CODE))


def _steps(values: Floats) -> Floats:
    """Return columns whose squared differences add up to |x - y|; to less if there are more values than STEPS."""
    ends = np.unique(values)
    if len(ends) > STEPS + 1:
        ends = np.unique(np.quantile(ends, np.linspace(0, 1, STEPS + 1), method="lower"))
    low, width = ends[:-1], np.diff(ends)
    steps: Floats = np.clip(values[:, None] - low, 0.0, width) / np.sqrt(width)
    return steps


def mixed_bound(space: Space, k: int, *, max_suppressed: int = 0, n_threads: int | None = None) -> float:
    """Return a lower bound on the `MixedLoss` of every partition into groups of at least `k`.

    Up to `max_suppressed` records may be left out of the groups; each costs what it loses against all records
    (`lost_against_all`), and the bound is lowered where the record's share in it is more than that. It is 0 where
    underflow might have raised it.
    """
    shares = least_shares(space, k, n_threads)
    # Rounding errors: 2 per axis, a root and a square in a distance, one in its step or level cost, and the sums.
    terms = 2 * (len(space.axes) * (STEPS + 1) + 1) + 4 * k + 32
    bound = rounded_down(math.fsum(shares), terms)
    if not max_suppressed:
        return without_underflow(bound)
    # Here also those of the means of all records: at most 64 of the column's range, whose square is at most four
    # times the largest price.
    price = lost_against_all(space)
    slack = (terms + 512 * len(space.axes)) * 2.0**-52 * (shares + price.max(initial=0.0))
    excess = np.sort(np.maximum(shares - price, 0.0) + slack)[::-1]
    return without_underflow(rounded_down(bound - math.fsum(excess[:max_suppressed]), terms))


def least_shares(space: Space, k: int, n_threads: int | None) -> Floats:
    """Return the least share of each record in the loss of a group of at least `k`.

    The share of a record in the loss of its group of m is at least the sum of its distances to the others, divided by
    2m on averaged axes and by 2(m - 1) on the others. So it is at least what its k - 1 nearest give with m = k.
    """
    raised = k / (k - 1)
    columns, axes = [np.zeros((len(space), 1))], [Axis("", LINE)]
    for j, axis in enumerate(space.axes):
        column = space.coordinates[:, j : j + 1]
        if j and space.axes[j - 1].gaps and space.axes[j - 1].kind == LINE:
            owner = space.coordinates[:, j - 1]
            column = np.where(column > 0, least_beside(space.axes[j - 1], owner, column[:, 0]), 0.0)
        if axis.level_cost is not None:
            axes.append(replace(axis, level_cost=np.sqrt(raised * axis.level_cost)))
        else:
            column = _steps(column[:, 0]) * math.sqrt(raised) if axis.median else column
            axes += [Axis(axis.column, LINE)] * column.shape[1]
        columns.append(column)
    distinct, counts, which = Space(np.hstack(columns), tuple(axes), 2).distinct()
    metric = Neighbors(distinct, counts, n_threads=n_threads)
    distance, who = metric.nearest_rows(k)
    squares = np.where(who >= 0, distance, 0.0) ** 2
    stands = np.where(who >= 0, counts[who], 0)
    before = np.cumsum(stands, axis=1) - stands
    # the record itself is one of the k rows, at distance 0
    shares: Floats = (squares * np.clip(k - before, 0, stands)).sum(axis=1) / (2 * k)
    return shares[which]
