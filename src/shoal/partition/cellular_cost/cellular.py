"""Groups with the smallest cellular cost (size x radius), with opening costs or with at least k records each.

Problem     split n points of a metric space into groups around records. A group costs its number of records times
            the largest distance from one of them to the center, plus the opening cost of the center. If asked for,
            groups have at least k records.
Guarantee   cost <= 3 x optimum with opening costs (CELLULAR-1); in groups of at least k <= 36 x optimum with one
            opening cost for all records or none (CELLULAR-2), <= 60 x optimum if they differ (CELLULAR-3), <= 72 x
            optimum if a fraction `max_suppressed` of the records may be suppressed (CELLULAR-4, no opening costs).
            Beyond 5,000 records: <= 5.1 x (CELLULAR-7), <= 61.2 x (CELLULAR-5), <= 102 x (CELLULAR-8) and <= 225 x
            optimum (CELLULAR-6). docs/proofs/cellular.md. Centers are records, not always of their own group, also in
            the optimum.
Complexity  Exact duals: O(n^2) memory; at most n balls are paid for, and after each one only those centers are
            examined again whose next ball may come first, in O(n) each: O(n^3) at worst, far less on real data.
            Beyond 5,000 records, duals on a grid: O(n) memory, O(n log n) for each radius of the grid in few
            dimensions. Deterministic; does not depend on the order of rows (for a matrix of distances: if no
            distances are equal).

References
----------
.. [1] G. Aggarwal, R. Panigrahy, T. Feder, D. Thomas, K. Kenthapadi, S. Khuller and A. Zhu (2010). "Achieving
   anonymity via clustering." ACM Transactions on Algorithms 6(3), 49: section 3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.errors import CertificateError, ParameterError, check_share, whole_number
from shoal.partition.cellular_cost.grid_opening_costs import by_openings
from shoal.partition.cellular_cost.grid_outliers import by_guesses as by_guesses_on_grid
from shoal.partition.cellular_cost.grid_outliers import cost_of as cost_at_scale
from shoal.partition.cellular_cost.grid_outliers import improved_at_scale
from shoal.partition.cellular_cost.groups import Clusters, cost_of, radii_of, sum_rounded_down
from shoal.partition.cellular_cost.improve import improved
from shoal.partition.cellular_cost.improve_blocks import Records
from shoal.partition.cellular_cost.outliers import by_guesses, improved_kept
from shoal.partition.cellular_cost.primal_dual import by_witness, of_at_least, pay
from shoal.partition.radius.balls import Metric
from shoal.partition.radius.improve import reach_of
from shoal.partition.radius.points import Points, n_points, weighted_points
from shoal.partition.result import Details, Floats, Labels, Partition, guarantee, number_groups
from shoal.space.metric import Precomputed

RATIOS = {
    "CELLULAR-1": Fraction(3),
    "CELLULAR-2": Fraction(36),
    "CELLULAR-3": Fraction(60),
    "CELLULAR-4": Fraction(72),
    "CELLULAR-5": Fraction(306, 5),
    "CELLULAR-6": Fraction(225),
    "CELLULAR-7": Fraction(51, 10),
    "CELLULAR-8": Fraction(102),
}
MOST_RECORDS = 5_000
"""Largest number of records for which, by default, all distances are held in memory (200 MB) and duals are exact."""
ROUNDING = 1e-9
"""Relative tolerance, for rounding errors, when the theorem's inequality between cost and duals is checked."""


