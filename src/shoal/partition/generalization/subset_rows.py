"""Subset rows: of three records, at most one group has two or more, which raises the bound by groups.

Problem     the linear program over groups (`group_pool`) chooses groups in parts, so three records may be, two by
            two, in three groups that are chosen to one half each. Find such triples, and what groups pay for them.
Guarantee   none of its own: whatever triples and prices there are, the bound is true if offers are proved against
            them: GROUPS-2, docs/proofs/cells.md.
Complexity  O(groups of a record x groups of its neighbors) for each record, among those chosen in part.
            Deterministic; it does not depend on the order of rows.

References
----------
.. [1] M. Jepsen, B. Petersen, S. Spoorendonk and D. Pisinger (2008). "Subset-row inequalities applied to the
   vehicle-routing problem with time windows." Operations Research 56(2), 497-511.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.kernels.subset_rows import Charges, rows_of_groups, violated_rows
from shoal.partition.group_pool import GroupPool
from shoal.partition.result import Floats, Labels

Ids = npt.NDArray[np.int32]

LEAST_K = 3
"""For k = 2 no charge satisfies GROUPS-2: the pairs of a group of three would pay for a row one and a half times."""
LEAST_OPENED, LEAST_EXCESS = 0.01, 0.05
"""Groups that are chosen to a smaller part are not looked at, nor triples whose groups are chosen less beyond 1."""
MOST_OF_RECORD, PER_POINT = 10, 20
"""Rows that a record may be in; and violated ones that are compared, per point."""
WITHIN = 1.0
"""Groups of the pool take part in balancing if they are chosen, or cost at most this many mean offers too much."""


def whole_part(k: int) -> Fraction:
    """Return which part of the price of a row any k records pay that have all three of it: GROUPS-2."""
    return {3: Fraction(0), 4: Fraction(1, 3)}.get(k, Fraction(1, 2))


def no_charges(n: int) -> Charges:
    """Return charges that nobody pays."""
    return Charges(np.zeros(n + 1, dtype=np.int64), np.zeros((0, 2), dtype=np.int32), np.zeros(0), 0.0)


class SubsetRows:
    """Triples of points that stand for one record each, and their prices."""

    def __init__(self, k: int, counts: Labels) -> None:
        self.whole, self.counts = whole_part(k), counts
        self.rows: Ids = np.zeros((0, 3), dtype=np.int32)
        self.prices: Floats = np.zeros(0)

    def add_violated(self, pool: GroupPool) -> int:
        """Add the triples that the chosen groups violate most; return their number."""
        opened = np.where(pool.opened >= LEAST_OPENED, pool.opened, 0.0)
        room = PER_POINT * len(self.counts)
        found, excess = np.empty((room, 3), dtype=np.int32), np.empty(room)
        groups = pool.members, pool.starts, opened, *pool.holders()
        n_found = violated_rows(*groups, self.counts, float(self.whole), LEAST_EXCESS, found, excess)
        found, excess = found[:n_found], excess[:n_found]
        used = np.bincount(self.rows.ravel(), minlength=len(self.counts)).tolist()
        known = {tuple(row) for row in self.rows.tolist()}
        new = []
        for row in found[np.lexsort((*found.T[::-1], -excess))].tolist():
            if all(used[i] < MOST_OF_RECORD for i in row) and tuple(row) not in known:
                new.append(row)
                for i in row:
                    used[i] += 1
        if new:
            self.rows = np.concatenate((self.rows, np.array(new, dtype=np.int32)))
            self.prices = np.concatenate((self.prices, np.zeros(len(new))))
        return len(new)

    def charges(self) -> Charges:
        """Return what groups pay for the rows of a positive price."""
        return self._charges(np.flatnonzero(self.prices > 0))[0]

    def _charges(self, some: Labels) -> tuple[Charges, Labels]:
        """Return the charges for some of the rows, and the row of each."""
        who = self.rows[some].ravel()
        order = np.argsort(who, kind="stable")
        turned = np.stack([self.rows[some][:, [(j + 1) % 3, (j + 2) % 3]] for j in range(3)], axis=1).reshape(-1, 2)
        row_of = np.repeat(some, 3)[order]
        first = np.concatenate(([0], np.cumsum(np.bincount(who, minlength=len(self.counts))))).astype(np.int64)
        return Charges(first, turned[order], self.prices[row_of], float(self.whole)), row_of

    def balance(self, pool: GroupPool, offers: Floats, most: Floats, unit: float, n_rounds: int) -> Floats:
        """Return offers that fit the groups of the pool better, and set the prices, after rounds of its method.

        A row takes part like a point of which a group of two of its records has as many copies as the denominator of
        `whole`, and a group of all three as many as its numerator; what it offers is at most 0.
        """
        charges, row_of = self._charges(np.arange(len(self.rows)))
        n_found = rows_of_groups(pool.members, pool.starts, charges, row_of, np.zeros((0, 3), dtype=np.int64))
        found = np.empty((n_found, 3), dtype=np.int64)
        rows_of_groups(pool.members, pool.starts, charges, row_of, found)
        n, copies = len(offers), self.whole.denominator
        times = np.where(found[:, 2] == 2, copies, self.whole.numerator)
        extra = (np.repeat(found[:, 0], times), np.repeat(n + found[:, 1], times))
        duals = np.concatenate((offers, -self.prices / copies))
        limits = np.concatenate((most, np.zeros(len(self.rows))))
        duals = pool.balance(
            duals,
            limits,
            unit,
            n_rounds,
            extra=extra,
            extra_counts=np.full(len(self.rows), copies),
            within=WITHIN * unit,
        )
        self.prices = -copies * duals[n:]
        return duals[:n]
