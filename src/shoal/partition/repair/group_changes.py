"""What groups lose if records leave or join them: the arithmetic behind leaving records out."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.microaggregation.group_loss import MixedLoss
from shoal.partition.result import Floats, Labels
from shoal.space.space import Axis, Space

MOST_LISTED = 4_000_000
"""Members of groups that are listed at once if every group is listed without each of its members."""


class GroupLosses(Protocol):
    """The loss of groups: rows[i] is in groups[i], and groups are 0, 1, ... in ascending order."""

    def of(self, rows: Labels, groups: Labels) -> Floats:
        """Return the loss of each group."""

    def without_each(self, rows: Labels, groups: Labels) -> Floats:
        """Return for each row the loss of its group without it; 0 for a row that is alone."""


class CellLosses:
    """What the records of each group lose by generalization: the number of records times the cost of one."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def of(self, rows: Labels, groups: Labels) -> Floats:
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        sizes = np.diff(starts, append=len(rows))
        lost: Floats = sizes * cost_of_groups(self.space, rows, starts)
        return lost

    def without_each(self, rows: Labels, groups: Labels) -> Floats:
        each = np.zeros(len(rows))
        for j, axis in enumerate(self.space.axes):
            each += _cell_without(axis, self.space.coordinates[rows, j], groups)
        return each * (np.bincount(groups)[groups] - 1)


class MeanLosses:
    """What the records of each group lose if they are published as means, medians and modes."""

    def __init__(self, space: Space) -> None:
        self.loss = MixedLoss(space)

    def of(self, rows: Labels, groups: Labels) -> Floats:
        return self.loss.of_groups(rows, groups)

    def without_each(self, rows: Labels, groups: Labels) -> Floats:
        sizes = np.bincount(groups)
        starts = np.cumsum(sizes) - sizes
        lost = np.zeros(len(rows))
        places = np.flatnonzero(sizes[groups] > 1)
        step = max(1, MOST_LISTED // int(sizes.max(initial=1)))
        for begin in range(0, len(places), step):
            some = places[begin : begin + step]
            mates = sizes[groups[some]] - 1
            copy = np.repeat(np.arange(len(some)), mates)
            place = starts[groups[some]][copy] + np.arange(len(copy)) - np.repeat(np.cumsum(mates) - mates, mates)
            place += place >= some[copy]  # skip the row itself
            lost[some] = self.loss.of_groups(rows[place], copy)
        return lost


def _cell_without(axis: Axis, values: Floats, groups: Labels) -> Floats:
    """Return for each row what the cell of its group costs one record on this axis, without the row."""
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    order = np.lexsort((values, groups))
    ranked = values[order]
    if axis.in_sets:
        assert axis.by_count is not None
        begins = np.flatnonzero((np.diff(ranked, prepend=-1) != 0) | (np.diff(groups, prepend=-1) != 0))
        held = np.diff(begins, append=len(ranked))
        only = np.empty(len(ranked), dtype=np.int64)
        only[order] = np.repeat(held == 1, held)
        n_labels = np.bincount(groups[begins], minlength=len(sizes))
        left: Floats = axis.by_count[np.maximum(n_labels[groups] - only - 1, 0)]
        return left
    several = sizes > 1
    low, high = ranked[starts], ranked[starts + sizes - 1]
    second, but_last = ranked[starts + several], ranked[starts + sizes - 1 - several]
    own_low = np.where(values == low[groups], second[groups], low[groups])
    own_high = np.where(values == high[groups], but_last[groups], high[groups])
    return axis.spanned(np.minimum(own_low, own_high), own_high)
