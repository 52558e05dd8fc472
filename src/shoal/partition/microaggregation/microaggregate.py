"""Groups of at least k records with a small squared error, by any of the microaggregation methods.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   method "optimal" (one column) is exact, theorem UNI-1; the others are heuristics that report a lower
            bound (SSE-1 to SSE-5, docs/proofs/microaggregation.md), so that the ratio of the run is known.
Complexity  see the modules of the methods: `mdav`, `fixed_size`, `mst`, `best`, `univariate`.

References
----------
.. [1] M. Laszlo and S. Mukherjee (2005). "Minimum spanning tree partitioning algorithm for microaggregation."
   IEEE TKDE 17(7), 902-911.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.effort import SQUARED_ERROR
from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import heuristic
from shoal.partition.microaggregation.centers import FEW_LINES, MOST_K, MOST_RECORDS
from shoal.partition.microaggregation.exact_runs import exact_runs
from shoal.partition.microaggregation.fixed_size import centroid, diameter, split_tree
from shoal.partition.microaggregation.group_loss import is_squared_error
from shoal.partition.microaggregation.mdav import mdav, v_mdav
from shoal.partition.microaggregation.mixed_columns import OwnLoss, aggregate_mixed
from shoal.partition.microaggregation.mst import spanning_tree
from shoal.partition.microaggregation.neighbor_bound import neighbor_bound
from shoal.partition.microaggregation.sse import (
    group_means,
    rounded_down,
    single_group_bound,
    sort_points,
    sse,
    standardize,
)
from shoal.partition.microaggregation.univariate import univariate
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.space.space import Space

__all__ = ["ALL_METHODS", "microaggregate", "standardize"]


METHODS: dict[str, Callable[[Floats, int, int], Labels]] = {
    "mdav": lambda points, k, _threads: mdav(points, k),
    "v-mdav": lambda points, k, _threads: v_mdav(points, k),
    "mst": lambda points, k, threads: spanning_tree(points, n_threads=threads).groups(k),
    "mst-d": lambda points, k, threads: split_tree(points, k, by_diameter=True, n_threads=threads),
    "mst-c": lambda points, k, threads: split_tree(points, k, by_diameter=False, n_threads=threads),
    "diameter": lambda points, k, _threads: diameter(points, k),
    "centroid": lambda points, k, _threads: centroid(points, k),
}
"""The methods without parameters of their own, as functions (points, k, n_threads) -> labels."""
ALL_METHODS = (*METHODS, "best", "optimal")
BOUNDS = ("neighbors", "groups", "columns")
POOL_RECORDS, POOL_K, POOL_WORK = 3000, 6, 60_000
"""Most records, largest k, and most records times k^2, for the bound "groups" from the distances of all pairs. Beyond
them it is found by a search over centers for up to three columns, and else it is "neighbors"."""
CENTER_WORK = 0.15
"""The work of that search, in units of its usual work on mixed columns."""
LEAST_POOL_EFFORT, POOL_RECORDS_PER_SECOND = 200.0, 100
"""The least effort of the search with which that bound is computed; and with a time limit, the most records for each
second of it."""
BOUND_RECORDS, BOUND_SECONDS = 5000, 240.0
"""Most records for the bound "columns", which holds the distances of all pairs in memory (200 MB); and the seconds
after which it ends, with a bound that is valid but lower than it could be."""


@heuristic(univariate)
@checked
def microaggregate(
    points: npt.ArrayLike | Space,
    k: int,
    *,
    method: str = "best",
    seed: int = 0,
    effort: int | None = None,
    time_limit: float | None = None,
    n_threads: int | None = None,
    bound: Literal["neighbors", "groups", "columns", False] = "neighbors",
    loss: OwnLoss | None = None,
    keep_order: bool = False,
) -> Partition:
    """Return groups of at least `k` records with little squared error around their means, and a lower bound of it.

    Method "optimal" (one column) is exact: theorem UNI-1. The others are heuristics; the bound (SSE-1 to SSE-5,
    docs/proofs/microaggregation.md) says how far from the optimum a run can be. Nothing is standardized here.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. On a Space with ordered values or labels the loss is that of `MixedLoss`.
    k : int
        The least number of records in a group, at least 2.
    method : str, default "best"
        "best" (a search that begins with all quick methods), "optimal" (one column), "mdav", "v-mdav", "mst",
        "mst-d", "mst-c", "diameter" or "centroid".
    seed : int, default 0
        The random numbers of "best".
    effort : int, optional
        For "best": proposals per record. Where neither it nor `time_limit` is given, 2,000 for up to 3,000 records
        and 1,000 for more, less beyond 30,000. More is never worse; above 2,000 set partitioning merges what was
        found of small inputs.
    time_limit : float, optional
        For "best": seconds after which it stops. With a time limit and no effort, only the clock ends the search.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.
    bound : {"neighbors", "groups", "columns", False}, default "neighbors"
        A quick lower bound; a sharper one in the time of a search, if there are labels or ordered values, at most
        three columns, or at most 3,000 records and k is at most 6 (else the quick one); the sharpest for squared
        error, which takes up to minutes (5,000 records at most); or none.
    loss : function of the rows of one group, or GroupLoss, optional
        A measure of one's own. Points then only say which records are near each other, and no bound is known.
    keep_order : bool, default False
        Whether ties go to the earlier row, as in the papers' own programs; else the order of rows decides nothing.

    Returns
    -------
    Partition
        `centers` are means, `cost` is the squared error in the given coordinates, ``details.loss`` is
        100 SSE / SST, ``details.bound`` says which bound was reported.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or does not fit the others.
    InfeasibleError
        If there are fewer than `k` records.

    Examples
    --------
    >>> from shoal.partition import microaggregate
    >>> found = microaggregate([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], k=3)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 0, 1, 1, 1], 4.0)
    >>> found.centers.tolist()
    [[1.0], [11.0]]
    """
    if method not in ALL_METHODS:
        raise ParameterError(f"method {method!r} is not known.", f"choose one of {', '.join(ALL_METHODS)}.")
    if bound and bound not in BOUNDS:
        raise ParameterError(f"bound {bound!r} is not known.", f"choose one of {', '.join(BOUNDS)}, or False.")
    space = points if isinstance(points, Space) else Space.from_points(points)
    mixed = loss is not None or not is_squared_error(space)
    if mixed and (method == "optimal" or bound == "columns"):
        what = "method" if method == "optimal" else "bound"
        raise ParameterError(
            f"{what}={method if method == 'optimal' else bound} is for the squared error of numbers.",
            "leave it out for labels, ordered values, columns with missing numbers and other measures of loss.",
        )
    k = whole_number("k", k, 2)
    if method == "optimal":
        return univariate(space, k)
    if mixed:
        return aggregate_mixed(
            space,
            k,
            method=method,
            grouping=METHODS.get(method),
            loss=loss,
            seed=seed,
            effort=int(SQUARED_ERROR.for_records(len(space))) if effort is None else effort,
            time_limit=time_limit,
            n_threads=n_threads or os.cpu_count() or 1,
            bound=bound,
            keep_order=keep_order,
        )
    records = sort_points(space, keep_order=keep_order)
    n = len(records.points)
    if n < k:
        raise InfeasibleError.too_few_rows(n, k)
    if bound == "columns" and n > BOUND_RECORDS:
        raise ParameterError(
            f'bound="columns" is for at most {BOUND_RECORDS} records; there are {n}.', 'use bound="neighbors".'
        )
    threads = n_threads or os.cpu_count() or 1
    whole = np.zeros(n, dtype=np.int64)
    start_cost: float | None = None
    kind: str | None = None
    timed_out = False
    notes: tuple[str, ...] = ()
    if n < 2 * k:
        sorted_labels = whole
    elif method == "best":
        if effort is None and time_limit is None:
            effort = int(SQUARED_ERROR.for_records(n))
        # Imported here because its integer programs load much of scipy.
        from shoal.partition.microaggregation.best import improve

        found = improve(records.points, k, seed=seed, effort=effort, time_limit=time_limit, n_threads=threads)
        sorted_labels = found.labels
        start_cost, timed_out = found.start_cost * records.square, found.timed_out
        if timed_out:
            notes = (f"the search was stopped by the time limit of {time_limit} s",)
    else:
        sorted_labels = METHODS[method](records.points, k, threads)
    labels = number_groups(records.labels_of_rows(sorted_labels))
    cost, total = sse(records.points, sorted_labels), sse(records.points, whole)
    lower = 0.0
    if bound:
        value, kind = _lower_bound(records.points, k, bound, sorted_labels, threads)
        lower = min(value, cost)
    return Partition(
        labels=labels,
        method=method,
        objective="sse",
        cost=cost * records.square,
        lower_bound=records.bound_of_input(lower),
        centers=group_means(space.coordinates, labels),
        notes=notes,
        timed_out=timed_out,
        details=Details(
            loss=100 * cost / total if total else 0.0,
            total=total * records.square,
            start_cost=start_cost,
            bound=kind,
        ),
    )


def least_error(
    space: Space,
    k: int,
    *,
    seed: int = 0,
    effort: float = SQUARED_ERROR.usual,
    time_limit: float | None = None,
    n_threads: int | None = None,
) -> Partition:
    """Return the groups of method "best", or, for one column of numbers, those of "optimal", which is fast."""
    if space.coordinates.shape[1] == 1 and is_squared_error(space):
        return microaggregate(space, k, method="optimal")
    in_time = time_limit is None or time_limit >= len(space) / POOL_RECORDS_PER_SECOND
    return microaggregate(
        space,
        k,
        method="best",
        seed=seed,
        effort=math.ceil(effort),
        time_limit=time_limit,
        n_threads=n_threads,
        bound="groups" if in_time and effort >= LEAST_POOL_EFFORT else "neighbors",
    )


def _lower_bound(points: Floats, k: int, bound: str, labels: Labels, n_threads: int) -> tuple[float, str]:
    """Return the lower bound and the name of its kind."""
    n, d = points.shape
    if n < 2 * k:  # the only partition is a single group
        return single_group_bound(sse(points, np.zeros(n, dtype=np.int64)), n, d), "optimum"
    if d == 1:
        values = np.sort(points[:, 0])
        best = exact_runs(values, k)
        return rounded_down(sse(values[:, None], best.labels), n + 4 * k + 8) if best.exact else 0.0, "optimum"
    if bound != "columns":
        quick = neighbor_bound(points, k, n_threads=n_threads)
        if bound == "groups" and k <= POOL_K and n <= min(POOL_RECORDS, POOL_WORK / k**2):
            from scipy.spatial.distance import cdist

            from shoal.partition.microaggregation.pool_bound import pool_bound

            square = cdist(points, points, "sqeuclidean")
            sharper = pool_bound(square, k, labels, points.shape[1], n_threads=n_threads)
            if sharper > quick:
                return sharper, "groups"
        elif bound == "groups" and d <= FEW_LINES and k <= MOST_K and n <= MOST_RECORDS:
            from shoal.partition.microaggregation.center_bound import center_bound

            sharper = center_bound(
                Space.from_points(points), k, labels, effort=CENTER_WORK, n_threads=n_threads
            ).value
            if sharper > quick:
                return sharper, "groups"
        return quick, "neighbors"
    from shoal.partition.microaggregation.column_generation import column_bound, first_columns

    found = column_bound(points, k, *first_columns(points, k), seconds=BOUND_SECONDS, n_threads=n_threads)
    return found.value, bound if found.converged else f"{bound}, stopped before it converged"
