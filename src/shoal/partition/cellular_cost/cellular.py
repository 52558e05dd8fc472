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

from fractions import Fraction
from typing import Any, Literal

import numpy.typing as npt

from shoal.errors import ParameterError, check_share, whole_number
from shoal.partition.cellular_cost.as_partition import RATIOS
from shoal.partition.cellular_cost.exact_duals import by_exact_duals, read_distances
from shoal.partition.cellular_cost.many_records import by_grid_duals
from shoal.partition.cellular_cost.opening_costs import opening_costs
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.radius.points import n_points, weighted_points
from shoal.partition.result import Partition

MOST_RECORDS = 5_000
"""Largest number of records for which, by default, all distances are held in memory (200 MB) and duals are exact."""


@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-1"], theorem="CELLULAR-1")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-2"], theorem="CELLULAR-2")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-3"], theorem="CELLULAR-3")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-4"], theorem="CELLULAR-4")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-5"], theorem="CELLULAR-5")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-6"], theorem="CELLULAR-6")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-7"], theorem="CELLULAR-7")
@guarantee(objective="cellular", ratio=RATIOS["CELLULAR-8"], theorem="CELLULAR-8")
@checked
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
        return by_exact_duals(read_distances(points, opening_cost, r, metric, n_threads), r or 0, max_suppressed)
    costs = opening_costs(opening_cost, n)
    return by_grid_duals(
        weighted_points(points, metric, at_least=r or 1, n_threads=n_threads), costs, r or 0, max_suppressed
    )
