"""Merge groups that miss a requirement with their neighbors until every group meets every requirement.

Problem     given a partition and requirements that the whole table meets as one group, meet them in every group.
Guarantee   every group of the result meets every requirement (PRIVACY-4, docs/proofs/privacy.md); records are only
            suppressed within the budget. No ratio: what is proved of the partition before the repair is not proved
            of the one after it. The lower bound stays valid, because further requirements can only raise the
            optimum, and because the bound of a problem in which records may be suppressed holds for every choice.
Complexity  O(log G) rounds in practice and at most G; a round is one tree over the G groups and one sort.

Notes
-----
For each failing group, merges are evaluated with the groups nearest to it (by representative: means of numbers, most
frequent labels), with the nearest among every 16th, 256th, ... group, because the values it lacks may be far away,
and with its neighbors in sorted order. The price of a merge is its increase of size x diagonal (of the bounding box
of a group, in the space's own metric) per size x shortfall that it removes; the lowest price wins. While the budget
for suppression lasts, a group is suppressed instead if removing its shortfall at its best price would cost more than
generalizing its own records to the box of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Floats, Labels, Partition, Repair, share_of
from shoal.requirements import Records, Requirement, Tally, check_feasible
from shoal.requirements.counts import collect
from shoal.requirements.requirement import TOLERANCE
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, Space

FEWEST, MOST, TRIALS = 3, 16, 400_000
"""Neighbors tried per failing group and stride: from FEWEST to MOST, so that all trials together are about TRIALS."""
STRIDE = 16
BESIDE = 2
"""Neighbors tried on each side in sorted order. If all groups are equally far apart, these give each failing group
different candidates, so that many merges can be made in one round."""
PATIENCE = 2.0
"""A group is not merged at more than this many times its best price; it waits for the next round instead."""
TRIALS_AT_ONCE = 200_000
"""Trials evaluated at once, which limits the memory needed."""


def repair(
    partition: Partition,
    space: Space,
    requirements: Sequence[Requirement],
    records: Records,
    *,
    cost: Callable[[Labels], float],
    max_suppressed: float = 0.0,
) -> Partition:
    """Return the partition with groups merged or suppressed until every group meets every requirement.

    At most the share `max_suppressed` of all records is suppressed. A partition that meets everything is returned
    unchanged. Otherwise the new partition has its cost from `cost`, a summary of the changes in `repair`, and no
    proved ratio. Raises InfeasibleError if the requirements do not hold even in one group of all records.
    """
    tally = Tally.of(partition.labels, records)
    if not shortfall_of(tally, requirements).any():
        return partition
    budget = share_of(max_suppressed, len(space)) - partition.n_suppressed
    start = GroupBoxes.of(partition.labels, space, records, tally)
    fate = _meet(start, requirements, max(budget, 0))
    if fate is None and budget > 0:
        fate = _meet(start, requirements, 0)  # infeasible without the suppressed records
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
    reported = Repair(
        groups_before=partition.n_groups,
        groups_after=changed.n_groups,
        suppressed=suppressed,
        cost_before=partition.cost,
        cost_after=after,
    )
    return changed.without_claim(
        f"{partition.n_groups - changed.n_groups} groups were merged or suppressed to meet the requirements",
        cost=after,
        centers=None,
        radii=None,
        theorem_cost=None,
        repair=reported,
    )


def _meet(groups: GroupBoxes, requirements: Sequence[Requirement], budget: int) -> Labels | None:
    """Return the new group of each original group, -1 if it is suppressed.

    None if the requirements do not hold even after all remaining groups were merged into one. At most `budget`
    records are suppressed.
    """
    whole = groups.diagonal(groups.low.min(axis=0, keepdims=True), groups.high.max(axis=0, keepdims=True))[0]
    groups, fate = groups.joined(np.arange(len(groups.size)), np.full(len(groups.size), -1))  # only sorts the groups
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
            suppressed = _cheaper_suppressed(groups, trials, short, whole, budget)
            budget -= int(groups.size[suppressed].sum())
            partner = _match(trials, suppressed, len(short), hurry=hurry)
            hurry = 4 * (int(np.count_nonzero(partner >= 0)) + len(suppressed)) < n_failing
            kept = (partner < 0) | (np.arange(len(partner)) < partner)
            kept[suppressed] = False
            first = np.flatnonzero(kept)
            groups, moved = groups.joined(first, partner[first])
            fate = np.where(fate < 0, -1, moved[fate])
            advance(len(short) - len(groups.size))
            if not len(groups.size):
                return None


def shortfall_of(tally: Tally, requirements: Sequence[Requirement]) -> Floats:
    """Return the shortfall of every group, summed over the requirements; 0 if the group meets all of them."""
    counts = tally.counts()
    total: Floats = np.sum([requirement.shortfall(counts) for requirement in requirements], axis=0)
    return total


# -- groups as points and boxes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class GroupBoxes:
    """The representative, bounding box, size and counts of every group."""

    space: Space
    """The space whose points are the representatives of the groups."""
    low: Floats
    high: Floats
    size: Labels
    signature: npt.NDArray[np.uint64]
    """The sum of the hashes of each group's records: breaks ties in sorting without regard to the order of rows."""
    tally: Tally

    @classmethod
    def of(cls, labels: Labels, space: Space, records: Records, tally: Tally) -> GroupBoxes:
        """Return the groups of `labels` in the order of their labels; `tally` has their counts."""
        hashes = _hashes(space, records)
        order = np.argsort(hashes, kind="stable")  # so that rounding in sums does not depend on the order of rows
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
        """Return the distance between the corners `low` and `high` of each box.

        On an axis with a hierarchy, the side of a box is the cost of the lowest node above both corners. Leaves are
        numbered along the tree, so that node is also above every leaf between them.
        """
        total = np.zeros(len(low))
        for j, axis in enumerate(self.space.axes):
            side = axis.spanned(low[:, j], high[:, j])
            total += side if self.space.norm == 1 else side * side
        return total if self.space.norm == 1 else np.sqrt(total)

    def joined(self, first: Labels, second: Labels) -> tuple[GroupBoxes, Labels]:
        """Return the groups made by merging first[i] with second[i] (-1: with none), and where each old group went.

        The new groups are sorted by their representatives, which have the mean of the numbers, and the labels of the
        larger of the two groups. The second result is the new index of each old group, -1 if it is in none.
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
    """Return the most frequent leaf of every group; of equally frequent ones, that with the smallest code."""
    found = collect(groups, leaves, n_groups)
    order = np.lexsort((found.keys, -found.weights, found.groups))
    return found.keys[order][found.start[:-1]]


def _hashes(space: Space, records: Records) -> npt.NDArray[np.uint64]:
    """Return a hash per record, equal for records with equal coordinates, sensitive values and person."""
    columns: list[npt.NDArray[Any]] = [column + 0.0 for column in space.coordinates.T]  # -0.0 becomes 0.0
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
    """The merges that were evaluated, sorted by failing group and then by price, the lowest first."""

    group: Labels
    other: Labels
    price: Floats
    """The increase of size x diagonal per size x shortfall removed; infinite if the merge removes none."""
    rise: Floats
    best: npt.NDArray[np.intp]
    """For each failing group, in ascending order, the index of its cheapest merge."""


def _try_merges(groups: GroupBoxes, requirements: Sequence[Requirement], short: Floats) -> _Trials:
    """Return the candidate merges of every group with a shortfall, with their prices."""
    group, other = _candidates(groups.space, np.flatnonzero(short))
    low, high = np.minimum(groups.low[group], groups.low[other]), np.maximum(groups.high[group], groups.high[other])
    spread = groups.size * groups.diagonal(groups.low, groups.high)
    size = groups.size[group] + groups.size[other]
    rise = np.maximum(size * groups.diagonal(low, high) - spread[group] - spread[other], 0.0)
    blocks = [slice(start, start + TRIALS_AT_ONCE) for start in range(0, len(group), TRIALS_AT_ONCE)]
    after = [shortfall_of(groups.tally.joined(group[b], other[b], trial=True), requirements) for b in blocks]
    missing = groups.size * short
    removed = missing[group] + missing[other] - size * np.concatenate(after)
    price = np.full(len(group), np.inf)
    np.divide(rise, removed, out=price, where=removed > TOLERANCE)
    order = np.lexsort((other, rise, price, group))
    group = group[order]
    return _Trials(group, other[order], price[order], rise[order], np.flatnonzero(np.diff(group, prepend=-1)))


def _candidates(space: Space, failing: Labels) -> tuple[Labels, Labels]:
    """Return pairs of a failing group and a group to try to merge it with, sorted, each pair once."""
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


def _cheaper_suppressed(groups: GroupBoxes, trials: _Trials, short: Floats, whole: float, budget: int) -> Labels:
    """Return the failing groups to suppress: those for which this costs less than their cheapest merge.

    They are taken in descending order of the saving per record until `budget` records are used up. Suppressing a
    group costs as much as generalizing its records to a box whose diagonal is `whole`, that of the whole table.
    """
    group = trials.group[trials.best]
    size = groups.size[group]
    lost = size * (whole - groups.diagonal(groups.low[group], groups.high[group]))
    saved = trials.price[trials.best] * short[group] - lost / size
    order = np.lexsort((group, -saved))
    order = order[saved[order] > 0]
    return group[order[np.cumsum(size[order]) <= budget]]


def _match(trials: _Trials, suppressed: Labels, n_groups: int, *, hurry: bool) -> Labels:
    """Return the group that each group is merged with, -1 for none; suppressed groups are merged with none.

    Merges are made in ascending order of price, each group in at most one. A merge that costs more than PATIENCE
    times the best price of its group is left to a later round, unless `hurry` says that rounds merge too few groups.
    """
    best = np.repeat(trials.price[trials.best], np.diff(trials.best, append=len(trials.group)))
    chosen = np.flatnonzero(hurry | (trials.price <= PATIENCE * best))
    chosen = chosen[np.lexsort((chosen, trials.rise[chosen], trials.price[chosen]))]
    partner = [-1] * n_groups
    taken = bytearray(n_groups)
    for g in suppressed.tolist():
        taken[g] = 1
    for a, b in zip(trials.group[chosen].tolist(), trials.other[chosen].tolist(), strict=True):
        if not taken[a] and not taken[b]:
            taken[a] = taken[b] = 1
            partner[a], partner[b] = b, a
    return np.array(partner, dtype=np.int64)
