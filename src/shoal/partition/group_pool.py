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

    def balance(self, duals: Floats, most: Floats, unit: float, n_rounds: int) -> Floats:
        """Return duals that fit these groups better, none above `most`, after rounds that begin with `duals`."""
        duals = np.minimum(duals, most)
        holders = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        holders = holders[np.argsort(self.members, kind="stable")]
        sizes = np.bincount(self.members, minlength=len(self.counts))
        first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        groups = self.members, self.starts, self.costs, holders, first
        for _ in range(0, n_rounds, RESTART):
            take_rounds(*groups, self.counts, most, unit, RESTART, duals, self.opened)
        return duals