@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-1"], theorem="CELLULAR-1")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-2"], theorem="CELLULAR-2")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-3"], theorem="CELLULAR-3")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-4"], theorem="CELLULAR-4")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-5"], theorem="CELLULAR-5")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-6"], theorem="CELLULAR-6")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-7"], theorem="CELLULAR-7")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-8"], theorem="CELLULAR-8")
def cellular(
    points: Any,
    *,
    k: int | None = None,
    opening_cost: npt.ArrayLike | None = None,
    max_suppressed: float | Fraction = 0.0,
    metric: Literal["precomputed", "graph"] | None = None,
    exact: bool | None = None,
    n_threads: int | None = None,
) -> Partition:
    """Return groups around records whose sum of size x radius is within a proved ratio of the smallest possible.

    With opening costs the ratio is 3 (CELLULAR-1); in groups of at least `k` records it is 36 with one opening cost
    for all records or none (CELLULAR-2), 60 where they differ (CELLULAR-3), and 72 where records may be left out
    (CELLULAR-4). Beyond 5,000 records it is 5.1, 61.2, 102 and 225. See docs/proofs/cellular.md. Give `k`,
    `opening_cost` or both.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records as points. With ``metric="precomputed"`` a symmetric matrix of distances, with
        ``metric="graph"`` a graph: a sparse matrix of lengths, or edges as rows (vertex, vertex, length).
    k : int, optional
        The least number of records in a group, at least 1.
    opening_cost : float or array of shape (n,), optional
        What a group around a record costs besides its size times its radius: one number, or one per record.
    max_suppressed : float or Fraction, default 0.0
        The share of the records that may be left out, from 0 up to but not including 1. It counts as it is
        written: 0.29 of 100 records are 29 of them. Records left out have the label -1.
        Only with `k` and without `opening_cost`.
    metric : {"precomputed", "graph"}, optional
        What `points` is, where it is neither an array of points nor a Space.
    exact : bool, optional
        Whether the duals that prove the bound are exact, which takes memory for all distances, or rise on a grid.
        Where not given, they are exact up to 5,000 records.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `centers` are rows, not always of their own group; `lower_bound` holds for every grouping around records,
        ``details.lower_bound_any_center`` also for centers that are no records. ``details.duals``, one per
        record, prove the bound ``details.dual_bound``; with `k` and opening costs the sum of
        ``details.plain_duals`` is a bound too. With `max_suppressed` there is no single list of duals.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import cellular
    >>> found = cellular([[0.0], [1.0], [10.0], [13.0]], k=2)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 8.0)
    >>> found.lower_bound <= found.cost <= 36 * found.lower_bound
    True
    """
    if k is None and opening_cost is None:
        raise ParameterError(
            "cellular needs opening_cost or k; neither was given.",
            "give k, the least size of a group: without either, every record is a group of its own.",
        )
    r = None if k is None else whole_number("k", k, 1)  # the paper's letter
    check_share("max_suppressed", max_suppressed)
    if max_suppressed > 0 and (r is None or opening_cost is not None):
        raise ParameterError(
            "cellular suppresses records (max_suppressed) only with k and without opening_cost.",
            "give k and no opening_cost beside max_suppressed, or no max_suppressed.",
        )
    n = n_points(points, metric)
    if exact if exact is not None else n <= MOST_RECORDS:
        return _exact(_read(points, opening_cost, r, metric, n_threads), r or 0, max_suppressed)
    costs = _opening_costs(opening_cost, n)
    return _on_grid(
        weighted_points(points, metric, at_least=r or 1, n_threads=n_threads), costs, r or 0, max_suppressed
    )


def _allowed(max_suppressed: float | Fraction, n: int, at_least: int) -> int:
    """Return how many records may be suppressed; at least `at_least` records stay, because fewer make no group.

    The fraction is taken as it is written: 0.29 of 100 records are 29 records.
    """
    return min(math.floor(Fraction(str(max_suppressed)) * n), n - max(at_least, 1))


def _check(clusters: Clusters, at_least: int, n_kept: int) -> None:
    """Raise a CertificateError unless group sizes and the number of grouped records are as required."""
    if clusters.sizes.min() < max(at_least, 1) or clusters.sizes.sum() < n_kept:
        raise CertificateError(
            f"internal check failed: smallest group {clusters.sizes.min()} (needs {max(at_least, 1)}), "
            f"{clusters.sizes.sum()} records grouped (needs {n_kept}); please report this."
        )


