"""Leave records out where that costs less than keeping them, within the share that may be suppressed.

Problem     given groups that meet every requirement, and a number of records that may be suppressed, each at its
            cost, lower the total cost: that of the groups and of the suppressed records.
Guarantee   the result meets every requirement, suppresses no more than allowed, and never costs more than the given
            groups; so a ratio that is proved for them beside releases of fewer records remains proved. How much is
            gained is not proved.
Complexity  a few rounds, each O(n log n) per column, and one search by exchanges if records were left out.

Notes
-----
A record is worth leaving out if it makes its group costly for the others. Groups that cost more than their cheapest
record would if it were suppressed are taken apart: their records leave one by one, in two orders (the one whose
leaving saves most first; the one that is farthest from other groups first), and the best stage is kept. If fewer than
k are then left, those join the groups to which they add least. Records are taken back where that costs less than they
do. What is suppressed is decided from the same records and requirements as the groups are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.cost import suppression_costs
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import rules_of
from shoal.partition.methods.search import improved
from shoal.partition.repair.group_changes import CellLosses, GroupLosses, MeanLosses
from shoal.partition.repair.merge import shortfall_of
from shoal.partition.result import Floats, Labels, Partition, SuppressionCost, share_of
from shoal.requirements import Tally
from shoal.space.neighbors import Neighbors

LEAVE_OUT_ROUNDS = 8
"""Rounds of leaving out at most, before and after the search; they end earlier when the cost no longer falls."""
NEAR, MOST_NEAR = 12, 64
"""Neighbors in whose groups a record is tried: NEAR more than k, at most MOST_NEAR."""
HOSTS = 6
"""Groups in which a record is tried, those of its nearest neighbors."""
MOST_TAKEN_APART = 50_000
"""Records of the groups that are taken apart in one round; those of the costliest groups come first."""
GAIN = 1e-9
"""The least relative gain, which is above all rounding."""


def leave_out(partition: Partition, problem: Problem, budget: Budget, *, most: int | None = None) -> Partition:
    """Return `partition`, or a cheaper one that suppresses more records, within `problem.max_suppressed`.

    The cost with all records of `partition` and the one that was reached are in `outlier_curve`. `most` is the
    largest number of suppressed records, if it is not a share of these.
    """
    most = share_of(problem.max_suppressed, len(problem.space)) if most is None else most
    if partition.n_suppressed >= most or partition.cost == 0 or not _takes_part(problem):
        return partition
    work = _Work(problem, most)
    with progress.step("leaving rows out"):
        labels = work.rounds(partition.labels)
        if (labels < 0).sum() > partition.n_suppressed:
            labels = work.searched(labels, budget)
    cost = problem.cost(labels)
    n_more = int(np.count_nonzero(labels < 0)) - partition.n_suppressed
    if cost >= partition.cost * (1 - GAIN) or n_more <= 0:
        return partition
    curve = (
        SuppressionCost(allowed=0.0, n_suppressed=partition.n_suppressed, cost=partition.cost),
        SuppressionCost(allowed=problem.max_suppressed, n_suppressed=partition.n_suppressed + n_more, cost=cost),
    )
    note = f"{n_more} rows were left out, each counted as wholly lost; with them the cost was {partition.cost:.4g}"
    return replace(
        partition,
        labels=number_groups(labels),
        cost=cost,
        centers=None,
        outlier_curve=curve,
        notes=(*partition.notes, note),
    )


def first_savings(partition: Partition, problem: Problem, most: int) -> list[tuple[float, int]]:
    """Return what the first round of `leave_out` saves: pairs of what is saved and how many records that takes.

    These are changes of different groups, with at most `most` records in all; what saves most per record comes first.
    """
    if not most or partition.cost == 0 or not _takes_part(problem):
        return []
    chosen = _Work(problem, most).changes(partition.labels)
    return [(one.saves, len(one.dropped)) for one in chosen]


def _takes_part(problem: Problem) -> bool:
    """Whether the method is one whose groups may be changed freely: not boxes, nor levels, nor around records."""
    record = problem.choice.record
    return (record.searched or record.polished) and not record.suppresses


@dataclass(frozen=True, slots=True)
class _Change:
    """Records to suppress, and records that join other groups instead of their own; what it saves in all."""

    group: int
    dropped: Labels
    moved: Labels
    hosts: Labels
    saves: float


class _Work:
    """The problem with what is needed again and again: costs, and the neighbors of records."""

    def __init__(self, problem: Problem, most: int) -> None:
        self.problem, self.most = problem, most
        self.losses: GroupLosses
        if problem.choice.objective == "sse":
            self.losses = MeanLosses(problem.space)
        else:
            self.losses = CellLosses(problem.space)
        self.price = suppression_costs(problem.choice, problem.space)

    def rounds(self, labels: Labels) -> Labels:
        """Return the labels after rounds of leaving out and taking back, as long as they lower the cost."""
        cost = self.problem.cost(labels)
        for _ in range(LEAVE_OUT_ROUNDS):
            before = cost
            for step in (self._left_out, self._taken_back):
                found = step(labels)
                if found is not None and (its_cost := self.problem.cost(found)) < cost:
                    labels, cost = found, its_cost
            if cost >= before * (1 - GAIN):
                break
        return labels

    def searched(self, labels: Labels, budget: Budget) -> Labels:
        """Return groups of the released records after a search by exchanges and further rounds, if they cost less."""
        problem = self.problem
        if problem.choice.objective == "sse" or budget.seconds_left == 0.0:
            return labels
        kept = np.flatnonzero(labels >= 0)
        rules = rules_of(problem.requirements, problem.records.take(kept))
        found, _ = improved(
            problem.space.take(kept),
            number_groups(labels[kept]),
            problem.k,
            rules=rules,
            keep=not problem.only_k,
            effort=budget.effort,
            time_limit=budget.seconds_left,
            seed=budget.seed,
        )
        other = np.full(len(labels), -1, dtype=np.int64)
        other[kept] = found
        other = number_groups(other)
        if self._failing(other).any():
            return labels
        other = self.rounds(other)
        return min(labels, other, key=problem.cost)

    def _failing(self, labels: Labels) -> npt.NDArray[np.bool_]:
        """Return which groups miss a requirement."""
        tally = Tally.of(labels, self.problem.records)
        missed: npt.NDArray[np.bool_] = shortfall_of(tally, self.problem.requirements) > 0
        return missed

    def _left_out(self, labels: Labels) -> Labels | None:
        """Return the labels with more records suppressed, where that saves most; None if it saves nothing.

        Changes that make a group miss a requirement are undone.
        """
        return self._without_failing(labels, self.changes(labels), _change_of)

    def changes(self, labels: Labels) -> list[_Change]:
        """Return the changes that save most per suppressed record, of groups that do not touch one another."""
        room = self.most - int(np.count_nonzero(labels < 0))
        rows, groups, lost = self._costly(labels, room)
        if not len(rows):
            return []
        near = _Near(self, labels, rows)
        changes = []
        for order in (self._by_saving, near.by_distance):
            changes += _best_stages(order, self, rows, groups, lost, near, room)
        return _apart(changes, room)

    def _costly(self, labels: Labels, room: int) -> tuple[Labels, Labels, Floats]:
        """Return the records of groups that may be worth taking apart, their groups, and what those lose.

        Leaving out records saves at most what the group loses, and costs at least what its cheapest record does.
        """
        order = np.argsort(labels, kind="stable")[int(np.count_nonzero(labels < 0)) :]
        groups = labels[order]
        sizes = np.bincount(groups)
        starts = np.cumsum(sizes) - sizes
        lost = self.losses.of(order, groups)
        cheapest = np.minimum.reduceat(self.price[order], starts)
        chosen = np.flatnonzero(lost > cheapest * (1 + GAIN))
        if room <= 0 or not len(chosen):
            nobody = np.zeros(0, dtype=np.int64)
            return nobody, nobody, np.zeros(0)
        ranked = chosen[np.argsort(-(lost[chosen] / sizes[chosen]), kind="stable")]
        ranked = ranked[: max(1, int(np.searchsorted(np.cumsum(sizes[ranked]), MOST_TAKEN_APART)))]
        mine = np.isin(groups, ranked)
        return order[mine], groups[mine], lost

    def _by_saving(self, rows: Labels, groups: Labels, now: Floats) -> tuple[Labels, Floats]:
        """Return the place of the record of each group whose leaving saves most, and what its group then loses.

        `groups` are 0, 1, ... in ascending order.
        """
        without = self.losses.without_each(rows, groups)
        saved = now[groups] - without - self.price[rows]
        first = _first_of_each(groups, -saved)
        return first, without[first]

    def _without_failing(
        self, labels: Labels, chosen: list[_Change], change: Callable[[Labels, _Change], None]
    ) -> Labels | None:
        """Return the labels after the changes that let every group meet the requirements; None if none does."""
        while chosen:
            found = labels.copy()
            for one in chosen:
                change(found, one)
            present = np.bincount(found[found >= 0], minlength=int(labels.max()) + 1) > 0
            failing = np.zeros(len(present), dtype=bool)
            try:
                failing[present] = self._failing(number_of_present(found, present))
            except InfeasibleError:
                return None
            if not failing.any():
                return number_groups(found)
            fewer = [one for one in chosen if not failing[[one.group, *one.hosts.tolist()]].any()]
            if len(fewer) == len(chosen):  # not its own change made a group fail: t looks at all released records
                fewer = chosen[: len(chosen) // 2]
            chosen = fewer
        return None

    def _taken_back(self, labels: Labels) -> Labels | None:
        """Return the labels with suppressed records in groups where they cost less; None if there are none."""
        suppressed = np.flatnonzero(labels < 0)
        if not len(suppressed):
            return None
        near = _Near(self, labels, suppressed)
        saves = self.price[suppressed] - near.rise
        changes = [
            _Change(int(host), suppressed[[place]], suppressed[[place]], np.array([host]), float(saved))
            for place, (host, saved) in enumerate(zip(near.host.tolist(), saves.tolist(), strict=True))
            if host >= 0 and saved > 0
        ]
        best: dict[int, _Change] = {}
        for one in sorted(changes, key=lambda one: -one.saves):
            best.setdefault(one.group, one)  # one record for a group and round, as its cost is known for one
        return self._without_failing(labels, list(best.values()), _back_of)


class _Near:
    """For some records, the group of others that they would add least to, and how far away other groups are."""

    def __init__(self, work: _Work, labels: Labels, rows: Labels) -> None:
        kept = np.flatnonzero(labels >= 0)
        space = work.problem.space
        width = min(len(kept), work.problem.k + NEAR, MOST_NEAR)
        distance, who = Neighbors(space.take(kept)).nearest(width, space.coordinates[rows])
        groups = labels[kept][who]
        other = groups != labels[rows][:, None]
        apart = np.where(other, distance, np.inf).min(axis=1)
        self.rows = rows
        self.apart = dict(zip(rows.tolist(), apart.tolist(), strict=True))
        # the first HOSTS different groups of each record, nearest first
        at, place = np.nonzero(other)
        host = groups[at, place]
        _, first = np.unique(at * (int(labels.max()) + 1) + host, return_index=True)
        first.sort()
        at, host = at[first], host[first]
        begins = np.searchsorted(at, np.arange(len(rows)))
        some = np.arange(len(at)) - begins[at] < HOSTS
        at, host = at[some], host[some]
        self.rise, self.host = _least_rise(work, labels, rows, at, host)
        self.of = {row: place for place, row in enumerate(rows.tolist())}

    def by_distance(self, rows: Labels, groups: Labels, now: Floats) -> tuple[Labels, Floats]:
        """Return the place of the record of each group that is farthest from other groups; NaN for what is lost."""
        apart = np.array([self.apart[row] for row in rows.tolist()])
        return _first_of_each(groups, -apart), np.full(len(now), np.nan)


def _least_rise(work: _Work, labels: Labels, rows: Labels, at: Labels, host: Labels) -> tuple[Floats, Labels]:
    """Return for each record the least that it adds to the cost of a group, and the group (-1 if none was tried).

    Record rows[at[i]] is tried in the group host[i].
    """
    rise, where = np.full(len(rows), np.inf), np.full(len(rows), -1, dtype=np.int64)
    if not len(at):
        return rise, where
    order = np.argsort(labels, kind="stable")[int(np.count_nonzero(labels < 0)) :]
    sizes = np.bincount(labels[order])
    starts = np.cumsum(sizes) - sizes
    lost = work.losses.of(order, labels[order])
    members = sizes[host] + 1
    trial = np.repeat(np.arange(len(at)), members)
    place = np.arange(len(trial)) - np.repeat(np.cumsum(members) - members, members)
    itself = place == sizes[host][trial]
    listed = order[np.where(itself, 0, starts[host][trial] + place)]
    listed = np.where(itself, rows[at][trial], listed)
    added = work.losses.of(listed, trial) - lost[host]
    first = np.lexsort((host, added, at))
    first = first[np.flatnonzero(np.diff(at[first], prepend=-1))]
    rise[at[first]], where[at[first]] = added[first], host[first]
    return rise, where


def _best_stages(
    leaving: Callable[[Labels, Labels, Floats], tuple[Labels, Floats]],
    work: _Work,
    rows: Labels,
    groups: Labels,
    lost: Floats,
    near: _Near,
    room: int,
) -> list[_Change]:
    """Return for each group the stage at which most is saved, if its records leave one by one as `leaving` says."""
    least, price = work.problem.k, work.price
    numbers, own = np.unique(groups, return_inverse=True)
    first_loss = lost[numbers]
    suppressed: dict[int, list[int]] = {int(g): [] for g in numbers}
    paid = np.zeros(len(numbers))
    best: dict[int, _Change] = {}
    now = first_loss.copy()
    names = numbers
    for _ in range(room):
        place, after = leaving(rows, own, now)
        for g, row in zip(names.tolist(), rows[place].tolist(), strict=True):
            suppressed[g].append(row)
        paid = paid + price[rows[place]]
        stays = np.ones(len(rows), dtype=bool)
        stays[place] = False
        rows, own = rows[stays], own[stays]
        some = np.unique(own)
        names, paid, first_loss, after = names[some], paid[some], first_loss[some], after[some]
        own = np.searchsorted(some, own)
        if not len(rows):
            break
        now = work.losses.of(rows, own) if np.isnan(after).any() else after
        sizes = np.bincount(own)
        rest = np.array([near.rise[near.of[row]] for row in rows.tolist()])
        joining = np.bincount(own, weights=rest)
        starts = np.cumsum(sizes) - sizes
        saves = first_loss - paid - np.where(sizes >= least, now, joining)
        for i in np.flatnonzero(saves > GAIN * first_loss).tolist():
            g = int(names[i])
            if g in best and best[g].saves >= saves[i]:
                continue
            left = rows[starts[i] : starts[i] + sizes[i]] if sizes[i] < least else rows[:0]
            hosts = np.array([near.host[near.of[row]] for row in left.tolist()], dtype=np.int64)
            best[g] = _Change(g, np.array(suppressed[g]), left, hosts, float(saves[i]))
        # a group of which less is lost than any of its records costs has nothing more to save
        further = (now > np.minimum.reduceat(price[rows], starts)) & (sizes > 1)
        keep = further[own]
        rows, own = rows[keep], own[keep]
        if not len(rows):
            break
        some = np.unique(own)
        names, paid, first_loss, now = names[some], paid[some], first_loss[some], now[some]
        own = np.searchsorted(some, own)
    return list(best.values())


def _apart(changes: list[_Change], room: int) -> list[_Change]:
    """Return the changes that save most per suppressed record and do not touch one another, with `room` records."""
    changes = sorted(changes, key=lambda one: (-one.saves / len(one.dropped), one.group, len(one.dropped)))
    touched: set[int] = set()
    chosen: list[_Change] = []
    for one in changes:
        involved = {one.group, *one.hosts.tolist()}
        if len(one.dropped) <= room and not involved & touched:
            touched |= involved
            room -= len(one.dropped)
            chosen.append(one)
    return chosen


def _first_of_each(groups: Labels, key: Floats) -> Labels:
    """Return the place of the smallest key of each group 0, 1, ...; the first of several."""
    order = np.lexsort((np.arange(len(key)), key, groups))
    return order[np.flatnonzero(np.diff(groups[order], prepend=-1))]


def _change_of(labels: Labels, one: _Change) -> None:
    """Suppress the records of a change, and move those that join other groups, in place."""
    labels[one.dropped] = -1
    labels[one.moved] = one.hosts


def _back_of(labels: Labels, one: _Change) -> None:
    """Put a suppressed record into its group, in place."""
    labels[one.moved] = one.hosts


def number_of_present(labels: Labels, present: npt.NDArray[np.bool_]) -> Labels:
    """Return labels without gaps, in the order of the groups that are there; -1 for suppressed records."""
    number = np.cumsum(present) - 1
    found: Labels = np.where(labels < 0, -1, number[labels])
    return found
