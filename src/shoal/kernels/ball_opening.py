"""Balls around records, opened one after the other: what separated sets, packings and covers are made of."""

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
    """For each point of `sequence` that no ball covers yet, open the ball around the point that `pick` names.

    A ball covers the points within `radius`; those within `reach` >= radius are listed with their distances. A ball
    with fewer than `needed` records that no other covers is not opened (below 0: all of `sequence` are, covered or
    not); `most` balls end the work. Returns the centers, where their lists start, points, distances, and for each
    point its nearest ball (-1) and how far it is.
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
        slot, fresh = starts[ball], 0
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
                        fresh += counts[member]
        if fresh < needed:
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
