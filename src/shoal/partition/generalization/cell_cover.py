"""Groups of at least k records with a small generalization cost: a greedy cover by cells, made disjoint.

Problem     split n records into groups of at least k, minimizing the sum over records and columns of what the group's
            common value costs: the level of a node in a hierarchy, the range of numbers; columns may be weighted.
Guarantee   cost <= (2 - 1/k) x (1 + 1/2 + ... + 1/k) x optimum, rounded up to thousandths: theorem GREEDY-1,
            docs/proofs/forest.md. It grows like 2 ln k, where that of `forest` grows like 3k. With sets of more than
            two labels, or with too many cells, the groups are those of `forest`, and no ratio is claimed.
Complexity  an enumeration of the cells that cost less than what the costliest uncovered record pays; columns with
            hierarchies have few cells, several columns of numbers many. It ends at WORK records touched per different
            record. Deterministic; it does not depend on the order of rows.

References
----------
.. [1] H. Park and K. Shim (2007). "Approximate algorithms for k-anonymity." SIGMOD, 67-78.
.. [2] B. Kenig and T. Tassa (2012). "A practical approximation algorithm for optimal k-anonymity." Data Mining and
   Knowledge Discovery 25, 134-168.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import whole_number
from shoal.kernels.cell_cover import cover_by_cells
from shoal.partition.generalization.cells import Cells, count_cells, list_cells
from shoal.partition.generalization.forest import added_up, forest_of, generalization_cost
from shoal.partition.generalization.start_from_cells import FIRST, WIDER, highest_cost
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Labels, Partition
from shoal.space.space import Space

WORK, LEAST_WORK, MEMBERS = 20_000, 20_000_000, 50_000_000
"""Records that one enumeration may touch, per different record and at least; members of cells held at a time."""
MOST_ROUNDS = 200
"""Limits on costs that are tried one after another; the last one is above every key unless k is astronomical."""


def greedy_ratio(k: int) -> Fraction:
    """Return the ratio that GREEDY-1 proves for k, the next thousandth above (2 - 1/k) (1 + 1/2 + ... + 1/k)."""
    exact = (2 - Fraction(1, k)) * sum((Fraction(1, i) for i in range(1, k + 1)), Fraction(0))
    return Fraction(int(exact * 1000) + 1, 1000)


@guarantee(objective="generalization", ratio=greedy_ratio, theorem="GREEDY-1")
@checked
def cell_cover(points: npt.ArrayLike | Space, k: int, *, n_threads: int | None = None) -> Partition:
    """Return groups of at least `k` records that cost at most about 2 (1 + ln k) times the least generalization.

    The ratio is (2 - 1/k) (1 + 1/2 + ... + 1/k), rounded up to thousandths: theorem GREEDY-1, docs/proofs/forest.md.
    The groups are those of a greedy cover by cells, or of `forest` if these cost less. Where there are sets of more
    than two labels, or too many cells, they are those of `forest`, and nothing is claimed of them here.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    k : int
        The least number of records in a group, at least 1.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs; `lower_bound` holds for
        every grouping.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import cell_cover
    >>> answers = [["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"]]
    >>> found = cell_cover(answers, k=2)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 2.0)
    >>> found.theorem, float(found.ratio_proved)
    ('GREEDY-1', 2.251)
    """
    k = whole_number("k", k, 1)
    space = added_up(points, k)
    found = replace(forest_of(space, k, n_threads=n_threads), method="cell-cover")
    labels = cover_labels(space, k)
    if labels is None:
        return found.without_claim(
            "the groups are those of method=forest, because sets of labels or too many cells leave no greedy cover",
            theorem_cost=None,
        )
    cost = generalization_cost(space, labels)
    if cost < found.cost:
        found = replace(found, labels=number_groups(labels), cost=cost)
    # The theorem bounds the cost of the cover, and so that of cheaper groups.
    return replace(found, ratio_proved=greedy_ratio(k), theorem="GREEDY-1")


def cover_labels(space: Space, k: int) -> Labels | None:
    """Return the group of each record; None if there are too many cells, or if cells do not have their true cost.

    A cell of a column of sets counts as a set of two labels, so that the theorem does not speak of larger sets.
    """
    if any(axis.in_sets and axis.ancestors is not None and len(axis.ancestors) > 2 for axis in space.axes):
        return None
    points, counts, point_of = space.distinct()
    highest = highest_cost(points)
    group = np.full(len(points), -1, dtype=np.int64)
    if highest == 0:
        return np.zeros(len(space), dtype=np.int64)
    groups, limit, n_groups = _Groups(counts, k), highest * FIRST, 0
    most_work = max(LEAST_WORK, WORK * len(points))
    with progress.step("groups"):
        for _ in range(MOST_ROUNDS):
            limits = np.where(group < 0, limit, 0.0)
            size = count_cells(points, counts, k, limits, most_work, MEMBERS)
            if size is None:
                return None
            cells = list_cells(points, counts, k, limits, size)
            cell_of = np.empty(size.cells, dtype=np.int64)
            before = n_groups
            n_groups = cover_by_cells(*cells, counts, k, limit, group, before, cell_of)
            groups.add(before, group)
            groups.complete(range(before, n_groups), cells, cell_of)
            if (group >= 0).all():
                return groups.labels(point_of)
            limit *= WIDER
    return None


class _Groups:
    """Groups of records while they are made disjoint: how many copies of each different record a group has."""

    def __init__(self, counts: Labels, k: int) -> None:
        self.counts, self.k = counts, k
        self.size: dict[int, int] = {}
        self.points: dict[int, list[int]] = {}
        self.homes: dict[int, dict[int, int]] = {}

    def add(self, first: int, group: Labels) -> None:
        """Add the groups from number `first` on, as the kernel has made them."""
        for point in np.flatnonzero(group >= first).tolist():
            home, copies = int(group[point]), int(self.counts[point])
            self.homes[point] = {home: copies}
            self.points.setdefault(home, []).append(point)
            self.size[home] = self.size.get(home, 0) + copies

    def complete(self, new: range, cells: Cells, cell_of: Labels) -> None:
        """Give each new group of fewer than k records others of its cell, or join it to the group of one of them.

        Groups of more than k records give some away; if these do not suffice, the group is joined to one of exactly
        k, so that it has fewer than 2k.
        """
        for number in new:
            if self.size[number] >= self.k:
                continue
            cell = int(cell_of[number - new.start])
            others = cells.members[cells.starts[cell] : cells.starts[cell + 1]].tolist()
            for point, home in self._homes(others):
                spare = min(self.homes[point][home], self.size[home] - self.k, self.k - self.size[number])
                if home != number and spare > 0:
                    self._move(point, home, number, spare)
            if self.size[number] < self.k:
                target = next(home for _, home in self._homes(others) if self.size[home] >= self.k)
                for point in self.points[number]:
                    self._move(point, number, target, self.homes[point].get(number, 0))

    def _homes(self, points: Iterable[int]) -> list[tuple[int, int]]:
        """Return the pairs of a record and a group that has copies of it."""
        return [(point, home) for point in points for home in sorted(self.homes.get(point, ()))]

    def _move(self, point: int, home: int, target: int, copies: int) -> None:
        """Move copies of a record from one group to another."""
        if not copies:
            return
        at = self.homes[point]
        at[home] -= copies
        if not at[home]:
            del at[home]
        if target not in at:
            self.points[target].append(point)
        at[target] = at.get(target, 0) + copies
        self.size[home] -= copies
        self.size[target] += copies

    def labels(self, point_of: Labels) -> Labels:
        """Return the group of each record."""
        order = np.argsort(point_of, kind="stable")
        parts = [part for point in range(len(self.counts)) for part in sorted(self.homes[point].items())]
        homes, copies = np.array(parts, dtype=np.int64).T
        labels = np.empty(len(point_of), dtype=np.int64)
        labels[order] = np.repeat(homes, copies)
        return labels
