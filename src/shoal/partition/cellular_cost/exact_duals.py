"""Groups of smallest cellular cost by a matrix of all distances and exact duals, for up to some thousand records."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.cellular_cost.as_partition import RATIOS, as_partition, check_sizes, in_rows, n_suppressible
from shoal.partition.cellular_cost.groups import Clusters, cost_of, radii_of, sum_rounded_down
from shoal.partition.cellular_cost.improve import improved
from shoal.partition.cellular_cost.opening_costs import opening_costs, summable
from shoal.partition.cellular_cost.outliers import by_guesses, improved_kept
from shoal.partition.cellular_cost.primal_dual import by_witness, of_at_least, pay
from shoal.partition.radius.balls import Metric
from shoal.partition.radius.points import n_points, weighted_points
from shoal.partition.result import Floats, Labels, Partition
from shoal.space.metric import Precomputed

ROUNDING = 1e-9
"""Relative tolerance, for rounding errors, when the theorem's inequality between cost and duals is checked."""


def by_exact_duals(distances: Distances, at_least: int, max_suppressed: float | Fraction) -> Partition:
    """Run the algorithm with a matrix of distances and exact duals."""
    matrix, opening = distances.matrix, distances.opening
    n, scale = len(matrix), distances.scale
    allowed = n_suppressible(max_suppressed, n, at_least)
    order = np.argsort(matrix, axis=1, kind="stable")
    # Duals are lowered by more than rounding can have raised them, so that no ball's price is exceeded.
    lowered = 1 - 8 * (n + 4) ** 2 * 2.0**-53
    spread = matrix[np.arange(n), order[:, max(at_least, 1) - 1]]
    need = np.maximum(matrix, spread).min(axis=1)
    start = _by_theorem(distances, order, at_least, lowered)
    clusters = improved(matrix, opening, start.clusters, max(at_least, 1))
    if allowed:
        others = improved_kept(matrix, clusters, at_least, allowed)
        start = _by_guesses(distances, order, need, at_least, allowed, lowered)
        clusters = improved_kept(matrix, start.clusters, at_least, allowed)
        clusters = min(clusters, others, key=lambda some: cost_of(matrix, opening, some))
    check_sizes(clusters, at_least, n - allowed)
    found = in_rows(distances.order, clusters, radii_of(matrix, clusters))
    by_need = sum_rounded_down(np.append(np.sort(need)[: n - allowed], opening.min()))
    return as_partition(
        found,
        start.theorem,
        holds=start.holds,
        cost=cost_of(matrix, opening, clusters) * scale,
        theorem_cost=cost_of(matrix, opening, start.clusters) * scale,
        bounds=(by_need * scale, start.bound * scale, sum_rounded_down(np.sort(spread)[: n - allowed]) / 2 * scale),
        scale=scale,
        allowed=allowed,
        duals=start.duals,
        plain=_plain_duals(distances, order, at_least, lowered),
    )


def _plain_duals(distances: Distances, order: Labels, r: int, lowered: float) -> Floats | None:
    """Return duals whose payments never exceed the opening cost of a ball of at least r records.

    None without r or without opening costs.
    """
    if not r or not distances.opening.any():
        return None
    return pay(distances.matrix, order, distances.opening, r, per_radius=0).alpha * lowered


class TheoremGroups(NamedTuple):
    """The groups for which the theorem holds, before they are improved, and the lower bound from its duals.

    `holds` says whether their cost satisfies the inequality that the proof shows for distances.
    """

    clusters: Clusters
    bound: float
    theorem: str
    holds: bool
    duals: Floats | None


def _by_theorem(distances: Distances, order: Labels, r: int, lowered: float) -> TheoremGroups:
    """Run the primal-dual algorithm without suppression, and check the inequality of its proof."""
    matrix, opening = distances.matrix, distances.opening
    paid = pay(matrix, order, opening, r)
    clusters = by_witness(matrix, paid)
    theorem, divisor = "CELLULAR-1", 1
    if r:
        clusters = of_at_least(
            lambda center, some: matrix[center, some], order[clusters.centers, :r], opening, clusters, r
        )
        theorem, divisor = "CELLULAR-2" if (opening == opening[0]).all() else "CELLULAR-3", 2
    duals = paid.alpha * lowered
    most = float(RATIOS[theorem]) * float(paid.alpha.sum()) / divisor * (1 + ROUNDING)
    holds = cost_of(matrix, opening, clusters) <= most
    return TheoremGroups(clusters, sum_rounded_down(duals) / divisor, theorem, holds, duals)


def _by_guesses(
    distances: Distances, order: Labels, need: Floats, r: int, allowed: int, lowered: float
) -> TheoremGroups:
    guessed = by_guesses(distances.matrix, order, need, r, allowed, lowered)
    return TheoremGroups(guessed.clusters, guessed.bound, "CELLULAR-4", guessed.slack >= 0, None)


class Distances(NamedTuple):
    """Distances and opening costs of the records in `order`, both divided by `scale`."""

    matrix: Floats
    opening: Floats
    order: Labels
    scale: float


def read_distances(
    points: Any,
    opening_cost: npt.ArrayLike | None,
    r: int | None,
    metric: str | None,
    n_threads: int | None,
) -> Distances:
    """Return the distances and opening costs of all records, in canonical order."""
    n = n_points(points, metric)
    costs = opening_costs(opening_cost, n)
    records = weighted_points(points, metric, at_least=r or 1, n_threads=n_threads)
    point = np.repeat(np.arange(len(records.metric)), records.metric.counts)
    # Records with equal coordinates may have different opening costs; the cheapest comes first.
    by_cost = np.lexsort((costs[records.order], point))
    matrix = _matrix(records.metric)
    if len(matrix) < n:
        matrix = np.ascontiguousarray(matrix[point][:, point])
    order = records.order[by_cost]
    return Distances(matrix, summable(costs[order] / records.scale, matrix, n), order, records.scale)


def _matrix(metric: Metric) -> Floats:
    if isinstance(metric, Precomputed):
        return metric.matrix
    return np.stack([metric.distances_from(row) for row in range(len(metric))])
