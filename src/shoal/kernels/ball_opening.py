"""Opening balls around records one after the other.

The algorithms for separated sets of centers, packings and covers are all built from this one operation.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit
from shoal.kernels.box_tree import END, RIGHT, START, Axes, BoxTree, nearest_sum, point_sum, rooted, stop_sum

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@jit
def open_balls(
    axes: Axes,
    tree: BoxTree,
    X: Floats,
    sequence: Ints,
    pick: Ints,
    radius: float,
    reach: float,
    needed: int,
    most: int,
) -> tuple[Ints, Ints, Ints, Floats, Ints, Floats]:
    """Open a ball around the point pick[p] for each point p of `sequence` that no earlier ball covers.

    A ball covers the points within `radius` of its center. A ball is not opened if fewer than `needed` of the records
    it covers are still uncovered; with a negative `needed` a ball is opened for every point of `sequence`, covered or
    not. At most `most` balls are opened.

    Returns, for b balls: their centers (b,); starts (b + 1,); points and distances, such that entries
    starts[i]:starts[i + 1] list all points within `reach` (at least `radius`) of center i; and for each point the
    nearest ball that covers it (-1 if none does) and the distance to its center (infinity if none does).
    """
    norm, n_lines, trees, ancestors, costs = axes
    points, order, counts, nodes, low, high, depth = tree
    n = len(pick)
    owner, gap = np.full(n, -1, np.int64), np.full(n, np.inf)
    centers, starts = np.empty(min(n, most), np.int64), np.zeros(min(n, most) + 1, np.int64)
    members, distances = np.empty(2 * n + 64, np.int64), np.empty(2 * n + 64)
    stack = np.empty(depth + 1, np.int64)
    stop = stop_sum(norm, reach)
    ball = 0
    for uncovered in sequence:
        if owner[uncovered] >= 0 and needed >= 0:
            continue
        if ball == most:
            break
        center = pick[uncovered]
        slot, newly_covered = starts[ball], 0
        stack[0], top = 0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            total = nearest_sum(norm, n_lines, trees, ancestors, costs, X, center, low, high, node)
            if total > stop or rooted(norm, total) > reach:
                continue
            if nodes[node, RIGHT] > 0:
                stack[top], stack[top + 1] = nodes[node, RIGHT], node + 1
                top += 2
                continue
            if slot + nodes[node, END] - nodes[node, START] > len(members):
                members = np.concatenate((members, np.empty_like(members)))
                distances = np.concatenate((distances, np.empty_like(distances)))
            for p in range(nodes[node, START], nodes[node, END]):
                total = point_sum(norm, n_lines, trees, ancestors, costs, X, center, points, p)
                d = rooted(norm, total)
                if total <= stop and d <= reach:
                    member = order[p]
                    members[slot], distances[slot] = member, d
                    slot += 1
                    if d <= radius and owner[member] < 0:
                        newly_covered += counts[member]
        if newly_covered < needed:
            continue
        for at in range(starts[ball], slot):
            member = members[at]
            if distances[at] <= radius and distances[at] < gap[member]:
                owner[member], gap[member] = ball, distances[at]
        centers[ball] = center
        ball += 1
        starts[ball] = slot
    end = starts[ball]
    return centers[:ball].copy(), starts[: ball + 1].copy(), members[:end].copy(), distances[:end].copy(), owner, gap
