"""What the method reports about the groups of a release: one record that travels from the method to the certificate.

It is defined here because the verifier imports nothing that makes a release; `results.facts` fills it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

from shoal._repr import brief

MOST_RATIO = 2**1000
"""A larger ratio of cost to bound is not reported: it is near the end of the floating-point numbers."""


class OutlierPoint(Protocol):
    """One point of the curve of cost against suppressed records.

    It has the share of records that may be suppressed, how many were suppressed, and what the groups then cost.
    """

    @property
    def allowed(self) -> float: ...
    @property
    def n_suppressed(self) -> int: ...
    @property
    def cost(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFacts:
    """The classes of labels, regions or places of one column, and how far the largest is from the best possible.

    `ratio_proved` compares it with the smallest largest class of any such classes; None if no theorem applies.
    """

    column: str
    n_classes: int
    least: int
    """The least number of people in a class."""
    largest: int
    lower_bound: int
    ratio_proved: Fraction | None = None
    theorem: str | None = None

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {self.n_classes} classes")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsMore:
    """Groups for another objective that keep more of the table: the method, and what both lose of an average cell."""

    method: str
    lost: float
    lost_here: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How the groups were made, what they cost, and a lower bound on the cost of any grouping.

    Facts are private: the cost, and all that is computed from it, are statistics of the original table.
    """

    method: str
    objective: str
    """What the method minimizes."""
    reason: str | None = None
    """Why this method was chosen."""
    n_groups: int = 0
    suppressed: int = 0
    """Number of records of the original table that are not released."""
    counterfeits: int = 0
    """Number of released records that are made up (m-invariance only)."""
    cost: float | None = None
    lower_bound: float | None = None
    """A lower bound on the cost of any grouping of the same records; 0 and None claim nothing."""
    ratio_proved: Fraction | None = None
    theorem: str | None = None
    theorem_cost: float | None = None
    """The cost of the groups that the theorem is about, before they were improved."""
    notes: tuple[str, ...] = ()
    """Remarks on the run, such as a repair and its price or an early stop."""
    repair: Mapping[str, Any] | None = None
    left_out: tuple[OutlierPoint, ...] = ()
    """The cost for growing shares of suppressed records, where suppression was allowed."""
    candidates: Mapping[str, float] | None = None
    """Where the policy requires diversity: the cost of each method that was tried. The cheapest was released."""
    origins: Mapping[str, date] = field(default_factory=dict)
    """For dates that are published relative to their newest period: its first day."""
    classes: tuple[ClassFacts, ...] = ()
    """The classes of every column that is published in classes or areas."""
    keeps_more: KeepsMore | None = None
    """Groups for less generalization, if the objective is another one and they keep clearly more of the table."""
    timed_out: bool = False
    """Whether a time limit stopped the improvement early."""

    def __repr__(self) -> str:
        return brief(self, f"{self.n_groups} groups by {self.method} for {self.objective}")

    @property
    def ratio_seen(self) -> float | None:
        """The cost divided by the lower bound, which is at least the true ratio; None without a bound.

        None also where that is beyond floating-point numbers.
        """
        if self.cost == 0:
            return 1.0
        ratio = self.cost / self.lower_bound if self.cost is not None and self.lower_bound else math.inf
        return ratio if ratio <= MOST_RATIO else None
