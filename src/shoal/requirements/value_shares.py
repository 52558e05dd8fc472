"""Limits on the share of single sensitive values in a group: (alpha, k)-anonymity, beta-likeness, delta-disclosure.

Let p be a value's share in a group and q its share in the whole released table.

alpha   no value (or none of some values) has a share above alpha among the people whose value is known;
beta    no value's share grows by more than beta times: (p - q) / q <= beta. The enhanced kind also requires
        (p - q) / q <= -ln q, so that a rare value may grow more than a frequent one;
delta   every value of the table is in every group, and its share changes by less than a factor of 2^delta either way:
        |log2(p / q)| < delta.

For beta and delta a missing value is a value, as it is for t-closeness; for alpha it is none, as for l-diversity.

References
----------
.. [1] R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang (2006). "(alpha, k)-anonymity: an enhanced k-anonymity model for
   privacy-preserving data publishing." KDD, 754-759.
.. [2] J. Cao, P. Karras (2012). "Publishing microdata with a robust privacy guarantee." PVLDB 5(11), 1388-1399.
.. [3] J. Brickell, V. Shmatikov (2008). "The cost of privacy: destruction of data-mining utility in anonymized data
   publishing." KDD, 70-78.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.policy import LikenessKind
from shoal.requirements.counts import Counts, Floats
from shoal.requirements.requirement import TOLERANCE, Requirement

ABSENT = 1e9
"""The measure of delta-disclosure for a group that lacks a value of the table: no delta is large enough."""


class ShareLimit(Requirement):
    """A requirement on the shares of single values of `column`, of which a larger measure is worse."""

    theorem: ClassVar[str] = "PRIVACY-7"
    column: str

    @abstractmethod
    def band(self, shares: Floats) -> tuple[Floats, Floats]:
        """Return the lowest and the highest share in a group of values with these shares of the table."""

    def shortfall(self, counts: Counts) -> Floats:
        """Return, for each group, how far its measure exceeds the limit; 0 if it does not."""
        above = self.measure(counts) - self.asked
        return np.where(above <= TOLERANCE, 0.0, above)


@dataclass(frozen=True, slots=True)
class AlphaAnonymity(ShareLimit):
    """The requirement that no value of `column` is held by more than a share `alpha` of a group's people.

    With `codes`, only these values are limited.
    """

    column: str
    alpha: float
    codes: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        return f"(alpha, k)-anonymity of {self.column}"

    @property
    def sentence(self) -> str:
        which = "value" if self.codes is None else "listed value"
        return f"no {which} of {self.column} is held by more than {self.alpha:g} of a group (missing not counted)"

    @property
    def asked(self) -> float:
        return self.alpha

    def band(self, shares: Floats) -> tuple[Floats, Floats]:
        limited = np.full(len(shares), self.codes is None)
        if self.codes is not None:
            limited[[code for code in self.codes if code < len(shares)]] = True
        return np.zeros(len(shares)), np.where(limited, self.alpha, 1.0)

    def measure(self, counts: Counts) -> Floats:
        """Return the largest share of a limited value among the people of each group whose value is known."""
        held, unknown = counts.sensitive[self.column], counts.missing.get(self.column)
        missing = held.keys == unknown if unknown is not None else np.zeros(len(held.keys), dtype=bool)
        known = counts.people - held.per_group(np.where(missing, held.weights, 0))
        limited = ~missing if self.codes is None else ~missing & np.isin(held.keys, self.codes)
        share = np.where(limited, held.weights, 0) / np.maximum(held.per_entry(known), 1)
        return np.minimum(np.maximum.reduceat(share, held.start[:-1]), 1.0)


@dataclass(frozen=True, slots=True)
class BetaLikeness(ShareLimit):
    """The requirement that no value's share in a group exceeds its share in the table by more than `beta` times."""

    column: str
    beta: float
    kind: LikenessKind = "basic"

    @property
    def name(self) -> str:
        return f"{self.kind} beta-likeness of {self.column}"

    @property
    def sentence(self) -> str:
        rare = ", and less for frequent values (at most -ln q for a share of q)" if self.kind == "enhanced" else ""
        return f"no value of {self.column} gains more than {self.beta:g} times its share of the whole release{rare}"

    @property
    def asked(self) -> float:
        return self.beta

    def band(self, shares: Floats) -> tuple[Floats, Floats]:
        gain = np.full(len(shares), self.beta)
        if self.kind == "enhanced":
            gain = np.minimum(gain, -np.log(np.where(shares > 0, shares, 1.0)))
        return np.zeros(len(shares)), np.minimum((1.0 + gain) * shares, 1.0)

    def measure(self, counts: Counts) -> Floats:
        """Return the largest relative gain of a value in each group; for the enhanced kind, relative to its limit."""
        held, total = counts.sensitive[self.column], counts.totals[self.column]
        usual = (total / total.sum())[held.keys]
        gain = held.shares() / usual - 1.0
        if self.kind == "enhanced":
            allowed = np.minimum(self.beta, -np.log(usual))
            # A value that everybody has cannot gain: 0 / 0 is no gain, and roundings are not.
            gain = np.where(gain > TOLERANCE, gain * self.beta / np.maximum(allowed, TOLERANCE), 0.0)
        return np.maximum(np.maximum.reduceat(gain, held.start[:-1]), 0.0)


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(ShareLimit):
    """The requirement that a value's share in every group is its share in the table, up to a factor of 2^delta."""

    column: str
    delta: float

    @property
    def name(self) -> str:
        return f"delta-disclosure of {self.column}"

    @property
    def sentence(self) -> str:
        return (
            f"every value of {self.column} is in every group, with a share that differs from that in the whole "
            f"release by a factor of less than 2^{self.delta:g}"
        )

    @property
    def asked(self) -> float:
        return self.delta

    def band(self, shares: Floats) -> tuple[Floats, Floats]:
        factor = 2.0 ** (self.delta - 2 * TOLERANCE)  # it must stay below delta
        return shares / factor, np.minimum(shares * factor, 1.0)

    def measure(self, counts: Counts) -> Floats:
        """Return the largest |log2(p / q)| in each group, and ABSENT where a value of the table is not in it."""
        held, total = counts.sensitive[self.column], counts.totals[self.column]
        change = np.abs(np.log2(held.shares() / (total / total.sum())[held.keys]))
        largest = np.maximum.reduceat(change, held.start[:-1])
        return np.where(held.sizes < np.count_nonzero(total), ABSENT, largest)

    def shortfall(self, counts: Counts) -> Floats:
        """Return, for each group, 0 if its measure is below delta, else by how much it is above.

        A group that lacks values is short by one more for each, so that a merge which adds one is seen to help.
        """
        held, total = counts.sensitive[self.column], counts.totals[self.column]
        measure, lacking = self.measure(counts), np.count_nonzero(total) - held.sizes
        above = np.where(lacking > 0, self.delta + lacking, measure - self.delta)
        return np.where(measure < self.delta - TOLERANCE, 0.0, np.maximum(above, TOLERANCE))


__all__ = ["ABSENT", "AlphaAnonymity", "BetaLikeness", "DeltaDisclosure", "ShareLimit"]