def _on_grid(points: Points, costs: Floats, r: int, max_suppressed: float | Fraction) -> Partition:
    """Run the algorithm for many records: duals on a grid, without a matrix of distances."""
    records = Records.of(points.metric)
    n, scale, at_least = len(records.point), points.scale, max(r, 1)
    order = points.order[np.lexsort((costs[points.order], records.point))]
    opening = _summable(costs[order] / scale, points.metric.distances_from(0), n)
    allowed = _allowed(max_suppressed, n, r)
    reach = reach_of(points.metric, at_least)
    if allowed:
        start, theorem = by_guesses_on_grid(records, reach, r, allowed), "CELLULAR-6"
    else:
        start = by_openings(records, opening, reach, r)
        theorem = "CELLULAR-7" if not r else "CELLULAR-5" if (opening == opening[0]).all() else "CELLULAR-8"
    clusters = improved_at_scale(records, opening, reach, start.clusters, at_least, allowed)
    clusters = min(clusters, start.clusters, key=lambda some: cost_at_scale(records, some, opening))
    _check(clusters, r, n - allowed)
    need, spread = (np.sort(values[records.point])[: n - allowed] for values in (reach.need, reach.spread))
    by_need = max(sum_rounded_down(np.append(need, opening.min())), start.least)
    found = _of_rows(order, clusters, records.radii(clusters))
    return _partition(
        found,
        theorem,
        holds=start.holds,
        cost=cost_at_scale(records, clusters, opening) * scale,
        theorem_cost=cost_at_scale(records, start.clusters, opening) * scale,
        bounds=(by_need * scale, start.bound * scale, sum_rounded_down(spread) / 2 * scale),
        scale=scale,
        allowed=allowed,
        duals=start.duals,
        plain=start.plain,
    )


def _exact(task: Task, at_least: int, max_suppressed: float | Fraction) -> Partition:
    """Run the algorithm with a matrix of distances and exact duals."""
    matrix, opening = task.matrix, task.opening
    n, scale = len(matrix), task.scale
    allowed = _allowed(max_suppressed, n, at_least)
    order = np.argsort(matrix, axis=1, kind="stable")
    # Duals are lowered by more than rounding can have raised them, so that no ball's price is exceeded.
    lowered = 1 - 8 * (n + 4) ** 2 * 2.0**-53
    spread = matrix[np.arange(n), order[:, max(at_least, 1) - 1]]
    need = np.maximum(matrix, spread).min(axis=1)
    start = _by_theorem(task, order, at_least, lowered)
    clusters = improved(matrix, opening, start.clusters, max(at_least, 1))
    if allowed:
        others = improved_kept(matrix, clusters, at_least, allowed)
        start = _by_guesses(task, order, need, at_least, allowed, lowered)
        clusters = improved_kept(matrix, start.clusters, at_least, allowed)
        clusters = min(clusters, others, key=lambda some: cost_of(matrix, opening, some))
    _check(clusters, at_least, n - allowed)
    found = _of_rows(task.order, clusters, radii_of(matrix, clusters))
    by_need = sum_rounded_down(np.append(np.sort(need)[: n - allowed], opening.min()))
    return _partition(
        found,
        start.theorem,
        holds=start.holds,
        cost=cost_of(matrix, opening, clusters) * scale,
        theorem_cost=cost_of(matrix, opening, start.clusters) * scale,
        bounds=(by_need * scale, start.bound * scale, sum_rounded_down(np.sort(spread)[: n - allowed]) / 2 * scale),
        scale=scale,
        allowed=allowed,
        duals=start.duals,
        plain=_plain_duals(task, order, at_least, lowered),
    )


def _plain_duals(task: Task, order: Labels, r: int, lowered: float) -> Floats | None:
    """Return duals whose payments never exceed the opening cost of a ball of at least r records.

    None without r or without opening costs.
    """
    if not r or not task.opening.any():
        return None
    return pay(task.matrix, order, task.opening, r, per_radius=0).alpha * lowered


def _partition(
    found: _Rows,
    theorem: str,
    *,
    holds: bool,
    cost: float,
    theorem_cost: float,
    bounds: tuple[float, float, float],
    scale: float,
    allowed: int,
    duals: Floats | None,
    plain: Floats | None,
) -> Partition:
    """Return the Partition of the found groups.

    `bounds` are three lower bounds: from the needs of records, from the duals, and for centers anywhere. Without
    `holds`, no ratio is claimed.
    """
    by_need, by_duals, any_center = bounds
    by_plain = 0.0 if plain is None else sum_rounded_down(plain) * scale
    partition = Partition(
        labels=found.labels,
        method="cellular",
        objective="cellular",
        cost=cost,
        lower_bound=max(by_need, by_duals, by_plain),
        ratio_proved=RATIOS[theorem],
        theorem=theorem,
        centers=found.centers,
        radii=found.radii * scale,
        theorem_cost=theorem_cost,
        details=Details(
            lower_bound_centers="records",
            lower_bound_any_center=any_center,
            dual_bound=by_duals,
            n_outliers_allowed=allowed,
            duals=None if duals is None else found.of_rows(duals) * scale,
            plain_duals=None if plain is None else found.of_rows(plain) * scale,
        ),
    )
    if not holds:
        return partition.without_claim("the distances break the triangle inequality, so no ratio is proved.")
    return partition


