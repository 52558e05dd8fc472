"""Mondrian, strict and relaxed: groups are cut near the median of their widest column, recursively.

Problem     split n records into groups of at least k that are published as small ranges, sets and hierarchy nodes.
Guarantee   a heuristic: no ratio is proved; a lower bound is reported. Every group meets every requirement, and no
            group can be cut further: on no column does the cut nearest to the median leave only parts that meet them.
            Strict: no two groups overlap, so each record fits into one group only. Relaxed: records equal to the
            median may go to either side, so groups have fewer than 2k records if k is the only requirement.
Complexity  one sort of the records and one pass per column for every level of cuts, about log2(n / k) levels;
            deterministic, and it does not depend on the order of rows.

Notes
-----
The widest column is the one with the largest penalty (NCP): the share of the whole range, of all labels, or of the
leaves below the lowest common node. Numbers and labels are cut in two, at the boundary between two values that is
nearest to the median among those that leave k records on both sides; labels are ordered by rank. A hierarchy is cut
into all children of the lowest common node. Relaxed cuts are at the median record in every kind of column. All groups
of a level are cut at once.

References
----------
.. [1] K. LeFevre, D. J. DeWitt, R. Ramakrishnan (2006). "Mondrian multidimensional k-anonymity." ICDE.
.. [2] A. Machanavajjhala et al. (2007), and N. Li et al. (2007): the same with cuts that keep l and t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import whole_number
from shoal.partition.generalization.forest import added_up, forest, generalization_cost
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import heuristic
from shoal.partition.parameters import checked
from shoal.partition.result import Floats, Labels, Partition
from shoal.requirements import KAnonymity, Records, Requirement, Tally
from shoal.space.space import Axis, Space

BOUNDED = 50_000
"""Most different records for which the lower bound is computed; with more, it takes longer than all the cuts."""


@heuristic()
@checked
def mondrian(
    points: npt.ArrayLike | Space,
    k: int,
    *,
    relaxed: bool = False,
    requirements: Sequence[Requirement] = (),
    about: Records | None = None,
    bound: bool = True,
) -> Partition:
    """Return groups of at least `k` records, cut at medians as long as every part meets every requirement.

    A heuristic: no ratio is proved, but a lower bound is reported. No two groups overlap unless `relaxed`.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    k : int
        The least number of records in a group, at least 1.
    relaxed : bool, default False
        Whether records equal to the median may go to both sides.
    requirements : sequence of Requirement, default ()
        What every group must meet besides `k`, such as l-diversity.
    about : Records, optional
        The people and sensitive values on which `requirements` are counted.
    bound : bool, default True
        Whether a lower bound is computed, that of `forest`: of up to 50,000 different records.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import mondrian
    >>> from shoal.space.space import Space
    >>> found = mondrian(Space.from_points([[20.0], [21.0], [60.0], [64.0]]), k=2)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 10.0)
    """
    k = whole_number("k", k, 1)
    space = added_up(points, k)
    different, counts, point_of = space.distinct()
    if relaxed:  # equal records may go to different groups, so each record is an item of its own
        order = np.argsort(point_of, kind="stable")
        different, counts, row_item = space.take(order), np.ones(len(space), dtype=np.int64), np.argsort(order)
    else:
        row_item = point_of
    rule = _Rule.of(requirements, about, row_item) if about is not None else None
    labels = _Cuts(different, counts, k, relaxed, rule).made()[row_item]
    bounded = bound and len(counts) <= BOUNDED
    return Partition(
        labels=number_groups(labels),
        method="mondrian-relaxed" if relaxed else "mondrian",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=forest(space, k).lower_bound if bounded else 0.0,
        notes=() if bounded else (f"no lower bound was computed: more than {BOUNDED:,} different records",),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """Requirements beyond k, checked on the rows that belong to the items (the different records)."""

    requirements: tuple[Requirement, ...]
    about: Records
    item_of: Labels
    totals: Mapping[str, Labels]

    @classmethod
    def of(cls, requirements: Sequence[Requirement], about: Records, item_of: Labels) -> _Rule | None:
        """Return the rule, or None if k is the only requirement and every row is a person of its own."""
        if about.people is None and all(isinstance(asked, KAnonymity) for asked in requirements):
            return None
        whole = Tally.of(np.zeros(about.n_rows, dtype=np.int64), about)
        return cls(tuple(requirements), about, item_of, whole.totals)

    def broken(self, parts: Labels, n_parts: int) -> npt.NDArray[np.bool_]:
        """Return for each part whether it misses a requirement; items with part -1 are ignored."""
        counts = replace(Tally.of(parts[self.item_of], self.about).counts(), totals=self.totals)
        missed = np.zeros(n_parts, dtype=bool)
        for requirement in self.requirements:
            missed |= ~requirement.holds(counts)
        return missed


class _Cuts:
    """The groups that may still be cut: `items` are sorted by group, and group g begins at `starts[g]`.

    `width[g, j]` is the width of group g on axis j; 0 if the group cannot be cut there.
    """

    def __init__(self, points: Space, counts: Labels, k: int, relaxed: bool, rule: _Rule | None) -> None:
        self.axes, self.counts, self.k, self.relaxed, self.rule = points.axes, counts, k, relaxed, rule
        self.values: list[Floats] = []
        ranks = np.empty((len(points.axes), len(points)), dtype=np.int64)
        for j, axis in enumerate(points.axes):
            if axis.missing:
                found, ranks[j] = _beside_missing(points.coordinates, j, axis.missing)
                self.values.append(found)
            elif axis.ancestors is None:
                found, ranks[j] = np.unique(points.coordinates[:, j], return_inverse=True)
                self.values.append(found)
            else:
                ranks[j] = points.coordinates[:, j].astype(np.int64)
                self.values.append(np.zeros(0))
        self.ranks = ranks
        self.span = int(ranks.max(initial=0)) + 1
        self.labels = np.zeros(len(points), dtype=np.int64)
        self.n_groups = 0
        self.items = np.arange(len(points), dtype=np.int64)
        self.starts = np.zeros(1, dtype=np.int64)
        self.width = self._widths(self.items, self.starts)

    def made(self) -> Labels:
        """Cut until no group can be cut further, and return the group of every item."""
        with progress.step("groups", total=len(self.items)) as advance:
            while len(self.starts):
                before = len(self.items)
                self._finish()
                advance(before - len(self.items))
                if len(self.starts):
                    self._cut()
        return self.labels

    def _finish(self) -> None:
        """Move the groups that are too small or too narrow to be cut to the final ones."""
        size = np.add.reduceat(self.counts[self.items], self.starts)
        live = (size >= 2 * self.k) & (self.width.max(axis=1, initial=0.0) > 0)
        lengths = np.diff(self.starts, append=len(self.items))
        done = np.repeat(~live, lengths)
        number = self.n_groups + np.cumsum(~live) - 1
        self.labels[self.items[done]] = np.repeat(number, lengths)[done]
        self.n_groups += int(np.count_nonzero(~live))
        self.items = self.items[~done]
        lengths = lengths[live]
        self.starts, self.width = np.cumsum(lengths) - lengths, self.width[live]

    def _cut(self) -> None:
        """Cut every group on its widest axis, or exclude that axis for it if a part would miss a requirement."""
        n_groups, lengths = len(self.starts), np.diff(self.starts, append=len(self.items))
        axis = self.width.argmax(axis=1)
        group = np.repeat(np.arange(n_groups), lengths)
        place = self.ranks.ravel()[axis[group] * self.ranks.shape[1] + self.items]
        order = np.argsort(group * self.span + place, kind="stable" if self.relaxed else None)
        self.items, place = self.items[order], place[order]  # sorted within groups; `starts` and `group` stay valid
        weight = self.counts[self.items]
        running = np.cumsum(weight)
        before = running[self.starts] - weight[self.starts]
        total = np.add.reduceat(weight, self.starts)
        left = running - before[group]  # records of the group up to and including this item
        if self.relaxed:
            opens = left == total[group] // 2 + 1
        else:
            opens = self._at_children(axis, group, place) | self._at_median(axis, group, place, left, total)
        opens[self.starts] = True
        begin = np.flatnonzero(opens)
        parent, size = group[begin], np.add.reduceat(weight, begin)
        good = np.bincount(parent, minlength=n_groups) > 1
        good[parent[size < self.k]] = False
        if self.rule is not None and good.any():
            part = np.full(len(self.counts), -1, dtype=np.int64)
            tried = good[parent]
            number = np.where(tried, np.cumsum(tried) - 1, -1)
            part[self.items] = np.repeat(number, np.diff(begin, append=len(self.items)))
            good[parent[tried][self.rule.broken(part, int(np.count_nonzero(tried)))]] = False
        self.width[np.flatnonzero(~good), axis[~good]] = 0.0
        kept = good[parent] | (begin == self.starts[parent])
        begin, parent = begin[kept], parent[kept]
        width = self.width[parent]
        new = good[parent]
        if new.any():
            lengths = np.diff(begin, append=len(self.items))
            inside = np.repeat(new, lengths)
            lengths = lengths[new]
            width[new] = self._widths(self.items[inside], np.cumsum(lengths) - lengths)
        self.starts, self.width = begin, width

    def _at_median(
        self, axis: Labels, group: Labels, place: Labels, left: Labels, total: Labels
    ) -> npt.NDArray[np.bool_]:
        """Return a mask of the first items after the boundary that is nearest to the median of each group.

        Only boundaries between different values with k records on both sides count; axes with a hierarchy have none.
        """
        last = np.append(place[1:] != place[:-1], False)
        last[self.starts[1:] - 1] = False
        in_two = np.array([a.ancestors is None or a.in_sets for a in self.axes])[axis]
        allowed = last & in_two[group] & (left >= self.k) & (total[group] - left >= self.k)
        off = np.where(allowed, np.abs(2 * left - total[group]), np.iinfo(np.int64).max)
        best = np.minimum.reduceat(off, self.starts)
        chosen = np.flatnonzero(allowed & (off == best[group]))
        chosen = chosen[np.diff(group[chosen], prepend=-1) > 0]  # of two equally near boundaries, the lower one
        opens = np.zeros(len(place), dtype=bool)
        opens[chosen + 1] = True
        return opens

    def _at_children(self, axis: Labels, group: Labels, place: Labels) -> npt.NDArray[np.bool_]:
        """Return a mask of the first items of the children of each group's lowest common node.

        Only axes with a hierarchy are considered.
        """
        opens = np.zeros(len(place), dtype=bool)
        ends = np.append(self.starts[1:], len(place)) - 1
        for j, one in enumerate(self.axes):
            here = np.flatnonzero(axis == j)
            if one.ancestors is None or one.in_sets or not len(here):
                continue
            level = np.zeros(len(axis), dtype=np.int64)
            level[here] = _meeting_level(one, place[self.starts[here]], place[ends[here]])
            inside = np.flatnonzero((axis == j)[group])
            node = one.ancestors[place[inside], level[group[inside]] - 1]
            opens[inside[1:]] |= (node[1:] != node[:-1]) & (group[inside[1:]] == group[inside[:-1]])
        return opens

    def _widths(self, items: Labels, starts: Labels) -> Floats:
        """Return the width of each group on each axis: its share of the range, labels or leaves, times the weight."""
        width = np.zeros((len(starts), len(self.axes)))
        group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(items)))
        for j, axis in enumerate(self.axes):
            place = self.ranks[j][items]
            low, high = np.minimum.reduceat(place, starts), np.maximum.reduceat(place, starts)
            if axis.ancestors is None:
                width[:, j] = axis.spanned(self.values[j][low], self.values[j][high])
            elif axis.by_count is not None:
                seen = np.sort(group * self.span + place)
                seen = seen[np.diff(seen, prepend=-1) > 0] // self.span
                n_labels = np.bincount(seen, minlength=len(starts))
                width[:, j] = axis.by_count[n_labels - 1]
            elif axis.node_cost is not None:
                width[:, j] = axis.spanned(low, high)
            else:
                width[:, j] = _share_of_leaves(axis, low, high)
        for j, axis in enumerate(self.axes):
            if axis.missing > 0:  # a column with missing numbers has two axes of half its weight
                both = width[:, j : j + 2]
                both[:] = np.where(both > 0, both.sum(axis=1, keepdims=True), 0.0)
        return width


def _beside_missing(coordinates: Floats, j: int, side: int) -> tuple[Floats, Labels]:
    """Return the values on half `j` of a column with missing numbers, and the rank of every item among them.

    Missing ones have a rank of their own, the last or the first, so that they can be cut off the numbers at whose end
    they stand.
    """
    missing = coordinates[:, j] != coordinates[:, j + side]
    found, rank = np.unique(coordinates[~missing, j], return_inverse=True)
    ranks = np.full(len(coordinates), len(found) if side > 0 else 0, dtype=np.int64)
    ranks[~missing] = rank.reshape(-1) + (side < 0)
    end = coordinates[missing, j][:1]  # none, if a part of the table has no missing numbers
    return np.concatenate((found, end) if side > 0 else (end if len(end) else found[:1], found)), ranks


def _meeting_level(axis: Axis, low: Labels, high: Labels) -> Labels:
    """Return the level of the lowest common node of each group, from its lowest and highest rank.

    Leaves are ranked depth-first, so these two have the same common node as the whole group.
    """
    assert axis.ancestors is not None
    level: Labels = (axis.ancestors[low] != axis.ancestors[high]).sum(axis=1)
    return level


def _share_of_leaves(axis: Axis, low: Labels, high: Labels) -> Floats:
    """Return the share of leaves below each group's lowest common node, times the axis' weight; 0 for one leaf."""
    assert axis.ancestors is not None
    assert axis.level_cost is not None
    share: Floats = np.zeros(len(low))
    level = _meeting_level(axis, low, high)
    for h in range(1, axis.ancestors.shape[1]):
        here = level == h
        leaves = np.bincount(axis.ancestors[:, h])
        share[here] = leaves[axis.ancestors[low[here], h]] / len(axis.ancestors) * axis.level_cost[-1]
    return share
