"""The groups from which the annealing starts: the cheapest of several first partitions, or given ones.

The records of one run are held here with their rules and neighbor lists, in the form that the kernels read.
"""

from __future__ import annotations

import os

import numpy as np

from shoal.kernels.generalization_annealing import NeighborLists, group_nearest, place_rest
from shoal.kernels.generalization_groups import Groups, Rules, measure_groups
from shoal.partition.generalization.annealing_neighbors import near_points, with_others
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.partition.generalization.start_from_cuts import cut_at_best
from shoal.partition.result import Labels
from shoal.partition.rules import Rule
from shoal.space.space import LINE, Space

NEAREST, MORE_THAN_K, MOST_NEAREST = 30, 8, 60
"""Length of the neighbor lists: NEAREST, or MORE_THAN_K more than k, at most MOST_NEAREST."""
FROM_ABOVE = 90
"""Largest k for which groups are built up from neighbors; beyond it, a group has more records than a neighbor list,
and the start comes from cutting the table."""


def list_length(k: int, n_points: int) -> int:
    """Return the length of the neighbor lists among so many different records."""
    return min(n_points, NEAREST if k > FROM_ABOVE else min(max(NEAREST, k + MORE_THAN_K), MOST_NEAREST))


class Starts:
    """The records (in canonical order), rules and neighbor lists of one run, and groups to start from."""

    def __init__(
        self,
        space: Space,
        k: int,
        room: int,
        price: float,
        rules: list[tuple[Rule, Labels]],
        n_threads: int | None,
        near: Labels | None = None,
    ) -> None:
        self.space, self.k, self.room, self.price = space, k, room, price
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.is_good = self.continued = False
        self.records = by_kind(space)
        self.rules = Rules(
            codes=np.stack([codes for _, codes in rules], axis=1) if rules else np.zeros((len(space), 0), np.int64),
            at_least=np.array([rule.l for rule, _ in rules], dtype=np.float64),
            shares=np.array([rule.share for rule, _ in rules], dtype=np.bool_),
            price=0.0,
        )
        points, counts, point_of = space.distinct()
        if near is None:
            near = near_points(points, list_length(k, len(points)), n_threads)
        self.keys = _keys(points, near)
        for _, given in rules:
            codes = np.where(given < 0, given.max() + 1, given)  # what does not count is a value of its own here
            near = with_others(near, points, point_of, codes, n_threads)
        self.where = NeighborLists(
            point_of=point_of,
            near=near,
            copies_start=np.concatenate(([0], np.cumsum(counts))),
            copies=np.argsort(point_of, kind="stable").astype(np.int64),
        )

    def groups_of(self, labels: Labels) -> Groups:
        """Return the groups in the form that the kernels read; records with the label -1 are in none.

        Also sets the price of the rules, which is in units of the mean cost of these groups.
        """
        groups = self._empty()
        n_groups = int(labels.max()) + 1
        order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
        size = np.bincount(labels[order], minlength=n_groups)
        place = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
        groups.members[labels[order], place] = order
        groups.size[:n_groups] = size
        groups.label[:] = labels
        self.rules = self.rules._replace(price=self.price * self.measured(groups) / max(n_groups, 1))
        return groups

    def start(self, *, from_cells: bool = True) -> Groups | None:
        """Return the cheapest of several first partitions; None if none of them covers all records."""
        nearest = self._nearest() if self.k <= FROM_ABOVE else None
        others = [self._cheapest() if from_cells else None, self._cut() if self.k > FROM_ABOVE else None]
        best = min((groups for groups in (nearest, *others) if groups is not None), key=self.cost, default=None)
        self.is_good = best is not None and best is not nearest
        return best

    def _nearest(self) -> Groups | None:
        """Return groups of each record in turn and its nearest ungrouped neighbors; None if records are left over."""
        groups = self._empty()
        made = group_nearest(
            self.records, self.rules, groups, self.where, np.zeros(len(groups.size), np.int64), self.k
        )
        return self._with_rest(groups) if made else None

    def _cheapest(self) -> Groups | None:
        """Return groups from the cheapest cells; None if that is too much work or records are left over."""
        labels = cheapest_first(self.space, self.k)
        return None if labels is None else self._with_rest(self.groups_of(chunks(labels, self.k)))

    def _cut(self) -> Groups:
        """Return groups from cutting the table recursively."""
        return self.groups_of(chunks(cut_at_best(self.space, self.records, self.k, self.n_threads), self.k))

    def _with_rest(self, groups: Groups) -> Groups | None:
        """Add each ungrouped record to the group whose cost rises least; None if a record finds none with room."""
        rest, everywhere = np.flatnonzero(groups.label < 0), np.zeros(len(groups.size), dtype=np.int64)
        unplaced = place_rest(self.records, self.rules, groups, self.where, everywhere, rest)
        return None if unplaced else groups

    def _empty(self) -> Groups:
        """Return as many empty groups as there can be, each with one place more than it may have at the end."""
        n, most = len(self.space), len(self.space) // self.k
        return Groups(
            label=np.full(n, -1, dtype=np.int64),
            members=np.zeros((most, self.room + 1), dtype=np.int64),
            size=np.zeros(most, dtype=np.int64),
            extent=np.zeros(most),
            deficit=np.zeros(most),
            ends=np.zeros((most, self.records.spans.shape[1], 4)),
            bits=np.zeros((most, self.records.words.shape[1], 2), dtype=np.uint64),
        )

    def cost(self, groups: Groups) -> float:
        """Return the cost of the groups, including the price of missed rules."""
        return self.measured(groups) + self.rules.price * float(groups.deficit.sum())

    def measured(self, groups: Groups) -> float:
        """Compute all summaries of the groups again, and return the cost without the price of missed rules."""
        measure_groups(self.records, self.rules, groups)
        return float((groups.extent * groups.size).sum())


def _keys(points: Space, near: Labels) -> Labels:
    """Return the axes by which to sort so that neighbors stay together, as `lexsort` takes them.

    The most important is the last: the axis on which neighbors differ least.
    """
    apart = []
    for j, axis in enumerate(points.axes):
        ranks = np.unique(points.coordinates[:, j], return_inverse=True)[1]
        steps = np.abs(ranks[near] - ranks[:, None])
        apart.append(steps.mean() / max(1, ranks.max()) if axis.kind == LINE else (steps > 0).mean())
    return np.argsort(-np.array(apart), kind="stable")


def chunks(labels: Labels, k: int) -> Labels:
    """Return the same groups, but those of at least 2k records cut into pieces of k to 2k - 1, which cost no more."""
    order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    size = np.bincount(labels[order])
    start = np.cumsum(size) - size
    place = np.arange(len(order)) - np.repeat(start, size)
    pieces = size // k
    piece = place * np.repeat(pieces, size) // np.repeat(size, size)
    cut = np.full(len(labels), -1, dtype=np.int64)
    cut[order] = np.repeat(np.cumsum(pieces) - pieces, size) + piece
    return cut
