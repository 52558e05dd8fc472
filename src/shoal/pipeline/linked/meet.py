"""Join groups of people until every group meets the requirements of every table, counted over all rows it keeps.

Guarantee   Every group of the result meets every requirement of every table in which it has rows (PRIVACY-11). Groups
            have no common people, so joining keeps what both meet (PRIVACY-1 to PRIVACY-3, PRIVACY-7); where people
            with different numbers of rows are joined, rows are dropped, and everything is counted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from shoal import progress
from shoal.errors import InfeasibleError
from shoal.pipeline.linked.people_groups import PeopleGroups, without_empty
from shoal.pipeline.linked.tables import Linked, LinkedTable
from shoal.requirements import Tally

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NEAREST = 8
"""How many near groups a failing one may be joined with in each round; the one that lacks least is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The counts of the groups that have rows in one table."""

    table: LinkedTable
    tally: Tally
    place: Ints
    """The place of every group in the tally, -1 for groups without rows in the table."""

    @classmethod
    def of(cls, table: LinkedTable, groups: PeopleGroups, which: int) -> _Counted:
        labels = groups.row_groups(table, which)
        there = np.unique(labels[labels >= 0])
        place = np.full(groups.n_groups, -1, dtype=np.int64)
        place[there] = np.arange(len(there))
        own = np.where(labels < 0, -1, place[labels])
        return cls(table, Tally.of(own, table.task.problem.records), place)

    def shortfall(self, tally: Tally) -> Floats:
        counts = tally.counts()
        total: Floats = np.sum([one.shortfall(counts) for one in self.table.task.problem.requirements], axis=0)
        return total

    def of_groups(self) -> Floats:
        """Return by how much every group fails; 0 for groups without rows in the table."""
        if not (self.place >= 0).any():
            return np.zeros(len(self.place))
        found = self.shortfall(self.tally)
        return np.where(self.place < 0, 0.0, found[np.maximum(self.place, 0)])

    def of_pairs(self, first: Ints, second: Ints) -> Floats:
        """Return by how much unions of two groups would fail; both have rows in the table, or neither has."""
        found = np.zeros(len(first))
        there = np.flatnonzero(self.place[first] >= 0)
        if len(there):
            joined = self.tally.joined(self.place[first[there]], self.place[second[there]], trial=True)
            found[there] = self.shortfall(joined)
        return found


def meet(linked: Linked, groups: PeopleGroups) -> PeopleGroups:
    """Return groups that meet every requirement of every table; an InfeasibleError if one group of all does not."""
    features = _features(linked)
    with progress.step("repair", total=groups.n_groups) as advance:
        while True:
            counted = [_Counted.of(table, groups, place) for place, table in enumerate(linked.tables)]
            short: Floats = np.sum([one.of_groups() for one in counted], axis=0)
            if not short.any():
                return groups
            if groups.n_groups == 1:
                raise InfeasibleError(
                    "all people as one group, with equally many rows of each, miss a requirement of "
                    f"{_failing(counted)}.",
                    "ask for less of it, or let more rows be left out (max_suppressed).",
                )
            before = groups.n_groups
            groups = _joined(groups, _partners(groups, counted, short, _centers(groups, features)))
            advance(before - groups.n_groups)


def _failing(counted: list[_Counted]) -> str:
    """Return the names of the tables in which a group misses a requirement."""
    return ", ".join(one.table.name for one in counted if one.of_groups().any())


def _features(linked: Linked) -> Floats:
    """Return a point for every person: the means of the coordinates of their rows, each axis from 0 to 1."""
    parts = []
    for table in linked.tables:
        coordinates = table.task.space.coordinates
        width = np.ptp(coordinates, axis=0) if len(coordinates) else np.zeros(coordinates.shape[1])
        scaled = (coordinates - coordinates.min(axis=0)) / np.where(width > 0, width, 1.0)
        total = np.zeros((linked.n_people, coordinates.shape[1]))
        np.add.at(total, table.people, scaled)
        parts.append(total / np.maximum(table.per_person(linked.n_people), 1)[:, None])
    return np.concatenate(parts, axis=1)


def _centers(groups: PeopleGroups, features: Floats) -> Floats:
    """Return the mean of the people of every group."""
    kept = groups.labels >= 0
    total = np.zeros((groups.n_groups, features.shape[1]))
    np.add.at(total, groups.labels[kept], features[kept])
    size = np.bincount(groups.labels[kept], minlength=groups.n_groups)
    found: Floats = total / size[:, None]
    return found


def _partners(groups: PeopleGroups, counted: list[_Counted], short: Floats, centers: Floats) -> list[tuple[int, int]]:
    """Return pairs of groups to join, each group in one pair at most: every failing group with its best partner."""
    failing = np.flatnonzero(short > 0)
    kind_of = np.unique(groups.rows, axis=0, return_inverse=True)[1].reshape(-1)
    first: list[int] = []
    second: list[int] = []
    distance: list[float] = []
    for kind in np.unique(kind_of[failing]):
        own = np.flatnonzero(kind_of == kind)
        if len(own) < 2:
            continue
        tree = cKDTree(centers[own])
        asked = failing[kind_of[failing] == kind]
        query: Any = tree.query(centers[asked], k=min(NEAREST + 1, len(own)), p=1)
        for group, lengths, places in zip(asked.tolist(), query[0].tolist(), query[1].tolist(), strict=True):
            others = [(int(own[p]), d) for p, d in zip(places, lengths, strict=True) if own[p] != group]
            first += [group] * len(others)
            second += [other for other, _ in others]
            distance += [d for _, d in others]
    left: Floats = np.zeros(len(first))
    if first:
        pairs = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
        left = np.sum([one.of_pairs(*pairs) for one in counted], axis=0)
    taken: set[int] = set()
    found = []
    for trial in np.lexsort((np.array(distance), left)).tolist():
        one, other = first[trial], second[trial]
        if one not in taken and other not in taken:
            taken |= {one, other}
            found.append((one, other))
    alone = [group for group in failing.tolist() if group not in set(first)]
    sizes = np.bincount(groups.labels[groups.labels >= 0], minlength=groups.n_groups)
    for group in alone:  # nobody else has these numbers of rows
        if group in taken:
            continue
        free = np.array([one for one in range(groups.n_groups) if one != group and one not in taken], dtype=np.int64)
        if not len(free):
            continue
        low = np.minimum(groups.rows[free], groups.rows[group]).sum(axis=1)
        dropped = sizes[free] * (groups.rows[free].sum(axis=1) - low) + sizes[group] * (
            groups.rows[group].sum() - low
        )
        away = np.abs(centers[free] - centers[group]).sum(axis=1)
        other = int(free[np.lexsort((away, dropped))[0]])
        taken |= {group, other}
        found.append((group, other))
    return found


def _joined(groups: PeopleGroups, pairs: list[tuple[int, int]]) -> PeopleGroups:
    """Return the groups after joining pairs; people of a pair keep as many rows as all of them have."""
    fate, rows = np.arange(groups.n_groups), groups.rows.copy()
    for one, other in pairs:
        fate[other] = one
        rows[one] = np.minimum(rows[one], rows[other])
    return without_empty(groups, fate, rows)
