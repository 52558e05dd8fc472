"""Groups of smallest cellular cost for many records: duals on a grid, without a matrix of distances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.partition.cellular_cost.as_partition import as_partition, check_sizes, in_rows, n_suppressible
from shoal.partition.cellular_cost.grid_opening_costs import by_openings
from shoal.partition.cellular_cost.grid_outliers import by_guesses as by_guesses_on_grid
from shoal.partition.cellular_cost.grid_outliers import grid_cost, improved_at_scale
from shoal.partition.cellular_cost.groups import sum_rounded_down
from shoal.partition.cellular_cost.improve_blocks import RecordPoints
from shoal.partition.cellular_cost.opening_costs import summable
from shoal.partition.radius.improve import reach_of
from shoal.partition.radius.points import Points
from shoal.partition.result import Floats, Partition


def by_grid_duals(points: Points, costs: Floats, r: int, max_suppressed: float | Fraction) -> Partition:
    """Run the algorithm for many records: duals on a grid, without a matrix of distances."""
    records = RecordPoints.of(points.metric)
    n, scale, at_least = len(records.point), points.scale, max(r, 1)
    order = points.order[np.lexsort((costs[points.order], records.point))]
    opening = summable(costs[order] / scale, points.metric.distances_from(0), n)
    allowed = n_suppressible(max_suppressed, n, r)
    reach = reach_of(points.metric, at_least)
    if allowed:
        start, theorem = by_guesses_on_grid(records, reach, r, allowed), "CELLULAR-6"
    else:
        start = by_openings(records, opening, reach, r)
        theorem = "CELLULAR-7" if not r else "CELLULAR-5" if (opening == opening[0]).all() else "CELLULAR-8"
    clusters = improved_at_scale(records, opening, reach, start.clusters, at_least, allowed)
    clusters = min(clusters, start.clusters, key=lambda some: grid_cost(records, some, opening))
    check_sizes(clusters, r, n - allowed)
    need, spread = (np.sort(values[records.point])[: n - allowed] for values in (reach.need, reach.spread))
    by_need = max(sum_rounded_down(np.append(need, opening.min())), start.least)
    found = in_rows(order, clusters, records.radii(clusters))
    return as_partition(
        found,
        theorem,
        holds=start.holds,
        cost=grid_cost(records, clusters, opening) * scale,
        theorem_cost=grid_cost(records, start.clusters, opening) * scale,
        bounds=(by_need * scale, start.bound * scale, sum_rounded_down(spread) / 2 * scale),
        scale=scale,
        allowed=allowed,
        duals=start.duals,
        plain=start.plain,
    )
