"""What groups are asked for, and how much work may go into finding them: stated once, handed from step to step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shoal.partition.methods.choose import Choice
from shoal.partition.methods.cost import cost_of
from shoal.partition.result import Labels
from shoal.requirements import Records, Requirement
from shoal.space.space import Space


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Groups of the records of `space` that meet every requirement, at the lowest cost in the choice's objective."""

    choice: Choice
    space: Space
    k: int
    requirements: Sequence[Requirement]
    """All of them, k included."""
    records: Records
    """People and sensitive values of the records, by which requirements are counted."""
    max_suppressed: float = 0.0
    """The largest share of the records that may be left out."""

    def cost(self, labels: Labels) -> float:
        """The cost of a grouping in the choice's objective; suppressed records (-1) cost nothing."""
        return cost_of(self.choice, self.space)(labels)

    @property
    def only_k(self) -> bool:
        """Nothing is asked but groups of k rows."""
        return len(self.requirements) == 1 and self.records.people is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much work may go into lowering the cost, and the seed of what is left to chance in it.

    Requirements are met in any case: what only lowers the cost ends when the time is over.
    """

    effort: float | None = None
    """Proposals per record; each search has its own usual number where this is None."""
    time_limit: float | None = None
    """Seconds from `begun` on."""
    seed: int = 0
    begun: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """Until the time is over, 0 from then on; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.begun + self.time_limit - time.monotonic())

    def part(self, share: float) -> Budget:
        """The same budget with a part of its time: it begins as this one does and is over earlier."""
        return self if self.time_limit is None else replace(self, time_limit=share * self.time_limit)
