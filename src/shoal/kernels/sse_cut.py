"""Dynamic programming over a given order of points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit


@jit
def sse_cut_order(points: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """1 where a group begins in the best cut of `points` into runs of at least `k`, else 0.

    Expects float64 (n, d), C-contiguous, finite, k <= n. O(nkd) time, O(n) memory. Runs have k to 2k - 1 points.
    """
    n, d = points.shape
    cost = np.full(n + 1, np.inf)
    opens = np.zeros(n + 1, dtype=np.int64)
    mean = np.empty(d)
    cost[0] = 0.0
    for end in range(k, n + 1):
        sse = 0.0
        for j in range(d):
            mean[j] = points[end - 1, j]
        for size in range(2, min(2 * k - 1, end) + 1):  # Welford, growing leftwards
            for j in range(d):
                delta = points[end - size, j] - mean[j]
                mean[j] += delta / size
                sse += delta * (points[end - size, j] - mean[j])
            if size >= k and cost[end - size] + sse < cost[end]:
                cost[end] = cost[end - size] + sse
                opens[end] = end - size
    begins = np.zeros(n, dtype=np.int64)
    at = opens[n]
    begins[at] = 1
    while at > 0:
        at = opens[at]
        begins[at] = 1
    return begins
