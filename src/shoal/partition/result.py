"""The result of every partitioning function: groups of records, their cost and a lower bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal._repr import brief

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_RATIO = 2**1000
"""A larger ratio is neither claimed nor reported: it is near the end of the floating-point numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The changes made to groups so that they meet requirements that their method does not handle itself."""

    groups_before: int
    groups_after: int
    suppressed: int
    """The number of records suppressed by the changes."""
    exchanged: int = 0
    """The number of records moved by exchanges between groups."""
    cost_before: float
    cost_after: float

    def as_dict(self) -> dict[str, float]:
        """Return the fields as a certificate lists them; `exchanged` is omitted if it is 0."""
        return {name: value for name, value in asdict(self).items() if name != "exchanged" or value}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionCost:
    """One point of the outlier curve.

    If at most the share `allowed` of the records may be suppressed, the method suppresses `n_suppressed` of them, and
    the groups of the other records cost `cost`.
    """

    allowed: float
    n_suppressed: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LessGeneralized:
    """A method for generalization, and what its groups and these lose of an average cell as ranges and sets."""

    method: str
    lost: float
    lost_here: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Details:
    """Numbers that only some functions report; None if the function does not report them."""

    # around records: gather, cellular, diverse
    lower_bound_any_center: float | None = None
    """A lower bound for groupings whose centers may be any points, not only records."""
    lower_bound_centers: Literal["records", "members"] | None = None
    """Which centers `Partition.lower_bound` allows: any records, or only members of the group."""
    n_outliers_allowed: int | None = None
    n_outliers: int | None = None
    """The number of records suppressed, which is the smallest possible."""
    dual_bound: float | None = None
    """The lower bound that `duals` prove."""
    duals: Floats | None = None
    """A dual variable per record; docs/proofs/cellular.md says how to check them."""
    plain_duals: Floats | None = None
    """A dual variable per record of the problem without group sizes: their sum is a lower bound too."""
    # squared error and the loss of aggregation
    loss: float | None = None
    """The cost in percent of the cost of one group of all records."""
    total: float | None = None
    """The cost of one group of all records; for squared error this is the total sum of squares, SST."""
    start_cost: float | None = None
    """The cost of the groups from which the search started."""
    # generalization
    factor_weight: float | None = None
    """The total edge weight of the graph that was cut into the groups of `pairs` or `triples`."""
    n_looked_at: int | None = None
    """The number of combinations of levels for which groups were counted."""
    bound: str | None = None
    """The name of the lower bound reported, if the function has several."""
    # classes of one column
    class_weights: Labels | None = None
    """The number of people in every class."""
    simple_bound: int | None = None
    """A lower bound found by counting alone."""
    relaxed_k: int | None = None
    """The least number of people per class, if fewer than k were allowed."""
    rectangles: Floats | None = None
    """One row per group: low and high on the first axis, low and high on the second."""
    degree: int | None = None
    """The degree of the spanning tree along which a map was cut."""
    parts: int | None = None
    """The number of connected components of a map."""
    joined: tuple[tuple[int, int], ...] = ()
    """Pairs of regions joined because a connected component had too few people."""

    def __repr__(self) -> str:
        """Return the names of the reported numbers, without values: duals and rectangles reveal single records."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        reported = [name for name, value in values.items() if value is not None and not isinstance(value, tuple)]
        return brief(self, ", ".join(reported + ["joined"] * bool(self.joined)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Partition:
    """Groups of records, their cost, and a lower bound on the cost of every feasible grouping.

    `labels` has one entry per record: groups are 0, 1, ... in the order of their first record, -1 is a
    suppressed record. `lower_bound` holds for every feasible grouping of the same input; 0 is the trivial
    bound. `ratio_proved` is the ratio of cost to optimum that `theorem` proves, None for a heuristic;
    `ratio_seen` is cost / lower_bound of this run. `theorem_cost` is the cost before a search improved the
    groups that the theorem is about, None if there was no such search.

    Examples
    --------
    >>> from shoal.partition import gather
    >>> found = gather([[0.0], [1.0], [10.0], [11.0]], k=2)
    >>> found.n_groups, found.sizes.tolist(), found.ratio_seen
    (2, [2, 2], 1.0)
    """

    labels: Labels
    method: str
    objective: str
    cost: float
    lower_bound: float = 0.0
    ratio_proved: Fraction | None = None
    theorem: str | None = None
    centers: Floats | Labels | None = None
    radii: Floats | None = None
    theorem_cost: float | None = None
    notes: tuple[str, ...] = ()
    timed_out: bool = False
    """Whether a time limit stopped a search before its effort was spent."""
    levels: Mapping[str, int] | None = None
    """The level of every column, if each column is published at one level of its hierarchy."""
    repair: Repair | None = None
    """The changes made to meet requirements beyond the method's own; None if its groups met them."""
    candidates: Mapping[str, float] | None = None
    """The cost of every candidate, by name, if several were tried; this partition is the cheapest."""
    outlier_curve: tuple[SuppressionCost, ...] = ()
    """The cost if other shares of the records could have been suppressed."""
    counterfeits: int = 0
    """The number of counterfeit records among the records."""
    less_generalized: LessGeneralized | None = None
    """Groups for less generalization, if this partition has another objective and they keep more of the table."""
    details: Details = Details()
    """Numbers that only some functions report."""

    def __repr__(self) -> str:
        left_out = f", {self.n_suppressed} left out" if self.n_suppressed else ""
        return brief(self, f"{len(self.labels)} records in {self.n_groups} groups by {self.method}{left_out}")

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def sizes(self) -> Labels:
        """The number of records in every group."""
        kept = self.labels[self.labels >= 0]
        return np.bincount(kept, minlength=self.n_groups).astype(np.int64)

    @property
    def n_suppressed(self) -> int:
        """The number of suppressed records."""
        return int(np.count_nonzero(self.labels < 0))

    @property
    def ratio_seen(self) -> float | None:
        """Cost over lower bound, which is at least the ratio of cost to optimum.

        It is 1 if the cost is 0, and None if the lower bound is 0 and the cost is not, or if it is beyond
        floating-point numbers.
        """
        if self.cost == 0:
            return 1.0
        ratio = self.cost / self.lower_bound if self.lower_bound > 0 else math.inf
        return ratio if ratio <= MOST_RATIO else None

    def without_claim(self, reason: str, **changes: Any) -> Partition:
        """Return this partition with the given changes and without the ratio, which need not hold after them.

        Notes that name the theorem are dropped with it.

        Parameters
        ----------
        reason : str
            The reason, as a sentence that is added to `notes`.
        **changes : Any
            New values of fields.

        Returns
        -------
        Partition
            The changed partition, with neither ratio nor theorem.
        """
        notes = [note for note in self.notes if self.theorem is None or self.theorem not in note]
        return replace(self, ratio_proved=None, theorem=None, notes=(*notes, reason), **changes)


def share_of(share: float | Fraction, n: int) -> int:
    """Return the largest whole number that is at most `share` x `n`.

    The share is taken as the decimal that is written, not as the float: 0.29 of 100 records are 29.
    """
    return math.floor(Fraction(str(share)) * n)
