"""Groups of at least k records with little squared error.

Problem     split n points into groups of at least k, minimising the squared distances to the groups' means.
Guarantee   method "optimal" (one column) is exact, theorem UNI-1; the others are heuristics that report a lower
            bound (theorem SSE-1, docs/proofs/microaggregation.md), so that the ratio of the run is known.
Complexity  see the methods' modules.

References
----------
.. [1] M. Laszlo and S. Mukherjee (2005). "Minimum spanning tree partitioning algorithm for microaggregation."
   IEEE TKDE 17(7), 902-911.
.. [2] J. Domingo-Ferrer and V. Torra (2005). "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation." Data Mining and Knowledge Discovery 11(2), 195-212: MDAV.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError
from shoal.kernels.mdav import mdav_groups
from shoal.partition.result import Floats, Labels, Partition, number_groups
from shoal.partition.sse import group_means, sort_points, sse, standardize
from shoal.partition.sse_bound import neighbor_bound
from shoal.space.space import Space

__all__ = ["METHODS", "microaggregate", "standardize"]


def _mdav(points: Floats, k: int) -> Labels:
    columns = np.ascontiguousarray((points - points.mean(axis=0)).T)
    labels: Labels = mdav_groups(columns, k)
    return labels


METHODS: dict[str, Callable[[Floats, int], Labels]] = {"mdav": _mdav}


def microaggregate(
    points: npt.ArrayLike | Space,
    k: int,
    *,
    method: str = "mdav",
    seed: int = 0,
    n_threads: int | None = None,
    bound: bool = True,
) -> Partition:
    """Groups of at least `k` points (n, d) with little squared error.

    `cost` is the squared error in the given coordinates (nothing is standardized here); `details["loss"]` is
    100 SSE / SST. `bound=False` skips the lower bound. Results do not depend on `n_threads` or the order of rows.
    """
    if method not in METHODS:
        raise ParameterError(f"method {method!r} is not known.", f"choose one of {', '.join(METHODS)}.")
    if k < 2:
        raise ParameterError(f"k must be at least 2; it is {k}.")
    records = sort_points(points)
    n = len(records.points)
    if n < k:
        raise InfeasibleError.too_few_rows(n, k)
    threads = n_threads or os.cpu_count() or 1
    if n < 2 * k:
        sorted_labels = np.zeros(n, dtype=np.int64)
    else:
        sorted_labels = METHODS[method](records.points, k)
    labels = number_groups(records.labels_of_rows(sorted_labels))
    cost = sse(records.points, sorted_labels)
    total = sse(records.points, np.zeros(n, dtype=np.int64))
    if n < 2 * k:
        lower = cost  # one group is the only grouping
    else:
        lower = min(neighbor_bound(records.points, k, n_threads=threads), cost) if bound else 0.0
    array = points.coordinates if isinstance(points, Space) else np.array(points, dtype=np.float64, ndmin=2)
    return Partition(
        labels=labels,
        method=method,
        objective="sse",
        cost=cost * records.square,
        lower_bound=lower * records.square,
        centers=group_means(array, labels),
        details={"loss": 100 * cost / total if total else 0.0, "sst": total * records.square},
    )
