"""The groups that a lower bound knows of, and the linear program over them, solved approximately.

The program chooses groups, in parts, so that every record is in one of them in all; its dual gives every record a
value, so that no group's members have more than the group costs. The duals guide the search for further groups; what
is proved of them is proved elsewhere, so they need not be exact. It is solved by the primal-dual method of Chambolle
and Pock with the step sizes of Pock and Chambolle, and restarts from means [1]_: rounds of it are far faster than a
simplex method, start from the last solution, and give the same on every machine.

References
----------
.. [1] D. Applegate, O. Hinder, H. Lu and M. Lubin (2023). "Faster first-order primal-dual methods for linear
   programming using restarts and sharpness." Mathematical Programming 201, 133-184.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.primal_dual import take_rounds
from shoal.partition.result import Floats, Labels

Ids = npt.NDArray[np.int32]

RESTART = 100
"""Rounds of the primal-dual method after which it starts again from the mean of these rounds."""


class GroupPool:
    """Groups of points, their costs, and how far each is chosen. Point p stands for counts[p] records."""

    def __init__(self, counts: Labels) -> None:
        self.counts = counts
        self.members: Ids = np.zeros(0, dtype=np.int32)
        self.starts: Labels = np.zeros(1, dtype=np.int64)
        self.costs: Floats = np.zeros(0)
        self.opened: Floats = np.zeros(0)
        self._known: set[bytes] = set()

    def __len__(self) -> int:
        return len(self.costs)

    def unknown(self, groups: Ids | Labels) -> Ids:
        """Return those rows of `groups`, sorted and each once, that were not asked about before; -1 is no member."""
        rows: Ids = np.unique(np.sort(groups, axis=1), axis=0).astype(np.int32)
        is_new = np.zeros(len(rows), dtype=np.bool_)
        for place, row in enumerate(rows):
            key = row.tobytes()
            if key not in self._known:
                self._known.add(key)
                is_new[place] = True
        return rows[is_new]

    def add(self, members: Ids, starts: Labels, costs: Floats, opened: float) -> None:
        """Add groups: group g has members[starts[g]:starts[g + 1]] and is chosen to the part `opened`."""
        self.starts = np.concatenate((self.starts, starts[1:] + len(self.members)))
        self.members = np.concatenate((self.members, members.astype(np.int32)))
        self.costs = np.concatenate((self.costs, costs))
        self.opened = np.concatenate((self.opened, np.full(len(costs), opened)))

    def holders(self) -> tuple[Ids, Labels]:
        """Return the groups of each point, and where those of each point begin."""
        return _holders(self.members, self.starts, len(self.counts))

    def balance(
        self,
        duals: Floats,
        most: Floats,
        unit: float,
        n_rounds: int,
        *,
        extra: tuple[Labels, Labels] | None = None,
        extra_counts: Labels | None = None,
        within: float | None = None,
    ) -> Floats:
        """Return duals that fit these groups better, none above `most`, after rounds that begin with `duals`.

        Further points, numbered after those of the pool, have `extra_counts` records each; `extra` has a group and
        such a point for each time that the point is in the group. With `within`, groups that are not chosen take part
        only if they cost at most so much more than the duals of their members.
        """
        duals = np.minimum(duals, most)
        group, members, counts = np.repeat(np.arange(len(self)), np.diff(self.starts)), self.members, self.counts
        if extra is not None and extra_counts is not None:
            group, members = np.concatenate((group, extra[0])), np.concatenate((members, extra[1].astype(np.int32)))
            counts = np.concatenate((counts, extra_counts))
        some = np.arange(len(self))
        if within is not None:
            slack = self.costs - np.bincount(group, weights=duals[members], minlength=len(self))
            some = np.flatnonzero((slack <= within) | (self.opened > 0))
            place = np.full(len(self), -1)
            place[some] = np.arange(len(some))
            kept = place[group] >= 0
            group, members = place[group[kept]], members[kept]
        members = members[np.argsort(group, kind="stable")]
        starts = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=len(some)))))
        groups = members, starts, self.costs[some], *_holders(members, starts, len(counts))
        opened = self.opened[some]
        for _ in range(0, n_rounds, RESTART):
            take_rounds(*groups, counts, most, unit, RESTART, duals, opened)
        self.opened[some] = opened
        return duals


def _holders(members: Ids, starts: Labels, n_points: int) -> tuple[Ids, Labels]:
    """Return the groups of each point, and where those of each point begin."""
    holders = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    holders = holders[np.argsort(members, kind="stable")]
    sizes = np.bincount(members, minlength=n_points)
    return holders, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
