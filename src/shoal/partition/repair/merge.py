"""Groups that miss a requirement are merged with their neighbors until every group meets every requirement.

Problem     given a partition and requirements that the whole table meets as one group, meet them in every group.
Guarantee   every group of the result meets every requirement (PRIVACY-4, docs/proofs/privacy.md); records are only
            suppressed within the budget. No ratio: a theorem about the partition before does not speak of the one
            after. A lower bound stays one, because more requirements only raise the optimum, unless records go.
Complexity  O(log G) rounds in practice and at most G; a round is one tree over the G groups and one sort.

Notes
-----
Each failing group weighs merges with the groups nearest to it (by representative: means of numbers, most frequent
labels), with the nearest among every 16th, 256th, ... group, because what it lacks may be far away, and with those
beside it in sorted order. The price of a merge is its rise of size x diagonal (of the box around a group, in the
space's own metric) per size x shortfall that it removes; the lowest price wins. A group is suppressed instead, while
the budget lasts, where at its best price it would cost more to meet the requirements than to spread its own records
over the whole table: losing them is then cheaper than what others lose by keeping them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError
from shoal.partition.result import Floats, Labels, Partition, Repair, number_groups, share_of
from shoal.requirements import Records, Requirement, Tally, check_feasible
from shoal.requirements.counts import collect
from shoal.requirements.requirement import TOLERANCE
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, Space

FEWEST, MOST, TRIALS = 3, 16, 400_000
"""Neighbors tried per failing group and stride: as many as keep all trials below TRIALS, from FEWEST to MOST."""
STRIDE = 16
BESIDE = 2
"""Neighbors on each side in sorted order: where all groups are equally far apart, they spread the merges."""
PATIENCE = 2.0
"""A group waits for the next round rather than pay more than this many times its best price."""
BLOCK = 200_000
"""Trials counted at once: bounds the memory."""


def repair(
    partition: Partition,
    space: Space,
    requirements: Sequence[Requirement],
    records: Records,
    *,
    cost: Callable[[Labels], float],
    max_suppressed: float = 0.0,
) -> Partition:
    """Merge (or, within `max_suppressed` of all records, suppress) groups until all requirements hold everywhere.

    A partition that holds already comes back as it is. Otherwise its `repair` says what it took, `cost` is
    asked for the new cost, and the claim of a ratio is dropped.
    """
    tally = Tally.of(partition.labels, records)
    if not shortfall_of(tally, requirements).any():
        return partition
    budget = share_of(max_suppressed, len(space)) - partition.n_suppressed
    start = GroupBoxes.of(partition.labels, space, records, tally)
    fate = _meet(start, requirements, max(budget, 0))
    if fate is None and budget > 0:
        fate = _meet(start, requirements, 0)  # what was suppressed is needed by the rest
    if fate is None:
        check_feasible(list(requirements), records)
        raise InfeasibleError(
            "the records that are not suppressed do not meet the requirements even as one group.",
            "lower max_suppressed, or ask for less.",
        )
    labels = number_groups(np.where(partition.labels < 0, -1, fate[partition.labels]))
    changed = replace(partition, labels=labels)
    suppressed = changed.n_suppressed - partition.n_suppressed
    after = cost(labels)
    told = Repair(
        groups_before=partition.n_groups,
        groups_after=changed.n_groups,
        suppressed=suppressed,
        cost_before=partition.cost,
        cost_after=after,
    )
    return changed.without_claim(
        f"{partition.n_groups - changed.n_groups} groups were merged or suppressed to meet the requirements",
        cost=after,
        lower_bound=0.0 if suppressed else partition.lower_bound,
        centers=None,
        radii=None,
        theorem_cost=None,
        repair=told,
    )


def _meet(groups: GroupBoxes, requirements: Sequence[Requirement], budget: int) -> Labels | None:
    """What becomes of each original group: its new group, or -1; None if even one group does not hold."""
    whole = groups.diagonal(groups.low.min(axis=0, keepdims=True), groups.high.max(axis=0, keepdims=True))[0]
    groups, fate = groups.joined(np.arange(len(groups.size)), np.full(len(groups.size), -1))  # sorts them
    hurry = False
    with progress.step("repair", total=len(fate)) as advance:
        while True:
            short = shortfall_of(groups.tally, requirements)
            n_failing = int(np.count_nonzero(short))
            if not n_failing:
                return fate
            if len(short) == 1:
                return None
            trials = _try_merges(groups, requirements, short)
            gone = _cheaper_gone(groups, trials, short, whole, budget)
            budget -= int(groups.size[gone].sum())
            partner = _match(trials, gone, len(short), hurry=hurry)
            hurry = 4 * (int(np.count_nonzero(partner >= 0)) + len(gone)) < n_failing
            kept = (partner < 0) | (np.arange(len(partner)) < partner)
            kept[gone] = False
            first = np.flatnonzero(kept)
            groups, moved = groups.joined(first, partner[first])
            fate = np.where(fate < 0, -1, moved[fate])
            advance(len(short) - len(groups.size))
            if not len(groups.size):
                return None


def shortfall_of(tally: Tally, requirements: Sequence[Requirement]) -> Floats:
    counts = tally.counts()
    total: Floats = np.sum([requirement.shortfall(counts) for requirement in requirements], axis=0)
    return total


# -- groups as points and boxes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class GroupBoxes:
    """Every group's representative, box, size and counts, in an order that depends on the records alone."""

    space: Space
    """Of the representatives."""
    low: Floats
    high: Floats
    size: Labels
    signature: npt.NDArray[np.uint64]
    """The sum of its records' hashes: equal only for groups of equal records."""
    tally: Tally

    @classmethod
    def of(cls, labels: Labels, space: Space, records: Records, tally: Tally) -> GroupBoxes:
        hashes = _hashes(space, records)
        order = np.argsort(hashes, kind="stable")  # sums must not depend on the order of rows
        order = order[labels[order] >= 0]
        order = order[np.argsort(labels[order], kind="stable")]
        points, groups = space.coordinates[order], labels[order]
        start = np.flatnonzero(np.diff(groups, prepend=-1))
        size = np.diff(start, append=len(groups))
        centers = np.add.reduceat(points, start, axis=0) / size[:, None]
        for j, axis in enumerate(space.axes):
            if axis.kind != LINE:
                centers[:, j] = _most_frequent(groups, points[:, j].astype(np.int64), len(size))
        return cls(
            replace(space, coordinates=centers),
            np.minimum.reduceat(points, start, axis=0),
            np.maximum.reduceat(points, start, axis=0),
            size,
            np.add.reduceat(hashes[order], start),
            tally,
        )

    def diagonal(self, low: Floats, high: Floats) -> Floats:
        """The distance between the corners of boxes. Below a tree's lowest common node all leaves lie between."""
        total = np.zeros(len(low))
        for j, axis in enumerate(self.space.axes):
            if axis.ancestors is None or axis.level_cost is None:
                side = high[:, j] - low[:, j]
            else:
                first, last = low[:, j].astype(np.int64), high[:, j].astype(np.int64)
                side = axis.level_cost[np.argmax(axis.ancestors[first] == axis.ancestors[last], axis=1)]
            total += side if self.space.norm == 1 else side * side
        return total if self.space.norm == 1 else np.sqrt(total)

    def joined(self, first: Labels, second: Labels) -> tuple[GroupBoxes, Labels]:
        """The groups first[i] with second[i] (-1: none), sorted, and where each group went (-1: nowhere).

        A merged group has the mean of the numbers and the labels of the larger part.
        """
        other = np.where(second >= 0, second, first)
        added = np.where(second >= 0, self.size[other], 0)
        size = self.size[first] + added
        here, there = self.space.coordinates[first], self.space.coordinates[other]
        centers = here + (there - here) * (added / size)[:, None]
        larger = np.where((added > self.size[first])[:, None], there, here)
        labels = [j for j, axis in enumerate(self.space.axes) if axis.kind != LINE]
        centers[:, labels] = larger[:, labels]
        signature = self.signature[first] + np.where(second >= 0, self.signature[other], np.uint64(0))
        order = np.lexsort((signature, *centers.T[::-1]))
        first, second, other = first[order], second[order], other[order]
        moved = np.full(len(self.size), -1, dtype=np.int64)
        moved[first] = moved[other] = np.arange(len(first))
        after = GroupBoxes(
            replace(self.space, coordinates=centers[order]),
            np.minimum(self.low[first], self.low[other]),
            np.maximum(self.high[first], self.high[other]),
            size[order],
            signature[order],
            self.tally.joined(first, second),
        )
        return after, moved


