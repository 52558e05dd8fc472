"""The method of a choice, run: one call for every method, and the cost of any grouping in the method's objective."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.partition.choose import Choice
from shoal.partition.result import Labels, Partition
from shoal.space.space import Space


def solve(
    choice: Choice,
    space: Space,
    k: int,
    *,
    seed: int = 0,
    effort: float | None = None,
    time_limit: float | None = None,
    max_suppressed: float = 0.0,
) -> Partition:
    """Groups of at least `k` records of `space` by the chosen method. Modules are imported by the method that needs them."""
    if choice.objective == "radius":
        from shoal.partition.gather import gather

        return gather(space, k, max_outliers=max_suppressed)
    if choice.objective == "generalization":
        from shoal.partition.forest import forest

        return forest(space, k)
    from shoal.partition.microaggregate import microaggregate

    return microaggregate(space, k, method=choice.method)


def cost_of(choice: Choice, space: Space) -> Callable[[Labels], float]:
    """The cost of a grouping of `space` in the choice's objective; suppressed records (-1) cost nothing."""
    if choice.objective == "radius":
        from shoal.partition.gather import radius_cost

        return lambda labels: radius_cost(space, labels)
    if choice.objective == "generalization":
        from shoal.partition.forest import generalization_cost

        return lambda labels: generalization_cost(space, labels)
    from shoal.partition.sse import sse

    def squared_error(labels: Labels) -> float:
        kept = np.flatnonzero(labels >= 0)
        return float(sse(space.coordinates[kept], labels[kept]))

    return squared_error
