"""l-diversity: every group has l well-represented sensitive values, so that the group does not reveal a person's.

There are four kinds, from weak to strong in what they require of rare and frequent values:

distinct    the group has at least l different values;
frequency   no value belongs to more than 1/l of the people whose value is known;
entropy     the entropy of the values is at least log(l);
recursive   with counts r1 >= r2 >= ... the most frequent value is rarer than c (r_l + r_{l+1} + ...).

A missing value is none of the values: an attacker who knows that a person's value is there is not misled by people of
whom nothing is known. A group in which every value is missing meets no l. With `count_missing` it is a value like any
other.

References
----------
.. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007). "l-diversity: privacy beyond
   k-anonymity." ACM TKDD 1(1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.policy import DiversityKind
from shoal.requirements.counts import Counts, Floats, Sparse
from shoal.requirements.requirement import TOLERANCE, Requirement

MISSING_COUNTS = "missing counted as a value"
MISSING_DOES_NOT_COUNT = "missing not counted"


@dataclass(frozen=True, slots=True)
class LDiversity(Requirement):
    """The requirement that every group has `l` well-represented values of `column`; `c` is for the recursive kind."""

    theorem: ClassVar[str] = "PRIVACY-2"
    column: str
    l: float  # noqa: E741 (the field's own name)
    kind: DiversityKind = "distinct"
    c: float | None = None
    count_missing: bool = False

    @property
    def name(self) -> str:
        return f"{self.kind} l-diversity of {self.column}"

    @property
    def sentence(self) -> str:
        meaning = {
            "distinct": f"every group holds at least {self.l:g} different values of {self.column}",
            "frequency": f"no value of {self.column} is held by more than 1/{self.l:g} of a group's people",
            "entropy": f"the values of {self.column} in a group are as uncertain as {self.l:g} equally frequent ones",
            "recursive": f"the most frequent value of {self.column} in a group is rarer than {self.c or 0:g} times "
            f"all values from the {self.l:g}. most frequent on",
        }
        return f"{meaning[self.kind]} ({MISSING_COUNTS if self.count_missing else MISSING_DOES_NOT_COUNT})"

    @property
    def asked(self) -> float:
        return self.l

    def measure(self, counts: Counts) -> Floats:
        """Return the largest l that each group meets, for this kind (and this c)."""
        frequencies, people = counts.sensitive[self.column], counts.people
        missing = None if self.count_missing else counts.missing.get(self.column)
        if missing is not None:
            # Missing values keep their entries, with nobody holding them, because every group must have an entry.
            unknown = np.where(frequencies.keys == missing, frequencies.weights, 0)
            frequencies = replace(frequencies, weights=frequencies.weights - unknown)
            people = people - frequencies.per_group(unknown)
        held = frequencies.weights > 0
        if self.kind == "distinct":
            return frequencies.per_group(held.astype(np.float64))
        if self.kind == "frequency":
            most = np.maximum.reduceat(frequencies.weights, frequencies.start[:-1])
            return np.where(most > 0, people / np.maximum(most, 1), 0.0)
        if self.kind == "entropy":
            total = frequencies.per_group(frequencies.weights)
            share = np.where(held, frequencies.weights / np.maximum(frequencies.per_entry(total), 1), 1.0)
            uncertain = np.exp(frequencies.per_group(-share * np.log(share)))
            return np.where(total > 0, uncertain, 0.0)
        return _largest_recursive(frequencies, self.c or 0.0)


def _largest_recursive(frequencies: Sparse, c: float) -> Floats:
    """Return the largest l with r1 < c (r_l + ... + r_m) for each group; 0 where even l = 1 fails.

    The sum on the right only decreases with l, so counting the l that hold gives the largest.
    """
    falling = frequencies.weights[np.lexsort((-frequencies.weights, frequencies.groups))]
    opens = frequencies.start[:-1]
    before = np.cumsum(falling) - falling
    above = before - frequencies.per_entry(before[opens])
    tail = frequencies.per_entry(frequencies.per_group(frequencies.weights)) - above
    # strictly smaller: two sides that are equal must fail, however c is rounded
    met = frequencies.per_entry(falling[opens]) + TOLERANCE < c * tail
    largest: Floats = frequencies.per_group(met.astype(np.float64))
    return largest
