"""Keeping people together who were published together: which members of a group a release shows, and which it omits.

Problem     Some people of a group of an earlier release have left the table. Show as many of the others as possible,
            so that those who are shown meet the requirements, and so do those who disappear at this release.
Guarantee   In every group, the people shown meet every requirement, or nobody is shown; with covered departures, so
            do the people who disappear (SEQUENCE-1, docs/proofs/sequence.md). Groups that nobody left stay whole.
Complexity  A constant number of passes over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.requirements import Records, Requirement, count
from shoal.space.space import LINE, Space

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

TRIED_CHOICES = 8
"""How many choices of people to suppress are tried for a group before it is suppressed whole.

The first choice is the outermost people, then they are drawn at random.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """The people shown by the latest release: first the `n_present` still in the table, then those who left it.

    `group` numbers their groups 0, 1, ...; `before` has the codes of the sensitive values that the latest release
    showed for them, `now` those that this release would show (for those present only). `missing_now` and
    `missing_before` are the codes of missing values in either, for columns that may have some.
    """

    group: Ints
    n_present: int
    now: dict[str, Ints]
    before: dict[str, Ints]
    missing_now: Mapping[str, int] = field(default_factory=dict)
    missing_before: Mapping[str, int] = field(default_factory=dict)

    def shown_hold(self, inside: Flags, asked: Sequence[Requirement], n_groups: int) -> Flags:
        """Return, per group, whether the members `inside` meet the requirements with their current values."""
        return self._hold(inside, self.now, self.missing_now, asked, n_groups)

    def vanished_hold(self, inside: Flags, asked: Sequence[Requirement], n_groups: int) -> Flags:
        """Return, per group, whether the members `inside` meet the requirements with the values last shown."""
        return self._hold(inside, self.before, self.missing_before, asked, n_groups)

    def _hold(
        self,
        inside: Flags,
        values: dict[str, Ints],
        missing: Mapping[str, int],
        asked: Sequence[Requirement],
        n_groups: int,
    ) -> Flags:
        """Return, per group, whether its members `inside` meet all requirements; an empty group does."""
        present, labels = np.unique(self.group[inside], return_inverse=True)
        rows = np.flatnonzero(inside)
        records = Records(len(rows), None, {name: codes[rows] for name, codes in values.items()}, {}, missing)
        found = np.ones(n_groups, dtype=bool)
        if len(present):
            counts = count(labels.astype(np.int64), records)
            found[present] = np.logical_and.reduce([one.holds(counts) for one in asked])
        return found


def staying(
    standing: Standing,
    space: Space,
    asked: Sequence[Requirement],
    *,
    covered: bool,
    draws: Callable[[int], npt.NDArray[np.uint64]],
) -> Flags:
    """Return which of the present people are shown again; `space` has their points, `asked` begins with k.

    `draws` gives a random number for each of them, different in every round, from the secret of the release, because
    who is suppressed can be seen.
    """
    n_groups = int(standing.group.max(initial=-1)) + 1
    present = np.arange(len(standing.group)) < standing.n_present
    touched = np.bincount(standing.group[~present], minlength=n_groups) > 0
    shown = present.copy()
    open_groups = ~standing.shown_hold(shown, asked, n_groups)
    if covered:
        open_groups |= touched & ~standing.vanished_hold(~shown, asked, n_groups)
        least = int(asked[0].asked)
        lacking = np.maximum(least - np.bincount(standing.group[~present], minlength=n_groups), 1)
        outer = _outermost(standing, space, open_groups & touched)
        for turn in range(TRIED_CHOICES):
            trying = open_groups & touched
            if not trying.any():
                break
            rank = _rank(standing, outer if turn == 0 else draws(turn))
            trial = shown.copy()
            rows = np.flatnonzero(trying[standing.group[: standing.n_present]])
            groups = standing.group[rows]
            trial[rows] = rank[rows] >= (lacking + turn // 2)[groups]
            met = trying & standing.shown_hold(trial, asked, n_groups)
            met &= standing.vanished_hold(~trial, asked, n_groups)
            settled = rows[met[groups]]
            shown[settled] = trial[settled]
            open_groups &= ~met
    shown &= ~open_groups[standing.group]
    return shown[: standing.n_present]


def _rank(standing: Standing, key: npt.NDArray[np.float64] | npt.NDArray[np.uint64]) -> Ints:
    """Return the rank of every present person in their group, by ascending `key`."""
    group = standing.group[: standing.n_present]
    order = np.lexsort((key, group))
    start = np.searchsorted(group[order], group[order], side="left")
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - start
    return rank


def _outermost(standing: Standing, space: Space, wanted: Flags) -> npt.NDArray[np.float64]:
    """Return minus the distance of each present person of the wanted groups from the group's center.

    So the farthest have the smallest values.
    """
    distance = np.zeros(standing.n_present)
    group = standing.group[: standing.n_present]
    rows = np.flatnonzero(wanted[group])
    rows = rows[np.argsort(group[rows], kind="stable")]
    for inside in np.split(rows, np.flatnonzero(np.diff(group[rows])) + 1):
        for j, axis in enumerate(space.axes):
            column = space.coordinates[inside, j]
            if axis.kind == LINE:
                middle = np.full(len(inside), np.median(column) if len(inside) else 0.0)
                distance[inside] -= axis.spanned(np.minimum(column, middle), np.maximum(column, middle))
            else:
                values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
                cost = 1.0 if axis.level_cost is None else float(axis.level_cost[-1])
                distance[inside] -= cost * (codes != int(counts.argmax())) if len(values) else 0.0
    return distance
