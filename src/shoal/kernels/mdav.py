"""MDAV on points stored by column: every pass runs over contiguous blocks at memory speed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]

BLOCK = 256


@jit
def squared_distances(columns: Floats, start: int, stop: int, center: Floats, out: Floats) -> None:
    """Write the squared distance from `center` to points start .. stop - 1 into `out`."""
    width = stop - start
    for p in range(width):
        out[p] = 0.0
    for j in range(columns.shape[0]):
        column, c = columns[j], center[j]
        for p in range(width):
            t = column[start + p] - c
            out[p] += t * t


@jit
def mdav_groups(columns: Floats, k: int) -> npt.NDArray[np.int64]:
    """Group of each point by MDAV; ties go to the first point. O(n^2 d / k) time, O(n d) memory.

    Expects float64 (d, n), C-contiguous and centered, n >= k; overwrites `columns`.
    """
    d, n = columns.shape
    row = np.arange(n)
    alive = np.ones(n, dtype=np.bool_)
    labels = np.full(n, -1, dtype=np.int64)
    total = np.zeros(d)
    for j in range(d):
        for p in range(n):
            total[j] += columns[j, p]
    distance = np.empty(BLOCK)
    near_distance = np.empty(k)
    near = np.empty(k, dtype=np.int64)
    width = n  # points stored, dead ones included until the next compaction
    left = n
    group = 0
    anchor = np.empty(d)
    while left >= 2 * k:
        # Two groups a round while 3k points are left: around the point farthest from the centroid, then around the
        # point farthest from that one. Below 3k one group is cut off and the rest is the last.
        rounds = 2 if left >= 3 * k else 1
        for side in range(rounds):
            if side == 0:
                for j in range(d):
                    anchor[j] = total[j] / left
            best, chosen = -1.0, -1
            for start in range(0, width, BLOCK):
                stop = min(start + BLOCK, width)
                squared_distances(columns, start, stop, anchor, distance)
                for p in range(stop - start):
                    if distance[p] > best and alive[start + p]:
                        best, chosen = distance[p], start + p
            for j in range(d):
                anchor[j] = columns[j, chosen]
            alive[chosen] = False
            near[0] = chosen
            found = 1
            for slot in range(1, k):
                near_distance[slot] = np.inf
            near_distance[0] = -1.0
            for start in range(0, width, BLOCK):
                stop = min(start + BLOCK, width)
                squared_distances(columns, start, stop, anchor, distance)
                for p in range(stop - start):
                    if distance[p] < near_distance[k - 1] and alive[start + p]:
                        slot = min(found, k - 1)
                        while near_distance[slot - 1] > distance[p]:
                            near_distance[slot], near[slot] = near_distance[slot - 1], near[slot - 1]
                            slot -= 1
                        near_distance[slot], near[slot] = distance[p], start + p
                        found = min(found + 1, k)
            for slot in range(k):
                p = near[slot]
                alive[p] = False
                labels[row[p]] = group
                for j in range(d):
                    total[j] -= columns[j, p]
            left -= k
            group += 1
        if width - left > width // 8:
            kept = 0
            for p in range(width):
                if alive[p]:
                    row[kept] = row[p]
                    for j in range(d):
                        columns[j, kept] = columns[j, p]
                    kept += 1
            for p in range(kept):
                alive[p] = True
            width = kept
    for p in range(width):
        if alive[p]:
            labels[row[p]] = group
    return labels
