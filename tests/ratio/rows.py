"""Which instances and which oracle judge a theorem: one row per theorem id.

To add a theorem, write a function that draws a `Case` from a random generator and put it into `ROWS`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from tests.oracles.generalization import best_generalization_cost, generalization_cost
from tests.oracles.groupings import blocks_of
from tests.oracles.radius import best_diameter, best_record_radius
from tests.oracles.squared_error import best_squared_error, squared_error
from tests.ratio.case import Case
from tests.ratio.instances import a_metric, mixed_table, values

Rng = np.random.Generator


def gather_case(rng: Rng, *, few_groups: bool = False, outliers: bool = False, anywhere: bool = True) -> Case:
    """Largest radius with records as centers; the ratio is against centers anywhere, or against records too."""
    from shoal.partition.gather import gather

    r = int(rng.integers(2, 4))
    n = int(rng.integers(r, 9 if outliers else 10))
    space = a_metric(rng, n)
    dropped = int(rng.integers(1, 3)) if outliers else 0
    dropped = min(dropped, n - r)
    groups = int(rng.integers(1, 4)) if few_groups else None
    limits = {"max_groups": groups, "max_dropped": dropped}
    options = {"max_outliers": Fraction(dropped, n), "max_groups": groups}

    def cost(partition) -> Fraction:
        return max(
            Fraction(max(space.distance[partition.centers[group]][i] for i in block))
            for group, block in enumerate(blocks_of(partition.labels))
        )

    @cache
    def of_records() -> Fraction:
        return best_record_radius(space.distance, r, **limits)

    @cache
    def of_any() -> Fraction:
        return best_diameter(space.distance, r, **limits) / 2**space.power

    return Case(
        k=r,
        run=lambda: gather(space.points, r, metric=space.metric, **options),
        cost=cost,
        optimum=of_records,
        yardstick=of_any if anywhere else None,
        other_bounds={"lower_bound_any_center": of_any},
        own_proof=lambda found: found.details["lower_bound_any_center"] if anywhere else found.lower_bound,
        power=space.power,
        story=(r, limits, space),
    )


def forest_case(rng: Rng) -> Case:
    """Generalization cost of numbers, hierarchies and labels."""
    from shoal.partition.forest import forest

    k = int(rng.integers(2, 4))
    rows, columns, space = mixed_table(rng, int(rng.integers(k, 10)))
    return Case(
        k=k,
        run=lambda: forest(space, k),
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_generalization_cost(rows, columns, k),
        story=(k, rows, columns),
    )


def univariate_case(rng: Rng) -> Case:
    """Squared error of one column."""
    from shoal.partition.univariate import univariate

    k = int(rng.integers(2, 4))
    points = values(rng, int(rng.integers(k, 10)), 1)
    return Case(
        k=k,
        run=lambda: univariate(points.astype(float), k),
        cost=lambda partition: squared_error(points.tolist(), blocks_of(partition.labels)),
        optimum=lambda: best_squared_error(points.tolist(), k),
        story=(k, points.ravel().tolist()),
    )


ROWS: dict[str, Callable[[Rng], Case]] = {
    "FOREST-1": forest_case,
    "GATHER-1": gather_case,
    "GATHER-2": lambda rng: gather_case(rng, outliers=True),
    "GATHER-3": lambda rng: gather_case(rng, outliers=True, anywhere=False),
    "GATHER-4": lambda rng: gather_case(rng, few_groups=True),
    "GATHER-5": lambda rng: gather_case(rng, few_groups=True, outliers=True),
    "UNI-1": univariate_case,
}