def _most_frequent(groups: Labels, leaves: Labels, n_groups: int) -> Labels:
    """The most frequent leaf of every group, the smaller one of two."""
    found = collect(groups, leaves, n_groups)
    order = np.lexsort((found.keys, -found.weights, found.groups))
    return found.keys[order][found.start[:-1]]


def _hashes(space: Space, records: Records) -> npt.NDArray[np.uint64]:
    """One number per record, equal for equal records (coordinates, sensitive values, person)."""
    columns: list[npt.NDArray[Any]] = [column + 0.0 for column in space.coordinates.T]  # -0.0 is 0.0
    columns += [codes for _, codes in sorted(records.sensitive.items())]
    columns += [records.people] if records.people is not None else []
    mixed = np.full(len(space), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in columns:  # the finalizer of splitmix64, once per column
        mixed = (mixed ^ np.ascontiguousarray(column).view(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


# -- one round -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Trials:
    """Merges that were weighed, best first for each failing group."""

    group: Labels
    other: Labels
    price: Floats
    """The rise of size x diagonal per size x shortfall removed; infinite where nothing is removed."""
    rise: Floats
    best: npt.NDArray[np.intp]
    """Per failing group, the place of its best trial; failing groups in ascending order."""


def _try_merges(groups: GroupBoxes, requirements: Sequence[Requirement], short: Floats) -> _Trials:
    group, other = _candidates(groups.space, np.flatnonzero(short))
    low, high = np.minimum(groups.low[group], groups.low[other]), np.maximum(groups.high[group], groups.high[other])
    spread = groups.size * groups.diagonal(groups.low, groups.high)
    size = groups.size[group] + groups.size[other]
    rise = np.maximum(size * groups.diagonal(low, high) - spread[group] - spread[other], 0.0)
    blocks = [slice(start, start + BLOCK) for start in range(0, len(group), BLOCK)]
    after = [shortfall_of(groups.tally.joined(group[b], other[b], trial=True), requirements) for b in blocks]
    missing = groups.size * short
    removed = missing[group] + missing[other] - size * np.concatenate(after)
    price = np.full(len(group), np.inf)
    np.divide(rise, removed, out=price, where=removed > TOLERANCE)
    order = np.lexsort((other, rise, price, group))
    group = group[order]
    return _Trials(group, other[order], price[order], rise[order], np.flatnonzero(np.diff(group, prepend=-1)))


def _candidates(space: Space, failing: Labels) -> tuple[Labels, Labels]:
    """Pairs (failing group, another group), each once, sorted."""
    n = len(space)
    strides = [1]
    while n // (strides[-1] * STRIDE) > MOST:
        strides.append(strides[-1] * STRIDE)
    width = min(MOST, max(FEWEST, TRIALS // (len(failing) * len(strides))))
    beside = failing[:, None] + np.array([d for d in range(-BESIDE, BESIDE + 1) if d])
    others = [np.clip(beside, 0, n - 1)]
    for stride in strides:
        among = np.arange(stride // 2, n, stride)
        tree = Neighbors(space.take(among))
        others.append(among[tree.nearest(min(width + 1, len(among)), space.coordinates[failing])[1]])
    cells = np.sort((failing[:, None] * n + np.hstack(others)).ravel())
    group, other = np.divmod(cells[np.diff(cells, prepend=-1) > 0], n)
    return group[group != other], other[group != other]


def _cheaper_gone(groups: GroupBoxes, trials: _Trials, short: Floats, whole: float, budget: int) -> Labels:
    """Groups that cost more to merge than to lose, dearest per record first, while the budget lasts."""
    group = trials.group[trials.best]
    size = groups.size[group]
    lost = size * (whole - groups.diagonal(groups.low[group], groups.high[group]))
    saved = trials.price[trials.best] * short[group] - lost / size
    order = np.lexsort((group, -saved))
    order = order[saved[order] > 0]
    return group[order[np.cumsum(size[order]) <= budget]]


def _match(trials: _Trials, gone: Labels, n_groups: int, *, hurry: bool) -> Labels:
    """Pairs to merge, best price first, each group at most once: `partner[g]`, or -1.

    A group whose good partners are taken waits for the next round, unless rounds merge too little (`hurry`).
    """
    best = np.repeat(trials.price[trials.best], np.diff(trials.best, append=len(trials.group)))
    chosen = np.flatnonzero(hurry | (trials.price <= PATIENCE * best))
    chosen = chosen[np.lexsort((chosen, trials.rise[chosen], trials.price[chosen]))]
    partner = [-1] * n_groups
    taken = bytearray(n_groups)
    for g in gone.tolist():
        taken[g] = 1
    for a, b in zip(trials.group[chosen].tolist(), trials.other[chosen].tolist(), strict=True):
        if not taken[a] and not taken[b]:
            taken[a] = taken[b] = 1
            partner[a], partner[b] = b, a
    return np.array(partner, dtype=np.int64)
