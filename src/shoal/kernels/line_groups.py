"""Cutting sorted numbers into runs of k to 2k - 1 with the smallest largest radius, and then a small sum of radii."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@jit
def nearest_to_middle(x: Floats, begin: int, end: int) -> int:
    """Return the position, from `begin` to `end` - 1, of the number whose largest distance to the others is smallest.

    `x` is sorted. The distance to the first number grows with the position and that to the last falls, so the first
    position at which the former is at least the latter, or the one before it, is best; of equal ones the earlier.
    """
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) // 2
        if x[middle] - x[begin] >= x[end - 1] - x[middle]:
            high = middle
        else:
            low = middle + 1
    if low > begin and x[end - 1] - x[low - 1] <= x[low] - x[begin]:
        return low - 1
    return low


@jit
def smallest_radius(x: Floats, k: int, best: Floats, middle: bool) -> float:
    """Return the smallest largest radius of runs of at least `k` numbers; `x` is sorted and has at least `k`.

    Radii are around numbers of the run, or with `middle` half of its width. best[e], which is overwritten, is the
    answer for the first e numbers, infinite where these are fewer than k. O(n k log k) time.
    """
    n = x.shape[0]
    best[0] = 0.0
    for e in range(1, n + 1):
        best[e] = np.inf
        for size in range(k, min(2 * k - 1, e) + 1):
            begin = e - size
            if best[begin] == np.inf:
                continue
            if middle:
                radius = (x[e - 1] - x[begin]) / 2
            else:
                center = nearest_to_middle(x, begin, e)
                radius = max(x[center] - x[begin], x[e - 1] - x[center])
            best[e] = min(best[e], max(best[begin], radius))
    return float(best[n])


@jit
def cheapest_runs(x: Floats, k: int, limit: float, cost: Floats, opens: Ints) -> float:
    """Return the smallest sum of size times radius of runs of `k` to 2k - 1 numbers whose radii are at most `limit`.

    opens[e], which is overwritten as cost[e] is, is where the last run of the first e numbers begins, -1 where they
    have no such runs; following it back from n gives the runs. Of equal sums the shorter last run is taken.
    """
    n = x.shape[0]
    cost[0] = 0.0
    opens[0] = 0
    for e in range(1, n + 1):
        cost[e] = np.inf
        opens[e] = -1
        for size in range(k, min(2 * k - 1, e) + 1):
            begin = e - size
            if opens[begin] < 0:
                continue
            center = nearest_to_middle(x, begin, e)
            radius = max(x[center] - x[begin], x[e - 1] - x[center])
            total = cost[begin] + size * radius
            if radius <= limit and (opens[e] < 0 or total < cost[e]):
                cost[e] = total
                opens[e] = begin
    return float(cost[n])
