"""What every requirement on a group can say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from shoal.requirements.counts import Counts, Floats

TOLERANCE = 1e-9
"""Measures are floating-point numbers: only what is equal on paper may be decided by less than this."""


class Requirement(ABC):
    """A predicate on the counts of a group, monotone under merging.

    Where two groups hold and share no person, their union holds; `theorem` (docs/proofs/privacy.md) proves it, and
    says for which requirements it is true of groups that share people too.
    """

    theorem: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """The criterion, and the column it speaks of."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it asks, for people."""

    @property
    @abstractmethod
    def asked(self) -> float:
        """The number that `measure` is compared with."""

    @abstractmethod
    def measure(self, counts: Counts) -> Floats:
        """Per group: the strictest number that the group would still meet."""

    def holds(self, counts: Counts) -> npt.NDArray[np.bool_]:
        """Per group: whether it meets the requirement."""
        held: npt.NDArray[np.bool_] = self.shortfall(counts) == 0
        return held

    def shortfall(self, counts: Counts) -> Floats:
        """Per group: 0 where the requirement holds, else how far it is missed, as a share of what was asked."""
        missing = (self.asked - self.measure(counts)) / self.asked
        return np.where(missing <= TOLERANCE, 0.0, missing)
