"""Groups of k points that start at an extreme point and grow by the point nearest to their centroid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BLOCK = 256
"""Points whose distances are computed at a time: the results stay in the processor's first cache."""


@jit
def squared_distances(columns: Floats, start: int, stop: int, center: Floats, out: Floats) -> None:
    """Write the squared distances from `center` to the points start .. stop - 1 to `out`."""
    width = stop - start
    for p in range(width):
        out[p] = 0.0
    for j in range(columns.shape[0]):
        column, c = columns[j], center[j]
        for p in range(width):
            t = column[start + p] - c
            out[p] += t * t


@inner
def extreme_point(columns: Floats, alive: Ints, center: Floats, sign: float, distance: Floats) -> tuple[int, float]:
    """Return the ungrouped point nearest to (sign 1) or farthest from (sign -1) `center`, and its squared distance.

    A point p is ungrouped if alive[p] is 1. Of several such points, the first is returned.
    """
    n = columns.shape[1]
    best, chosen = np.inf, -1
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        squared_distances(columns, start, stop, center, distance)
        for p in range(stop - start):
            if sign * distance[p] < best and alive[start + p] == 1:
                best, chosen = sign * distance[p], start + p
    return chosen, sign * best


@jit
def fixed_size_groups(columns: Floats, k: int, by_diameter: bool) -> Ints:
    """Return the group of each point by the diameter-based or the centroid-based method of Laszlo and Mukherjee.

    Expects float64 (d, n), C-contiguous and centered, n >= k. O(n^2 d) time, O(n d) memory. The most distant pair is
    found without computing all distances: `reach` is an upper bound on each point's largest squared distance.
    Removing points keeps the bounds valid. The point with the largest bound is measured exactly, until the point with
    the largest bound has an exact value and its partner is still ungrouped.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int64)
    alive = np.ones(n, dtype=np.int64)
    distance = np.empty(BLOCK)
    center, total = np.zeros(d), np.zeros(d)
    for j in range(d):
        for p in range(n):
            total[j] += columns[j, p]
    reach = np.empty(n)
    partner = np.full(n, -1, dtype=np.int64)
    _, widest = extreme_point(columns, alive, center, -1.0, distance)
    for p in range(n):
        own = 0.0
        for j in range(d):
            own += columns[j, p] ** 2
        # The distance is at most the sum of both points' distances from the origin; 1e-9 is room for rounding.
        reach[p] = (np.sqrt(own) + np.sqrt(widest)) ** 2 * (1.0 + 1e-9)
    centroids = np.zeros((n // k + 1, d))
    sizes = np.zeros(n // k + 1, dtype=np.int64)
    seeds = np.empty(2, dtype=np.int64)
    left, group = n, 0
    n_seeds = 2 if by_diameter else 1
    while left >= n_seeds * k:
        if by_diameter:
            while True:
                first = -1
                for p in range(n):
                    if alive[p] == 1 and (first < 0 or reach[p] > reach[first]):
                        first = p
                if partner[first] >= 0 and alive[partner[first]] == 1:
                    break
                alive[first] = 0
                for j in range(d):
                    center[j] = columns[j, first]
                partner[first], reach[first] = extreme_point(columns, alive, center, -1.0, distance)
                alive[first] = 1
            seeds[0], seeds[1] = first, partner[first]
            # The second seed must not join the first group; in the paper it never does unless all points are equal.
            alive[seeds[1]] = 0
        else:
            for j in range(d):
                center[j] = total[j] / left
            seeds[0], _ = extreme_point(columns, alive, center, -1.0, distance)
        for which in range(n_seeds):
            member = seeds[which]
            for count in range(1, k + 1):
                alive[member] = 0
                labels[member] = group
                for j in range(d):
                    x = columns[j, member]
                    total[j] -= x
                    centroids[group, j] += (x - centroids[group, j]) / count
                if count < k:
                    member, _ = extreme_point(columns, alive, centroids[group], 1.0, distance)
            sizes[group] = k
            group += 1
        left -= n_seeds * k
    if left >= k:
        for p in range(n):
            if alive[p] == 1:
                labels[p] = group
    else:
        for p in range(n):
            if alive[p] == 1:
                best, nearest = np.inf, -1
                for g in range(group):
                    away = 0.0
                    for j in range(d):
                        away += (columns[j, p] - centroids[g, j]) ** 2
                    if away < best:
                        best, nearest = away, g
                labels[p] = nearest
                sizes[nearest] += 1
                for j in range(d):
                    centroids[nearest, j] += (columns[j, p] - centroids[nearest, j]) / sizes[nearest]
    return labels
