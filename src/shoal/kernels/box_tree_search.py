"""Searches in a box tree: the nearest points that together hold k records, and the points within a radius."""

from __future__ import annotations

import numpy as np

from shoal.kernels._jit import inlined, int64, jit
from shoal.kernels.box_tree import (
    COUNT,
    END,
    FIRST,
    RIGHT,
    START,
    Axes,
    BoxTree,
    Floats,
    Ints,
    farthest_sum,
    nearest_sum,
    point_sum,
    rooted,
    stop_sum,
)


@inlined
def _after(d: float, i: int, e: float, j: int) -> bool:
    """Whether the pair (distance d, row i) comes after (e, j): it is farther, or equally far with a larger row."""
    return d > e or (d == e and i > j)


@inlined
def _push(distances: Floats, rows: Ints, size: int, d: float, i: int) -> None:
    """Add (d, i) to a heap of `size` entries whose top is the last in the order of `_after`."""
    child = size
    while child > 0:
        parent = (child - 1) // 2
        if not _after(d, i, distances[parent], rows[parent]):
            break
        distances[child], rows[child] = distances[parent], rows[parent]
        child = parent
    distances[child], rows[child] = d, i


@inlined
def _pop(distances: Floats, rows: Ints, size: int) -> None:
    """Remove the top of a heap of `size` entries; `size - 1` entries remain."""
    d, i = distances[size - 1], rows[size - 1]
    parent, child = 0, 1
    while child < size - 1:
        if child + 1 < size - 1 and _after(distances[child + 1], rows[child + 1], distances[child], rows[child]):
            child += 1
        if not _after(distances[child], rows[child], d, i):
            break
        distances[parent], rows[parent] = distances[child], rows[child]
        parent, child = child, 2 * child + 1
    distances[parent], rows[parent] = d, i


@jit
def nearest_points(
    axes: Axes,
    tree: BoxTree,
    X: Floats,
    first: int,
    last: int,
    k: int,
    any_tie: bool,
    out_distance: Floats,
    out_row: Ints,
) -> None:
    """For each query first .. last - 1 of X, write the fewest nearest points that together hold at least `k` records.

    Points are listed in order of (distance, row); unused places get infinity and -1. If `out_row` has no columns,
    only the distance of the last point is written, to out_distance[:, 0]. With `any_tie`, points at the same distance
    as the last one are interchangeable, which saves work; otherwise the smallest rows are taken.
    """
    norm, n_lines, trees, ancestors, costs = axes
    points, order, counts, nodes, low, high, depth = tree
    distances, rows = np.empty(k + 1), np.empty(k + 1, np.int64)
    stack, bounds = np.empty(depth + 1, np.int64), np.empty(depth + 1)
    for i in range(first, last):
        size, held, worst, stop = int64(0), 0, np.inf, np.inf
        stack[0], bounds[0], top = 0, 0.0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            if bounds[top] > stop:
                continue
            bound = rooted(norm, bounds[top])
            if held >= k and (bound > worst or (bound == worst and (any_tie or nodes[node, FIRST] > rows[0]))):
                continue
            right = nodes[node, RIGHT]
            if right > 0:
                to_left = nearest_sum(norm, n_lines, trees, ancestors, costs, X, i, low, high, node + 1)
                to_right = nearest_sum(norm, n_lines, trees, ancestors, costs, X, i, low, high, right)
                nearer = 1 if to_right < to_left else 0
                stack[top + 1 - nearer], bounds[top + 1 - nearer] = node + 1, to_left
                stack[top + nearer], bounds[top + nearer] = right, to_right
                top += 2
                continue
            for p in range(nodes[node, START], nodes[node, END]):
                total = point_sum(norm, n_lines, trees, ancestors, costs, X, i, points, p)
                if total > stop:
                    continue
                d, row = rooted(norm, total), order[p]
                if held >= k and (d >= worst if any_tie else not _after(worst, rows[0], d, row)):
                    continue
                _push(distances, rows, size, d, row)
                size += 1
                held += counts[row]
                while held - counts[rows[0]] >= k:
                    held -= counts[rows[0]]
                    _pop(distances, rows, size)
                    size -= 1
                if held >= k:
                    worst = distances[0]
                    stop = stop_sum(norm, worst)
        if out_row.shape[1] == 0:
            out_distance[i, 0] = distances[0]
            continue
        for place in range(out_row.shape[1] - 1, -1, -1):
            if place >= size:
                out_distance[i, place], out_row[i, place] = np.inf, -1
            else:
                out_distance[i, place], out_row[i, place] = distances[0], rows[0]
                _pop(distances, rows, place + 1)


@jit
def ball_points(
    axes: Axes,
    tree: BoxTree,
    X: Floats,
    first: int,
    last: int,
    radii: Floats,
    starts: Ints,
    out_count: Ints,
    out_row: Ints,
) -> None:
    """For each query i in first .. last - 1 of X, count the records within the closed ball of radius radii[i].

    Counts are written to `out_count`. If `out_row` is not empty, the points in the ball are also written to it, from
    starts[i] on.
    """
    norm, n_lines, trees, ancestors, costs = axes
    points, order, counts, nodes, low, high, depth = tree
    stack = np.empty(depth + 1, np.int64)
    fill = len(out_row) > 0
    for i in range(first, last):
        radius = radii[i]
        stop = stop_sum(norm, radius)
        slot = starts[i] if fill else 0
        count = 0
        stack[0], top = 0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            total = nearest_sum(norm, n_lines, trees, ancestors, costs, X, i, low, high, node)
            if total > stop or rooted(norm, total) > radius:
                continue
            total = farthest_sum(norm, n_lines, trees, ancestors, costs, X, i, low, high, node)
            inside = rooted(norm, total) <= radius
            if inside and not fill:
                count += nodes[node, COUNT]
            elif nodes[node, RIGHT] > 0:
                stack[top], stack[top + 1] = nodes[node, RIGHT], node + 1
                top += 2
            else:
                for p in range(nodes[node, START], nodes[node, END]):
                    total = point_sum(norm, n_lines, trees, ancestors, costs, X, i, points, p)
                    if total <= stop and rooted(norm, total) <= radius:
                        count += counts[order[p]]
                        if fill:
                            out_row[slot] = order[p]
                            slot += 1
        out_count[i] = count
