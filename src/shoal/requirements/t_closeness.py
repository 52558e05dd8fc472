"""t-closeness: a group's sensitive values are distributed as in the whole released table, up to a distance t.

The distance is the earth mover's, over one of three ground distances:

equal         any two values are 1 apart: the variational distance;
ordered       values i and j of m are |i - j| / (m - 1) apart, in the order of the codes;
hierarchical  two values that first meet at level h of a hierarchy with H levels are h / H apart.

The domain is the values that occur in the released table; a missing value is one of them, last in the order and a
branch of its own below the root of the hierarchy. Of a hierarchy only those levels count that join some values of the
domain which the level below keeps apart (docs/proofs/privacy.md).

References
----------
.. [1] N. Li, T. Li, S. Venkatasubramanian (2007). "t-closeness: privacy beyond k-anonymity and l-diversity."
   ICDE, 106-115.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.policy import GroundDistance
from shoal.requirements.counts import Counts, Floats, Ints, Sparse
from shoal.requirements.requirement import TOLERANCE, Requirement


@dataclass(frozen=True, slots=True)
class TCloseness(Requirement):
    """The requirement that every group is within distance `t` of the whole release in `column`."""

    theorem: ClassVar[str] = "PRIVACY-3"
    column: str
    t: float
    distance: GroundDistance = "equal"

    @property
    def name(self) -> str:
        return f"t-closeness of {self.column}"

    @property
    def sentence(self) -> str:
        return (
            f"the values of {self.column} in every group are distributed as in the whole release, "
            f"up to {self.t:g} ({self.distance} distance, missing counted as a value)"
        )

    @property
    def asked(self) -> float:
        return self.t

    def measure(self, counts: Counts) -> Floats:
        """Return the distance of each group from the whole table."""
        frequencies, total = counts.sensitive[self.column], counts.totals[self.column]
        if self.distance == "ordered":
            return _ordered(frequencies, total)
        if self.distance == "equal":
            return _variational(frequencies, total)
        # An ultrametric is a tree metric: mass crosses the edge above a node once, and each of the H edges on the
        # way up is half of 1 / H long. So the distance is the mean over the levels of the variational distance.
        levels = [
            _variational(frequencies.renamed(nodes), np.bincount(nodes[: len(total)], weights=total))
            for nodes in counts.ancestors[self.column].counting(total)
        ]
        mean: Floats = np.mean(levels, axis=0)
        return mean

    def shortfall(self, counts: Counts) -> Floats:
        """Return, for each group, how far its distance exceeds t; 0 if it does not."""
        above = self.measure(counts) - self.t
        return np.where(above <= TOLERANCE, 0.0, above)


def _variational(frequencies: Sparse, total: Ints | Floats) -> Floats:
    """Return the variational distance: the sum of excesses, to which values that the group lacks add nothing."""
    excess: Floats = frequencies.per_group(
        np.maximum(frequencies.shares() - (total / total.sum())[frequencies.keys], 0.0)
    )
    return excess


def _ordered(frequencies: Sparse, total: Ints) -> Floats:
    """Return the area between the two cumulative distributions, divided by m - 1.

    The group's distribution is a step function that changes only at the group's values, and the table's is
    increasing: on each step one bisection finds where the two cross, and prefix sums give the area on both sides.
    """
    occurs = total > 0
    m = int(np.count_nonzero(occurs))
    if m <= 1:
        return np.zeros(len(frequencies.start) - 1)
    table = np.cumsum(total[occurs]) / total.sum()
    area = np.concatenate(([0.0], np.cumsum(table)))
    begin = (np.cumsum(occurs) - 1)[frequencies.keys]
    last = np.zeros(len(begin), dtype=bool)
    last[frequencies.start[1:] - 1] = True
    end = np.where(last, m, np.roll(begin, -1))
    running = np.cumsum(frequencies.weights)
    until = running - frequencies.per_entry((running - frequencies.weights)[frequencies.start[:-1]])
    level = until / frequencies.per_entry(frequencies.per_group(frequencies.weights))
    cross = np.clip(np.searchsorted(table, level), begin, end)
    below = level * (cross - begin) - (area[cross] - area[begin])
    over = area[end] - area[cross] - level * (end - cross)
    before_first: Floats = area[begin[frequencies.start[:-1]]]
    between: Floats = (before_first + frequencies.per_group(below + over)) / (m - 1)
    return np.maximum(between, 0.0)  # rounding may leave a small negative area
