"""The best cut of an ordered sequence of points into groups, by dynamic programming."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit


@jit
def sse_cut_order(points: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Return an array with 1 where a group begins in the cut of `points` with the least squared error, else 0.

    Groups are runs of at least `k` consecutive points (and, as longer ones can be cut without loss, at most 2k - 1).
    Expects float64 (n, d), C-contiguous, finite, k <= n. O(nkd) time, O(n) memory.
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
        for size in range(2, min(2 * k - 1, end) + 1):  # Welford's update, as the group grows to the left
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
