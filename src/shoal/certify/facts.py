"""What is said of the groups of a release by those who made them: one record, from the method to the certificate.

The verifier imports nothing of what made a release, so the record is defined here and filled there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol


class OutlierPoint(Protocol):
    """Of the largest share that may be left out, so many records were, and the others' groups cost so much."""

    @property
    def allowed(self) -> float: ...
    @property
    def n_left_out(self) -> int: ...
    @property
    def cost(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How the groups were made, what they cost, and what no other groups can beat.

    Private: the cost and what follows from it are statistics of the raw table.
    """

    method: str
    objective: str
    """What the method minimizes."""
    reason: str | None = None
    """Why this method."""
    n_groups: int = 0
    suppressed: int = 0
    """Records that were left out."""
    counterfeits: int = 0
    """Of the released records, those that are made up."""
    cost: float | None = None
    lower_bound: float | None = None
    """Of every grouping of the same records; 0 and None say nothing."""
    ratio_proved: Fraction | None = None
    theorem: str | None = None
    theorem_cost: float | None = None
    """Before what the theorem gave was improved."""
    notes: tuple[str, ...] = ()
    """What else is to be said of the run: a repair and its price, an early stop."""
    repair: Mapping[str, Any] | None = None
    left_out: tuple[OutlierPoint, ...] = ()
    """What leaving out outliers buys, where that was allowed: the smallest share first."""
    candidates: Mapping[str, float] | None = None
    """The cost of every way that was tried, where a policy asks for diversity; the cheapest was released."""
    timed_out: bool = False
    """A time limit stopped the improvement early."""

    @property
    def ratio_seen(self) -> float | None:
        """At least the true ratio of this run; None where the bound says nothing."""
        if self.cost == 0:
            return 1.0
        return self.cost / self.lower_bound if self.cost is not None and self.lower_bound else None
