"""Set partitioning: neighborhoods of groups are cut again in the best way into groups that the lower bound has found.

Problem     lower the generalization cost of a partition by groups known from the linear program of its lower bound.
Guarantee   never costs more than the given partition, so a ratio that was proved for it remains proved; every group
            keeps at least k records. How much is gained is not proved.
Complexity  one integer program (HiGHS, with a limit of nodes) for every neighborhood, of at most RECORDS records and
            PER_POINT groups for each of its points. Deterministic, equal for any number of threads, and it does not
            depend on the order of rows.

Notes
-----
The search by exchanges changes two groups at a time and does not see that twenty are better cut in another way.
The bound knows such groups: those whose *reduced cost* is low, which is what a group costs beyond the duals of its
members. It knows groups of k records, and a partition needs larger ones too; so each is also taken with one more
record, of a point that shares a cheap group with one of its members. Neighborhoods are made around the groups of the
partition with the highest reduced costs, which are those that lose most against the bound.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition import solver
from shoal.partition.generalization.forest import cost_of_groups, generalization_cost
from shoal.partition.generalization.known_groups import KnownGroups, columns_of
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

COSTLY = 0.02
"""Neighborhoods are made around groups whose reduced cost is more than COSTLY times the mean cost of k records."""
RECORDS, PER_POINT = 125, 5
"""Records in a neighborhood, and groups that its integer program may choose for each of its points, those of the
least reduced cost."""
SMALL, PASSES_IF_SMALL = 3000, 3
"""With at most SMALL points, neighborhoods are made PASSES_IF_SMALL times, else once; so many times with an effort
of 1, and fewer if one of them does not lower the cost."""
LINKS, LINKED = 15, 30
"""A neighborhood grows along the LINKS best groups of each point, the LINKED best of them for each of its groups."""
SPARE, HELD = 2, 30
"""Of the groups of equal records, SPARE for each record take part, so that others can use their records; and of the
groups that have a record equal to a given one, the HELD of the highest reduced costs."""
AT_ONCE = 16
"""Neighborhoods that are cut at the same time; they share no group."""
NODES = 5
"""Most nodes of an integer program, which limits its work without a clock."""
ROUNDED = 1e-12
"""A neighborhood is cut again if that lowers its cost by more than this part of it, which rounding does not reach."""


def repartitioned(
    space: Space,
    labels: Labels,
    known: KnownGroups,
    *,
    effort: float = 1.0,
    n_threads: int = 1,
    deadline: float = np.inf,
) -> Labels:
    """Return groups of at least k records that cost no more than those of `labels`, which has no suppressed records.

    After the deadline (of the monotonic clock), no further neighborhoods are cut.
    """
    cut = _Cut(labels, known)
    passes = PASSES_IF_SMALL if len(known.counts) <= SMALL else 1
    for _ in range(max(1, round(effort * passes))):
        if not cut.all_neighborhoods(n_threads, deadline):
            break
    found = number_groups(cut.labels())
    return found if generalization_cost(space, found) < generalization_cost(space, labels) else labels


class _Group(NamedTuple):
    """A group of the partition: its records, its points with the number of records of each, and what it costs."""

    records: Labels
    points: Labels
    times: Labels
    cost: float
    reduced: float


class _Cut:
    """A partition, the groups that may be chosen, and the neighborhoods that are cut again."""

    def __init__(self, labels: Labels, known: KnownGroups) -> None:
        self.known, self.columns = known, columns_of(known, labels)
        n = len(known.counts)
        self.n_records = max(RECORDS, 4 * known.k)
        columns = self.columns
        column = np.repeat(np.arange(len(columns.costs)), np.diff(columns.starts))
        order = np.lexsort((columns.reduced[column], columns.points))
        self.column_of = column[order]
        self.first = np.concatenate(([0], np.cumsum(np.bincount(columns.points, minlength=n))))
        self.given = labels
        self.groups: dict[int, _Group] = {}
        self.holders: list[list[int]] = [[] for _ in range(n)]
        self.n_groups = 0
        rows, each = self._worth_cutting()
        for records, cost in zip(rows, each.tolist(), strict=True):
            points, times = np.unique(known.point_of[records], return_counts=True)
            self._add(records, points, times, cost * len(records))
        for point, holders in enumerate(self.holders):
            self.holders[point] = sorted(holders, key=self._rank)[:HELD]

    def _worth_cutting(self) -> tuple[list[Labels], Floats]:
        """Return the groups of different records and a few of equal ones, and what each record of a group costs.

        They are sorted by their points, so that nothing depends on the order of rows.
        """
        point_of, sizes = self.known.point_of, np.bincount(self.given)
        order = np.lexsort((point_of, self.given))
        starts = np.cumsum(sizes) - sizes
        first, last = point_of[order[starts]], point_of[order[starts + sizes - 1]]
        equal = np.flatnonzero(first == last)
        by_point = equal[np.argsort(first[equal], kind="stable")]
        place = np.arange(len(equal)) - np.searchsorted(first[by_point], first[by_point])
        some = np.concatenate((np.flatnonzero(first != last), by_point[place < SPARE]))
        rows = [order[start : start + size] for start, size in zip(starts[some], sizes[some], strict=True)]
        rows.sort(key=lambda one: tuple(point_of[one].tolist()))
        starts = np.cumsum([0, *(len(one) for one in rows[:-1])])
        return rows, cost_of_groups(self.known.points, point_of[np.concatenate(rows)], starts)

    def _add(self, records: Labels, points: Labels, times: Labels, cost: float) -> None:
        """Add a group to the partition."""
        reduced = cost - float(self.known.duals[points] @ times)
        self.groups[self.n_groups] = _Group(records, points, times, cost, reduced)
        for point in points.tolist():
            self.holders[point].append(self.n_groups)
        self.n_groups += 1

    def _rank(self, number: int) -> tuple[float, int]:
        """Return the place of a group among others: the highest reduced cost comes first."""
        return -self.groups[number].reduced, number

    def labels(self) -> Labels:
        """Return the label of each record."""
        labels = self.given + self.n_groups
        for number, group in self.groups.items():
            labels[group.records] = number
        return labels

    def all_neighborhoods(self, n_threads: int, deadline: float) -> bool:
        """Cut a neighborhood around every costly group once; return whether that lowered the cost."""
        least = COSTLY * self.known.unit * self.known.k
        seeds = sorted((number for number, one in self.groups.items() if one.reduced > least), key=self._rank)
        treated: set[int] = set()
        lowered = False
        with progress.step("recombining", total=len(seeds)) as advance:
            while seeds and time.monotonic() < deadline:
                batch, later = self._batch([seed for seed in seeds if seed in self.groups and seed not in treated])
                programs = [self._program(numbers) for numbers in batch]
                answers = solver.milps([program for program, _ in programs], n_threads)
                for numbers, (_, candidates), answer in zip(batch, programs, answers, strict=True):
                    before = self.n_groups
                    lowered |= self._take(numbers, candidates, answer)
                    treated.update(numbers, range(before, self.n_groups))
                advance(len(seeds) - len(later))
                seeds = later
        return lowered

    def _batch(self, seeds: list[int]) -> tuple[list[list[int]], list[int]]:
        """Return neighborhoods around the first of `seeds` that share no group, and the seeds that are left."""
        batch: list[list[int]] = []
        taken: set[int] = set()
        later = []
        for seed in seeds:
            if seed in taken or len(batch) == AT_ONCE:
                later.append(seed)
                continue
            batch.append(self._around(seed, taken))
            taken.update(batch[-1])
        return batch, later

    def _around(self, seed: int, taken: set[int]) -> list[int]:
        """Return a group and those whose records it needs to form cheap groups, without the `taken` ones.

        Groups that are added need others in turn, until there are enough records.
        """
        numbers, chosen = [seed], {seed}
        inside = Counter(dict(self._held(seed)))
        for number in numbers:
            lists = [
                self.column_of[self.first[p] : min(self.first[p] + LINKS, self.first[p + 1])]
                for p in self.groups[number].points.tolist()
            ]
            links = np.unique(np.concatenate(lists))
            for c in links[np.argsort(self.columns.reduced[links], kind="stable")][:LINKED].tolist():
                points, times = self.columns.of(c)
                for point, asked in zip(points.tolist(), times.tolist(), strict=True):
                    while inside[point] < asked:
                        others = [g for g in self.holders[point] if g not in chosen and g not in taken]
                        if not others:
                            break
                        other = min(others, key=self._rank)
                        numbers.append(other)
                        chosen.add(other)
                        inside.update(dict(self._held(other)))
                        if inside.total() >= self.n_records:
                            return numbers
        return numbers

    def _held(self, number: int) -> Iterator[tuple[int, int]]:
        """Return the points of a group of the partition, each with its number of records."""
        group = self.groups[number]
        return zip(group.points.tolist(), group.times.tolist(), strict=True)

    def _program(self, numbers: list[int]) -> tuple[dict[str, object], Labels]:
        """Return the integer program that cuts a neighborhood again, and the columns it may choose.

        After these, its variables stand for the groups of the neighborhood as they are.
        """
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import csc_array

        columns, groups = self.columns, [self.groups[number] for number in numbers]
        points, at = np.unique(np.concatenate([group.points for group in groups]), return_inverse=True)
        asked = np.bincount(at, weights=np.concatenate([group.times for group in groups]))
        lists = [self.column_of[self.first[p] : self.first[p + 1]] for p in points.tolist()]
        candidates = np.unique(np.concatenate(lists))
        pair, starts = _inside(columns.starts, candidates)
        place = np.minimum(np.searchsorted(points, columns.points[pair]), len(points) - 1)
        fits = (points[place] == columns.points[pair]) & (columns.times[pair] <= asked[place])
        candidates = candidates[np.logical_and.reduceat(fits, starts)] if len(candidates) else candidates
        ranks = np.argsort(columns.reduced[candidates], kind="stable")
        candidates = np.sort(candidates[ranks[: PER_POINT * len(points)]])
        pair, starts = _inside(columns.starts, candidates)
        rows = np.concatenate((np.searchsorted(points, columns.points[pair]), at))
        times = np.concatenate((columns.times[pair], *(group.times for group in groups)))
        widths = np.cumsum([len(group.points) for group in groups])
        ends = np.concatenate((starts, len(pair) + np.concatenate(([0], widths))))
        costs = np.concatenate((columns.costs[candidates], [group.cost for group in groups]))
        matrix = csc_array((times.astype(np.float64), rows, ends), shape=(len(points), len(costs)))
        program = {
            "c": costs / self.known.unit,
            "constraints": LinearConstraint(matrix, asked, asked),
            "integrality": np.ones(len(costs)),
            "bounds": Bounds(0.0, np.where(np.arange(len(costs)) < len(candidates), np.inf, 1.0)),
            "options": {"node_limit": NODES},
        }
        return program, candidates

    def _take(self, numbers: list[int], candidates: Labels, answer: Floats | None) -> bool:
        """Put the groups that an integer program chose in the place of a neighborhood's; whether they cost less."""
        if answer is None:
            return False
        times = np.rint(answer).astype(np.int64)
        chosen = np.repeat(candidates, times[: len(candidates)])
        gone = [number for number, stays in zip(numbers, times[len(candidates) :].tolist(), strict=True) if not stays]
        groups = [self.groups[number] for number in gone]
        if self.columns.costs[chosen].sum() >= sum(group.cost for group in groups) * (1 - ROUNDED):
            return False
        records = np.concatenate([group.records for group in groups])
        records = records[np.argsort(self.known.point_of[records], kind="stable")]
        pair, _ = _inside(self.columns.starts, chosen)
        asked = np.sort(np.repeat(self.columns.points[pair], self.columns.times[pair]))
        if not np.array_equal(asked, self.known.point_of[records]):
            return False  # rounding may break what the solver meets within its tolerance only
        left = dict(zip(*(part.tolist() for part in np.unique(asked, return_index=True)), strict=True))
        for number, group in zip(gone, groups, strict=True):
            for point in group.points.tolist():
                if number in self.holders[point]:
                    self.holders[point].remove(number)
            del self.groups[number]
        for c in chosen.tolist():
            points, times_of = self.columns.of(c)
            own = []
            for point, count in zip(points.tolist(), times_of.tolist(), strict=True):
                own.append(records[left[point] : left[point] + count])
                left[point] += count
            self._add(np.concatenate(own), points, times_of, float(self.columns.costs[c]))
        return True


def _inside(starts: Labels, some: Labels) -> tuple[Labels, Labels]:
    """Return the positions from starts[c] to starts[c + 1] for each c of `some`, and where those of each begin."""
    widths = starts[some + 1] - starts[some]
    begins = np.cumsum(widths) - widths
    return np.repeat(starts[some] - begins, widths) + np.arange(widths.sum()), begins
