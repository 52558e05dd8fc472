"""The interface of all requirements on groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from shoal.requirements.counts import Counts, Floats

TOLERANCE = 1e-9
"""Measures are floating-point numbers: a measure that misses its limit by no more than this counts as equal to it."""


class Requirement(ABC):
    """A predicate on the counts of a group that is monotone under merging.

    If two groups that share no person meet it, so does their union; `theorem` (docs/proofs/privacy.md) proves this,
    and says for which requirements it also holds for groups that share people.
    """

    theorem: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """The criterion and its column, such as "t-closeness of income"."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What is required, as a sentence for readers of the report."""

    @property
    @abstractmethod
    def asked(self) -> float:
        """The required number, with which `measure` is compared."""

    @abstractmethod
    def measure(self, counts: Counts) -> Floats:
        """Return, for each group, the strictest number that the group would still meet."""

    def holds(self, counts: Counts) -> npt.NDArray[np.bool_]:
        """Return, for each group, whether it meets the requirement."""
        met: npt.NDArray[np.bool_] = self.shortfall(counts) == 0
        return met

    def shortfall(self, counts: Counts) -> Floats:
        """Return, for each group, 0 if it meets the requirement, else by how much it fails, relative to what is
        required.
        """
        missing = (self.asked - self.measure(counts)) / self.asked
        return np.where(missing <= TOLERANCE, 0.0, missing)
