"""MDAV by compiled passes over all points left, and V-MDAV by plain ones: the groups that the tree must give."""

from __future__ import annotations

import numpy as np

from shoal.kernels._jit import jit
from shoal.kernels.fixed_size import BLOCK, squared_distances


def plain_mdav(points, k):
    """Group of each point; ties go to the first row. O(n^2 d / k)."""
    centered = points - points.mean(axis=0)
    return _mdav_columns(np.ascontiguousarray(centered.T), centered.sum(axis=0), k)


@jit
def _mdav_columns(columns, total, k):
    d, n = columns.shape
    row = np.arange(n)
    alive = np.ones(n, dtype=np.bool_)
    labels = np.full(n, -1, dtype=np.int64)
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


def plain_v_mdav(points, k, gain):
    """V-MDAV as published, on squared distances; ties go to the first row."""
    centered = points - points.mean(axis=0)

    def squares(rows, x):
        total = np.zeros(len(rows))
        for j in range(points.shape[1]):  # column by column, as the kernels add
            total += (centered[rows, j] - x[j]) ** 2
        return total

    left, groups = np.arange(len(points)), []
    center = centered.mean(axis=0)
    while len(left) >= k:
        far = left[np.argmax(squares(left, center))]
        left = left[left != far]
        near = np.argsort(squares(left, centered[far]), kind="stable")[: k - 1]
        group = [far, *left[near]]
        left = np.delete(left, near)
        reach = np.min([squares(left, centered[i]) for i in group], axis=0)
        while len(group) < 2 * k - 1 and len(left):
            place = int(np.argmin(reach))
            inner, fresh = reach[place], left[place]
            left, reach = np.delete(left, place), np.delete(reach, place)
            apart = squares(left, centered[fresh])
            if inner >= gain * gain * float(apart.min(initial=np.inf)):
                left, reach = np.insert(left, place, fresh), np.insert(reach, place, inner)
                break
            group.append(fresh)
            reach = np.minimum(reach, apart)
        groups.append(group)
    # Relative to the first row of a group, so that groups at equal distances are so to the last digit, too.
    first = [centered[min(g)] for g in groups]
    means = [x + (centered[np.sort(g)] - x).sum(axis=0) / len(g) for x, g in zip(first, groups, strict=True)]
    for i in left:
        groups[min(range(len(means)), key=lambda g: ((means[g] - centered[i]) ** 2).sum())].append(i)
    labels = np.empty(len(points), dtype=np.int64)
    for g, members in enumerate(groups):
        labels[members] = g
    return labels
