"""Which groups of one choice of levels are released, where groups are compared with what is released.

Problem     groups with a number of rows and a gain each (what is lost if the group is suppressed, less what is lost
            if it is published); requirements that compare a group with all released groups, such as t-closeness; a
            number of rows that may be suppressed. Find the set of groups of the greatest gain in which every group
            meets the requirements.
Guarantee   every group that is kept meets them. If `exact`, no other set has a greater gain: docs/proofs/lattice.md,
            section 2b.
Complexity  branch and bound: a node takes O(G V) for G groups and V values, and a sort of the groups for each group
            that fails. It ends at a given amount of work.

Notes
-----
Suppressing a group moves what the others are compared with. To suppress all groups that fail, again and again, may
suppress groups that would meet the requirements once others are gone, or none of which had to go if another one had.
Here a node has groups that go, groups that stay, and groups that are free. If all that do not go meet the
requirements, they are the best set of the node. If one of them would fail whichever free groups go, it goes. Else one
that fails goes in one branch, and stays in the other one, where free groups must go in its favor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Floats, Labels
from shoal.requirements import BetaLikeness, DeltaDisclosure, Requirement, Tally, TCloseness
from shoal.requirements.counts import Counts
from shoal.requirements.requirement import TOLERANCE

Mask = npt.NDArray[np.bool_]
MOST_CELLS = 4_000_000
"""Counts of values in groups are laid out as a whole table up to this size. Beyond it a group goes only where the
largest change of the released shares that is possible at all does not suffice."""
MOST_TESTED = 100_000
"""Pairs of a group that fails and a group that may go that are looked at for one set; the groups that fail most come
first."""
WORK_OF_A_LOOK = 2000
"""What a look at one set of groups takes however few they are, in cells of a table of groups."""
MARGIN = 1e-9
"""Shares and distances are rounded sums: a group must go only if it fails by more than this beyond the tolerance."""
MOST_ADDED = 256
"""Groups that are put back one by one at most, if not all sets were looked at."""
COMPARED = (TCloseness, BetaLikeness, DeltaDisclosure)
"""The requirements that compare a group with all that is released."""


class Kept(NamedTuple):
    """The groups that are released, and whether no other set of them has a greater gain."""

    groups: Mask | None
    """None if there is no such set, or none that loses less than the limit."""
    exact: bool
    work: int
    """How much was looked at, in cells of a table of groups."""


def keep_groups(
    tally: Tally,
    requirements: Sequence[Requirement],
    n_rows: Labels,
    gains: Floats,
    budget: int,
    *,
    most: float = math.inf,
    most_work: int,
) -> Kept:
    """Return the set of groups of the greatest gain that loses less than `most` and suppresses at most `budget` rows.

    All groups of `tally` meet the requirements that look at one group alone; `requirements` are those that compare.
    """
    search = _Groups(tally, requirements, n_rows, gains, budget, most)
    everyone = np.ones(len(n_rows), dtype=bool)
    search.note(search.cascade(everyone))
    nodes = [(everyone, ~everyone)]
    while nodes and search.work < most_work:
        nodes += search.branches(*nodes.pop())
    if nodes and search.best is not None:
        search.add_back()
    return Kept(search.best, not nodes, search.work)


@dataclass(eq=False)
class _Groups:
    """The groups, and the best set that was found."""

    tally: Tally
    requirements: Sequence[Requirement]
    n_rows: Labels
    gains: Floats
    budget: int
    least: float
    """What the best set loses beyond what all groups lose if none is suppressed; sets must lose less."""
    best: Mask | None = None
    work: int = 0
    counted: dict[str, Floats] = field(init=False)
    """The number of people of each group (row) who have each value, for columns that are small enough."""

    def __post_init__(self) -> None:
        self.counted, counts = {}, self.tally.counts()
        for name in {one.column for one in self.requirements if isinstance(one, COMPARED)}:
            held, n_values = counts.sensitive[name], len(counts.totals[name])
            if len(self.n_rows) * n_values <= MOST_CELLS:
                self.counted[name] = np.zeros((len(self.n_rows), n_values))
                self.counted[name][held.groups, held.keys] = held.weights

    def counts_of(self, kept: Mask) -> Counts:
        """Return the counts of the groups of a set, as if they were all that is released."""
        some = np.flatnonzero(kept)
        return self.tally.joined(some, np.full(len(some), -1)).counts()

    def shortfall(self, kept: Mask) -> Floats:
        """Return by how much each group of a set misses the requirements; 0 for groups that are not in the set."""
        found = np.zeros(len(kept))
        if kept.any():
            counts = self.counts_of(kept)
            found[kept] = np.sum([one.shortfall(counts) for one in self.requirements], axis=0)
        return found

    def room(self, kept: Mask) -> int:
        """Return how many more rows may go; negative if too many are gone."""
        return self.budget - int(self.n_rows[~kept].sum())

    def note(self, kept: Mask) -> None:
        """Keep a set whose groups meet the requirements, if it is the best one so far."""
        lost = float(self.gains[~kept].sum())
        if kept.any() and self.room(kept) >= 0 and lost < self.least:
            self.best, self.least = kept, lost

    def cascade(self, kept: Mask) -> Mask:
        """Return the set that is left if all groups that fail go, until none does."""
        while (failing := self.shortfall(kept) > 0).any():
            kept = kept & ~failing
        return kept

    def add_back(self) -> None:
        """Put groups back into the best set, those of the greatest gain first, where all groups still hold."""
        assert self.best is not None
        gone = np.flatnonzero(~self.best)
        for group in gone[np.argsort(-self.gains[gone], kind="stable")][:MOST_ADDED].tolist():
            more = self.best.copy()
            more[group] = True
            if not self.shortfall(more).any():
                self.note(more)

    def branches(self, kept: Mask, stays: Mask) -> list[tuple[Mask, Mask]]:
        """Return the nodes below the one in which groups of `kept` are not gone and those of `stays` must not go.

        The node that comes last in the list is looked at first.
        """
        while True:
            room = self.room(kept)
            if room < 0 or not kept.any() or self.gains[~kept].sum() >= self.least:
                return []
            self.work += WORK_OF_A_LOOK + len(kept)
            short = self.shortfall(kept)
            failing = short > 0
            if not failing.any():
                self.note(kept)
                return []
            free = kept & ~stays
            must_go, helps = self._must_go(kept, free, np.flatnonzero(failing), room)
            if not must_go.any():
                break
            if (must_go & stays).any():
                return []
            kept = kept & ~must_go
        chosen = np.flatnonzero(failing & free)
        if len(chosen):
            group = int(chosen[np.argmax(short[chosen])])
        else:  # groups that fail have to stay: another one goes in their favor, if any can
            chosen = np.flatnonzero(free & (self.n_rows <= room))
            if not len(chosen):
                return []
            group = int(chosen[np.argmax(helps[chosen])])
        gone, staying = kept.copy(), stays.copy()
        gone[group], staying[group] = False, True
        return [(kept, staying), (gone, stays)]

    def _must_go(self, kept: Mask, free: Mask, failing: Labels, room: int) -> tuple[Mask, Floats]:
        """Return the groups that fail whichever free groups go, and how much the going of each helps the worst."""
        must_go, helps = np.zeros(len(kept), dtype=bool), np.zeros(len(kept))
        counts = self.counts_of(kept)
        place = np.cumsum(kept) - 1
        for one in self.requirements:
            short = one.shortfall(counts)[place[failing]]
            if not isinstance(one, COMPARED) or not short.any():
                continue
            total = counts.totals[one.column]
            if isinstance(one, TCloseness):
                if one.distance != "equal" and int(total[total > 0].min()) <= room:
                    continue  # the distance of values changes with the values that are released
                far = short > room / total.sum() + MARGIN  # the shares of what is released change by at most this
                if far.any() or one.column not in self.counted:
                    must_go[failing[far]] = True
                    continue
            elif one.column not in self.counted:
                continue
            some = failing[np.argsort(-short, kind="stable")[: max(1, MOST_TESTED // len(kept))]]
            self.work += len(some) * len(kept)
            held = self.counted[one.column]
            size = held.sum(axis=1)
            share, whole = held[:, : len(total)] / size[:, None], total / total.sum()
            test, need = _tests(one, share[some], whole, total, counts)
            means = np.einsum("gv,iv->gi", share, test)  # not by a library whose rounding depends on threads
            reached = _largest_means(means, size, kept, free, some, room)
            must_go[some[reached < need - MARGIN]] = True
            helps = size * (need[0] - means[:, 0])
        return must_go, helps


def _tests(one: Requirement, share: Floats, whole: Floats, total: Labels, counts: Counts) -> tuple[Floats, Floats]:
    """Return functions of the values, one for each group that fails, and the mean that releases must have of them.

    A group with these shares can meet the requirement only beside a release in which the mean of its function is at
    least `need`; what is released now, with the shares `whole`, has a smaller mean.
    """
    if isinstance(one, TCloseness):
        if one.distance == "equal":
            test = (share > whole).astype(np.float64)
        elif one.distance == "hierarchical":
            test = np.zeros(share.shape)
            levels = counts.ancestors[one.column].counting(total)
            for nodes in levels:
                names = nodes[: len(total)]
                above = np.zeros((len(total), int(names.max()) + 1))
                above[np.arange(len(total)), names] = 1.0
                here, usual = np.einsum("gv,vm->gm", share, above), np.einsum("v,vm->m", whole, above)
                test += (here > usual)[:, names] / len(levels)
        else:
            occurs = np.flatnonzero(total > 0)
            sign = np.sign(np.cumsum(share[:, occurs] - whole[occurs], axis=1)[:, :-1])
            test = np.zeros(share.shape)
            test[:, occurs[:-1]] = np.cumsum(sign[:, ::-1], axis=1)[:, ::-1] / max(len(occurs) - 1, 1)
        return test, np.sum(test * share, axis=1) - one.t - TOLERANCE
    place = np.arange(len(share))
    ratio = np.divide(share, whole, out=np.ones_like(share), where=whole > 0)
    if isinstance(one, BetaLikeness):
        value = np.argmax(ratio, axis=1)
        test = np.zeros(share.shape)
        test[place, value] = 1.0
        return test, share[place, value] / (1.0 + one.beta + TOLERANCE)
    assert isinstance(one, DeltaDisclosure)
    with np.errstate(divide="ignore"):
        value = np.argmax(np.abs(np.log2(ratio)), axis=1)
    own, factor = share[place, value], 2.0**one.delta
    more = own > whole[value]
    test = np.repeat(~more[:, None], share.shape[1], axis=1).astype(np.float64)
    test[place, value] = more
    return test, np.where(more, own / factor, 1.0 - own * factor)


def _largest_means(means: Floats, size: Floats, kept: Mask, free: Mask, of: Labels, room: int) -> Floats:
    """Return at least the largest mean of each function over the people of what is released, if free groups may go.

    means[group, i] is the mean of function i in a group of `size` people, and `of[i]` is a group that stays. At most
    `room` people go. Groups go in the order of their means, the last one in part: no set of groups does better.
    """
    rows = np.flatnonzero(free)
    order = np.argsort(means[rows], axis=0, kind="stable")
    value = np.take_along_axis(means[rows], order, axis=0)
    leaves = np.where(rows[order] == of, 0.0, size[rows][order])
    before = np.cumsum(leaves, axis=0) - leaves
    leaves = np.clip(room - before, 0.0, leaves)
    sums = np.einsum("gi,g->i", means, size * kept)
    people = float(np.sum(size * kept))
    after = (sums - np.cumsum(leaves * value, axis=0)) / (people - np.cumsum(leaves, axis=0))
    largest: Floats = np.maximum(sums / people, after.max(axis=0, initial=-np.inf))
    return largest
