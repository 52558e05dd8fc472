"""Cutting weighted points in the plane into rectangles by axis-parallel lines (a kd-tree)."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels._jit import jit

Array = Any


@jit
def weighted_split(points: Array, held: Array, rows: Array, begin: int, end: int, axis: int, target: int) -> Any:
    """Partition the points begin .. end - 1 around the `axis` value at which the running weight reaches `target`.

    Returns where the points with that value begin and end, the weight before them, and their own weight. Expected
    O(end - begin) time: quickselect with a three-way partition around the median of three, so ties are no burden.
    """
    low, high = begin, end
    before = held[0] * 0
    while True:
        a, b, c = points[low, axis], points[(low + high) // 2, axis], points[high - 1, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        less, same, more = low, low, high
        weight_less = held[0] * 0
        weight_same = held[0] * 0
        while same < more:
            value = points[same, axis]
            if value == pivot:
                weight_same += held[same]
                same += 1
                continue
            if value < pivot:
                weight_less += held[same]
                other = less
                less += 1
            else:
                more -= 1
                other = more
            for j in range(2):
                points[same, j], points[other, j] = points[other, j], points[same, j]
            held[same], held[other] = held[other], held[same]
            rows[same], rows[other] = rows[other], rows[same]
            if value < pivot:
                same += 1
        if target < before + weight_less:
            high = less
        elif target <= before + weight_less + weight_same or more == high:
            return less, more, before + weight_less, weight_same
        else:
            before += weight_less + weight_same
            low = more


@jit
def kd_cuts(
    points: Array,
    held: Array,
    rows: Array,
    k: int,
    geographic: float,
    nodes: Array,
    cuts: Array,
    n_nodes: int,
    stack: Array,
    depth: int,
) -> Any:
    """Cut the points until no axis-parallel line leaves weight `k` on both sides; return the number of tree nodes.

    `points` (n, 2), their weights `held` (n,) and `rows` (n,) are reordered in place. `nodes` (m, 5) receives begin,
    end, weight, left child (-1 for a leaf; the right child is the next node) and axis, `cuts` (m, 2) the coordinates
    below and above each cut. The caller fills in the first `n_nodes` nodes and their cuts, which may be the root
    alone, and the first `depth` entries of `stack` with the nodes that are to be cut. With `geographic` above 0,
    coordinates are degrees of latitude and longitude. A node is cut across its longer side, at the weight that makes
    the final groups even, unless a cut of the other side is closer to that weight by more than k / 10.
    """
    while depth > 0:
        depth -= 1
        node = stack[depth]
        begin, end, total = nodes[node, 0], nodes[node, 1], nodes[node, 2]
        nodes[node, 3] = -1
        groups = total // k
        if groups < 2:
            continue
        target = int(total * ((groups // 2) / groups))
        target = max(k, min(target, total - k))
        least, most = np.empty(2), np.empty(2)
        for j in range(2):
            least[j], most[j] = points[begin, j], points[begin, j]
            for i in range(begin, end):
                least[j] = min(least[j], points[i, j])
                most[j] = max(most[j], points[i, j])
        wide = most[1] - least[1]
        if geographic > 0:
            wide *= max(np.cos((least[0] + most[0]) * 0.5 * np.pi / 180.0), 0.0)
        # Turns 0 and 1 try the longer and the shorter side; turn 2 cuts the better one.
        longer = 1 if wide > most[0] - least[0] else 0
        best, worst = -1, total
        for turn in range(3):
            axis = best if turn == 2 else longer if turn == 0 else 1 - longer
            if axis < 0 or (turn == 1 and best >= 0 and 10 * worst <= k):
                continue
            start, stop, before, here = weighted_split(points, held, rows, begin, end, axis, target)
            after = before + here
            low_fits = before >= k and total - before >= k
            high_fits = after >= k and total - after >= k
            if not low_fits and not high_fits:
                continue
            left, middle = after, stop
            if low_fits and (not high_fits or target - before <= after - target):
                left, middle = before, start
            if turn < 2:
                uneven = abs(left - target)
                if best < 0 or 10 * (worst - uneven) > k:
                    best, worst = axis, uneven
                continue
            below, above = points[begin, axis], points[middle, axis]
            for i in range(begin, middle):
                below = max(below, points[i, axis])
            for i in range(middle, end):
                above = min(above, points[i, axis])
            cuts[node, 0], cuts[node, 1] = below, above
            nodes[node, 3], nodes[node, 4] = n_nodes, axis
            for side in range(2):
                child = n_nodes + side
                nodes[child, 0] = begin if side == 0 else middle
                nodes[child, 1] = middle if side == 0 else end
                nodes[child, 2] = left if side == 0 else total - left
                stack[depth] = child
                depth += 1
            n_nodes += 2
    return n_nodes
