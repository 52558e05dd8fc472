"""k-anonymity: every combination of published quasi-identifiers is shared by at least k people.

References
----------
.. [1] L. Sweeney (2002). "k-anonymity: a model for protecting privacy." Int. J. Uncertainty, Fuzziness and
   Knowledge-Based Systems 10(5), 557-570.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.requirements.counts import Counts, Floats
from shoal.requirements.requirement import Requirement


@dataclass(frozen=True, slots=True)
class KAnonymity(Requirement):
    """The requirement that every group has at least `k` people."""

    theorem: ClassVar[str] = "PRIVACY-1"
    k: int

    @property
    def name(self) -> str:
        return "k-anonymity"

    @property
    def sentence(self) -> str:
        return f"every group has at least {self.k} people"

    @property
    def asked(self) -> float:
        return self.k

    def measure(self, counts: Counts) -> Floats:
        return counts.people.astype(np.float64)