class Start(NamedTuple):
    """The groups for which the theorem holds, before they are improved, and the lower bound from its duals.

    `holds` says whether their cost satisfies the inequality that the proof shows for distances.
    """

    clusters: Clusters
    bound: float
    theorem: str
    holds: bool
    duals: Floats | None


def _by_theorem(task: Task, order: Labels, r: int, lowered: float) -> Start:
    """Run the primal-dual algorithm without suppression, and check the inequality of its proof."""
    matrix, opening = task.matrix, task.opening
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
    return Start(clusters, sum_rounded_down(duals) / divisor, theorem, holds, duals)


def _by_guesses(task: Task, order: Labels, need: Floats, r: int, allowed: int, lowered: float) -> Start:
    guessed = by_guesses(task.matrix, order, need, r, allowed, lowered)
    return Start(guessed.clusters, guessed.bound, "CELLULAR-4", guessed.slack >= 0, None)


class Task(NamedTuple):
    """Distances and opening costs of the records in `order`, both divided by `scale`."""

    matrix: Floats
    opening: Floats
    order: Labels
    scale: float


def _read(
    points: Any,
    opening_cost: npt.ArrayLike | None,
    r: int | None,
    metric: str | None,
    n_threads: int | None,
) -> Task:
    """Return the distances and opening costs of all records, in canonical order."""
    n = n_points(points, metric)
    costs = _opening_costs(opening_cost, n)
    records = weighted_points(points, metric, at_least=r or 1, n_threads=n_threads)
    point = np.repeat(np.arange(len(records.metric)), records.metric.counts)
    # Records with equal coordinates may have different opening costs; the cheapest comes first.
    by_cost = np.lexsort((costs[records.order], point))
    matrix = _matrix(records.metric)
    if len(matrix) < n:
        matrix = np.ascontiguousarray(matrix[point][:, point])
    order = records.order[by_cost]
    return Task(matrix, _summable(costs[order] / records.scale, matrix, n), order, records.scale)


def _summable(opening: Floats, distances: Floats, n: int) -> Floats:
    """Return the opening costs; raise a ParameterError if sums of them and such distances would overflow."""
    if not 2 * n * n * (float(distances.max()) + float(opening.max())) < np.inf:
        raise ParameterError(
            "sums of these distances and opening costs are beyond floating-point numbers.",
            "divide the points and the opening costs by a large number.",
        )
    return opening


def _opening_costs(opening_cost: npt.ArrayLike | None, n: int) -> Floats:
    """Return one opening cost per record; raise a ParameterError unless all are finite and at least 0."""
    given = np.asarray(0.0 if opening_cost is None else opening_cost, dtype=np.float64)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise ParameterError(f"opening_cost is a number or one number per record, {n}; its shape is {given.shape}.")
    if not np.isfinite(given).all() or (given < 0).any():
        raise ParameterError("opening_cost has entries that are negative or not finite; each must be at least 0.")
    return np.ascontiguousarray(np.broadcast_to(given, n))


def _matrix(metric: Metric) -> Floats:
    if isinstance(metric, Precomputed):
        return metric.matrix
    return np.stack([metric.distances_from(row) for row in range(len(metric))])


class _Rows(NamedTuple):
    """The partition in terms of rows; `order` has the row of each record."""

    labels: Labels
    centers: Labels
    radii: Floats
    order: Labels

    def of_rows(self, values: Floats) -> Floats:
        out = np.empty(len(values))
        out[self.order] = values
        return out


def _of_rows(order: Labels, clusters: Clusters, its_radii: Floats) -> _Rows:
    """Return the groups in terms of rows: the label of each row, and for each group its center's row and radius."""
    raw = np.empty(len(order), dtype=np.int64)
    raw[order] = clusters.labels
    labels = number_groups(raw)
    groups, first = np.unique(raw, return_index=True)
    first = first[groups >= 0]
    centers, radii = np.empty(len(first), dtype=np.int64), np.empty(len(first))
    centers[labels[first]], radii[labels[first]] = order[clusters.centers], its_radii
    return _Rows(labels, centers, radii, order)
