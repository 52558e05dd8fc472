"""One small instance of a theorem: how to solve it, and what the best answer costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from shoal.partition.result import Partition


@dataclass(frozen=True)
class Case:
    """Costs and optima are exact numbers in any scale that keeps their order.

    `power` says how that scale grows with the reported one: 2 where a Euclidean radius is compared by its square.
    `yardstick` is the optimum that the theorem's ratio speaks of, where that is not an optimum of the same kind as
    the cost: a ratio for centers anywhere is a stronger claim than one for records as centers.
    """

    k: int
    run: Callable[[], Partition]
    cost: Callable[[Partition], Fraction]
    """Of the groups that were returned, worked out anew by the oracle."""
    optimum: Callable[[], Fraction]
    yardstick: Callable[[], Fraction] | None = None
    other_bounds: dict[str, Callable[[], Fraction]] | None = None
    """Bounds in `Partition.details`, each with the optimum that it must not exceed."""
    own_proof: Callable[[Partition], float] | None = None
    """The bound of the run that alone proves the ratio of what the theorem gave, where there is one."""
    power: int = 1
    story: object = None
    """What to print when the case fails: the numbers of the instance."""
