"""The problem that groups must solve and the budget for solving it, as they are passed from step to step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shoal.partition.generalization.annealing_schedule import Whole
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.cost import cost_function
from shoal.partition.result import Floats, Labels
from shoal.requirements import Records, Requirement
from shoal.space.space import Space


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Group the records of `space` so that every requirement is met, at the lowest cost in the choice's objective."""

    choice: Choice
    space: Space
    k: int
    requirements: Sequence[Requirement]
    """All requirements, k-anonymity included."""
    records: Records
    """The people and sensitive values of the records, from which the requirements are evaluated."""
    max_suppressed: float = 0.0
    """The largest share of the records that may be suppressed."""
    apart: Floats | None = None
    """If these are some of the table's records: a lower bound on the distance of each to the others, so that a bound
    on the cost of every grouping of the whole table can be found. What a method proves of a part is not claimed."""
    is_block: bool = False
    """Whether these are the records of one block, which is grouped alone: the table has other shares of values."""
    whole: Whole | None = None
    """If these are some of the table's records: how many the table has, so that the search of each part is as warm
    as that of the whole would be."""

    def cost(self, labels: Labels) -> float:
        """Return the cost of a grouping in the choice's objective, suppressed records (-1) included."""
        return cost_function(self.choice, self.space)(labels)

    @property
    def only_k(self) -> bool:
        """Whether k-anonymity is the only requirement and is counted in rows, not in people."""
        return len(self.requirements) == 1 and self.records.people is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much work may be spent on lowering the cost, and the seed of the random numbers of the search.

    Requirements are met in any case. Only the steps that lower the cost stop at the time limit.
    """

    effort: float | None = None
    """Proposals per record; if None, each search uses its own default from `shoal.effort`."""
    time_limit: float | None = None
    """Seconds, counted from `begun`; None for no limit."""
    seed: int = 0
    begun: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, 0 once it has passed; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.begun + self.time_limit - time.monotonic())

    def part(self, share: float) -> Budget:
        """Return a budget with the same start and the given share of the time limit; this one if it has no limit."""
        return self if self.time_limit is None else replace(self, time_limit=share * self.time_limit)
