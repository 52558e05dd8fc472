"""A box tree over mixed axes: nearest records and range counts, exact to the last bit.

A node holds an interval per axis; leaves hold a few points, stored one after the other. The first axes are lines,
the rest trees, whose leaves are ranked in depth-first order.

One expression gives every distance: the axes' terms, added in the order of the axes, and for norm 2 the square root
of that sum. Comparisons are between rooted values, so `d <= R` is exact when R is itself a computed distance.

Why pruning loses nothing, ties included: the bound of a box is that same expression for the query and the query
clamped into the box. On every axis the clamped term is at most the term of any point inside: on a line because
rounded subtraction is monotone, on a tree because consecutive ranks only part at higher levels as they move away.
Rounded sums, products of non-negative numbers and square roots are monotone too, so the computed bound is at most
the computed distance. The farthest corner bounds it from above by the same argument.

Inner functions take arrays, not the tuples, and their loops have no way out but the end: otherwise numba counts
references on every call, which would cost more than the distance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, inner, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]

START, END, RIGHT, FIRST, COUNT = 0, 1, 2, 3, 4
LEVELS, ANCESTORS, COSTS = 0, 1, 2

# Slack that turns a bound on the root into a bound on the sum: larger than the rounding of one square and one root.
RELATIVE, ABSOLUTE = 1.0 + 2.0**-49, 1e-300


Axes = tuple[int, int, Ints, Nodes, Floats]
"""The norm; how many axes are lines; for every tree a row: number of levels, where it begins in the ancestors of
leaves and in the costs of levels; and those two, of all trees."""


class BoxTree(NamedTuple):
    """Nodes in preorder, the left child of `node` is `node + 1`."""

    points: Floats
    """(n, d) in the order of the leaves"""
    order: Ints
    """(n,) the row of each of `points`; ascending within a leaf"""
    counts: Ints
    """(n,) by row: how many records a point stands for"""
    nodes: Ints
    """(n_nodes, 5): first and last + 1 of `points`, right child (0 for a leaf), smallest row, records inside"""
    low: Floats
    high: Floats
    depth: int


@inlined
def tree_distance(trees: Ints, ancestors: Nodes, costs: Floats, tree: int, a: float, b: float) -> float:
    """Distance of two leaves, given by rank: the cost of the level at which they first meet."""
    p = trees[tree, ANCESTORS] + np.int64(a) * (trees[tree, LEVELS] + 1)
    q = trees[tree, ANCESTORS] + np.int64(b) * (trees[tree, LEVELS] + 1)
    above = trees[tree, COSTS] + 1
    distance = 0.0
    for level in range(trees[tree, LEVELS]):
        if ancestors[p + level] != ancestors[q + level]:
            distance = costs[above + level]
    return distance


@inlined
def rooted(norm: int, total: float) -> float:
    """The distance that a sum of terms stands for."""
    return math.sqrt(total) if norm == 2 else total


@inlined
def stop_sum(norm: int, distance: float) -> float:
    """A sum above this has a root above `distance`, so it need not be rooted."""
    return distance * distance * RELATIVE + ABSOLUTE if norm == 2 else distance


@inlined
def point_sum(
    norm: int,
    n_lines: int,
    trees: Ints,
    ancestors: Nodes,
    costs: Floats,
    X: Floats,
    i: int,
    Y: Floats,
    j: int,
) -> float:
    """Sum of terms of X[i] and Y[j]."""
    total = 0.0
    for axis in range(n_lines):
        term = abs(X[i, axis] - Y[j, axis])
        total += term * term if norm == 2 else term
    for tree in range(len(trees)):
        axis = n_lines + tree
        term = tree_distance(trees, ancestors, costs, tree, X[i, axis], Y[j, axis])
        total += term * term if norm == 2 else term
    return total


@inlined
def nearest_sum(
    norm: int,
    n_lines: int,
    trees: Ints,
    ancestors: Nodes,
    costs: Floats,
    X: Floats,
    i: int,
    low: Floats,
    high: Floats,
    node: int,
) -> float:
    """Sum of terms of X[i] and the nearest corner of a box."""
    total = 0.0
    for axis in range(n_lines):
        x = X[i, axis]
        term = abs(x - min(max(x, low[node, axis]), high[node, axis]))
        total += term * term if norm == 2 else term
    for tree in range(len(trees)):
        axis = n_lines + tree
        x = X[i, axis]
        clamped = min(max(x, low[node, axis]), high[node, axis])
        term = tree_distance(trees, ancestors, costs, tree, x, clamped)
        total += term * term if norm == 2 else term
    return total


@inlined
def farthest_sum(
    norm: int,
    n_lines: int,
    trees: Ints,
    ancestors: Nodes,
    costs: Floats,
    X: Floats,
    i: int,
    low: Floats,
    high: Floats,
    node: int,
) -> float:
    """Sum of terms of X[i] and the farthest corner of a box."""
    total = 0.0
    for axis in range(n_lines):
        term = max(abs(X[i, axis] - low[node, axis]), abs(X[i, axis] - high[node, axis]))
        total += term * term if norm == 2 else term
    for tree in range(len(trees)):
        axis = n_lines + tree
        term = max(
            tree_distance(trees, ancestors, costs, tree, X[i, axis], low[node, axis]),
            tree_distance(trees, ancestors, costs, tree, X[i, axis], high[node, axis]),
        )
        total += term * term if norm == 2 else term
    return total


@jit
def pair_distances(axes: Axes, X: Floats, rows: Ints, others: Ints, out: Floats) -> None:
    """out[p] = distance of rows[p] and others[p]."""
    norm, n_lines, trees, ancestors, costs = axes
    for p in range(len(rows)):
        out[p] = rooted(norm, point_sum(norm, n_lines, trees, ancestors, costs, X, rows[p], X, others[p]))


@inner
def _median(keys: Floats, size: int) -> float:
    """The middle of keys[:size] by quickselect; `keys` is reordered."""
    low, high, middle = 0, size - 1, size // 2
    while low < high:
        pivot = keys[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    return float(keys[middle])


@inner
def _split(X: Floats, order: Ints, spare: Ints, keys: Floats, start: int, end: int, axis: int) -> int:
    """Part order[start:end] stably at the boundary of values of `axis` nearest to the median; where the right begins.

    Equal values stay together, so a node of labels ends up with one label.
    """
    size = end - start
    for p in range(size):
        keys[p] = X[order[start + p], axis]
    value = _median(keys, size)
    below, upto = 0, 0
    for p in range(start, end):
        x = X[order[p], axis]
        if x < value:
            below += 1
        if x <= value:
            upto += 1
    equal_left = upto < size and (below == 0 or abs(2 * upto - size) <= abs(2 * below - size))
    middle = start + (upto if equal_left else below)
    left, right = start, middle
    for p in range(start, end):
        x = X[order[p], axis]
        if x < value or (equal_left and x == value):
            spare[left] = order[p]
            left += 1
        else:
            spare[right] = order[p]
            right += 1
    for p in range(start, end):
        order[p] = spare[p]
    return middle


@inner
def _widest(
    n_lines: int, trees: Ints, ancestors: Nodes, costs: Floats, X: Floats, order: Ints, start: int, end: int
) -> int:
    """The axis on which order[start:end] spreads most, in units of distance; -1 if all are equal."""
    widest, width = -1, 0.0
    for axis in range(X.shape[1]):
        low = high = X[order[start], axis]
        for p in range(start + 1, end):
            x = X[order[p], axis]
            low, high = min(low, x), max(high, x)
        extent = high - low if axis < n_lines else tree_distance(trees, ancestors, costs, axis - n_lines, low, high)
        if extent > width:
            widest, width = axis, extent
    return widest


@jit
def build_nodes(axes: Axes, X: Floats, leaf_size: int, order: Ints, nodes: Ints) -> tuple[int, int]:
    """Split on the widest axis until a node has at most `leaf_size` points; number of nodes, and depth."""
    _norm, n_lines, trees, ancestors, costs = axes
    n = len(X)
    spare, keys = np.empty(n, np.int64), np.empty(n)
    # A pending node: its slice, its depth, and the parent whose right child it is (-1: a left child or the root).
    pending = np.empty((n + 2, 4), np.int64)
    pending[0, 0], pending[0, 1], pending[0, 2], pending[0, 3] = 0, n, 1, -1
    n_pending, n_nodes, depth = 1, 0, 1
    while n_pending > 0:
        n_pending -= 1
        start, end = pending[n_pending, 0], pending[n_pending, 1]
        level, parent = pending[n_pending, 2], pending[n_pending, 3]
        node = n_nodes
        n_nodes += 1
        nodes[node, START], nodes[node, END], nodes[node, RIGHT] = start, end, 0
        nodes[node, FIRST] = order[start] if end > start else 0  # splits are stable, so it is the smallest
        depth = max(depth, level)
        if parent >= 0:
            nodes[parent, RIGHT] = node
        if end - start <= leaf_size:
            continue
        axis = _widest(n_lines, trees, ancestors, costs, X, order, start, end)
        # Equal points are halved by row, so that leaves stay small and ties can be pruned by row.
        middle = _split(X, order, spare, keys, start, end, axis) if axis >= 0 else (start + end) // 2
        for side in range(2):
            pending[n_pending, 0] = middle if side == 0 else start
            pending[n_pending, 1] = end if side == 0 else middle
            pending[n_pending, 2] = level + 1
            pending[n_pending, 3] = node if side == 0 else -1
            n_pending += 1
    return n_nodes, depth


@jit
def build_boxes(points: Floats, order: Ints, counts: Ints, nodes: Ints, low: Floats, high: Floats) -> None:
    """Intervals and counts of every node, children before parents."""
    for node in range(len(nodes) - 1, -1, -1):
        right = nodes[node, RIGHT]
        if right > 0:
            nodes[node, COUNT] = nodes[node + 1, COUNT] + nodes[right, COUNT]
            for axis in range(points.shape[1]):
                low[node, axis] = min(low[node + 1, axis], low[right, axis])
                high[node, axis] = max(high[node + 1, axis], high[right, axis])
            continue
        nodes[node, COUNT] = 0
        for p in range(nodes[node, START], nodes[node, END]):
            nodes[node, COUNT] += counts[order[p]]
            for axis in range(points.shape[1]):
                low[node, axis] = min(low[node, axis], points[p, axis])
                high[node, axis] = max(high[node, axis], points[p, axis])


def build_tree(axes: Axes, X: Floats, counts: Ints, leaf_size: int) -> BoxTree:
    """The tree of the rows of X, each standing for `counts` records."""
    n, d = X.shape
    order = np.arange(n, dtype=np.int64)
    nodes = np.zeros((max(1, 2 * n), 5), dtype=np.int64)
    n_nodes, depth = build_nodes(axes, X, leaf_size, order, nodes)
    tree = BoxTree(
        points=X[order],
        order=order,
        counts=counts,
        nodes=nodes[:n_nodes].copy(),
        low=np.full((n_nodes, d), np.inf),
        high=np.full((n_nodes, d), -np.inf),
        depth=depth,
    )
    build_boxes(tree.points, order, counts, tree.nodes, tree.low, tree.high)
    return tree
