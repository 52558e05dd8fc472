"""Optimal microaggregation of one numeric column, and of points in a given order.

Problem     split n values into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   exact (ratio 1): theorem UNI-1, docs/proofs/univariate.md. `cut_order` is optimal among partitions into
            runs of consecutive points of the given order.
Complexity  O(n log n + nk) time, O(n) memory; O(nkd) for points in d dimensions. Deterministic.

References
----------
.. [1] S. L. Hansen and S. Mukherjee (2003). "A polynomial algorithm for optimal univariate microaggregation."
   IEEE TKDE 15(4), 1043-1044.
.. [2] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz and F. Sebe (2006). "Efficient multivariate
   data-oriented microaggregation." VLDB Journal 15(4), 355-369: the same program over orders of points.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.kernels.sse_cut import sse_cut_order
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.microaggregation.exact_runs import exact_runs
from shoal.partition.microaggregation.sse import group_means, rounded_down, sort_points, sse
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.space.space import Space


@guarantee(objective="sse", ratio=Fraction(1), theorem="UNI-1")
@checked
def univariate(points: npt.ArrayLike | Space, k: int) -> Partition:
    """Return one numeric column cut into groups of `k` to `2k - 1` neighbors, with the least squared error possible.

    UNI-1 is claimed where every comparison was exact; otherwise neither a ratio nor a bound is.
    """
    array = np.asarray(points.coordinates if isinstance(points, Space) else points, dtype=np.float64)
    column = array[:, None] if array.ndim == 1 else array
    if column.ndim != 2 or column.shape[1] != 1:
        raise ParameterError(
            f"the optimum is for one column; {column.shape[-1]} were given.", "use method='best' for several columns."
        )
    k = whole_number("k", k, 2)
    if len(column) < k:
        raise InfeasibleError.too_few_rows(len(column), k)
    records = sort_points(points if isinstance(points, Space) else column)
    values = records.points[:, 0]
    sorted_labels, exact = exact_runs(values, k)
    # Dividing by a power of two is exact, except for a value that is tiny beside the others.
    exact = exact and bool(np.array_equal(values * math.sqrt(records.square), column[records.order, 0]))
    labels = number_groups(records.labels_of_rows(sorted_labels))
    cost = sse(records.points, sorted_labels)
    total = sse(records.points, np.zeros_like(sorted_labels))
    bound = records.bound_of_input(rounded_down(cost, len(column) + 4 * k + 8)) if exact else 0.0
    return Partition(
        labels=labels,
        method="optimal",
        objective="sse",
        cost=cost * records.square,
        lower_bound=bound,
        ratio_proved=Fraction(1) if exact else None,
        theorem="UNI-1" if exact else None,
        centers=group_means(column, labels),
        details=Details(loss=100 * cost / total if total else 0.0, total=total * records.square),
    )


def cut_order(points: Floats, order: npt.NDArray[np.int64], k: int) -> Labels:
    """Return the best partition of `points` into runs of `order` with at least `k` points each. Expects n >= k."""
    # Shifted to one of the points, so that an offset causes no loss of precision in Welford's sums.
    begins = sse_cut_order(np.ascontiguousarray((points - points[0])[order]), k)
    labels = np.empty(len(points), dtype=np.int64)
    labels[order] = np.cumsum(begins) - 1
    return labels
