"""A box tree over axes that are lines or hierarchies: nearest records and range counts, exact to the last bit.

A node of the box tree holds an interval per axis; a leaf holds a few points, stored contiguously. The first axes are
plain lines. The others are hierarchies ("trees"), whose coordinate is the rank of a leaf in depth-first order, and
lines of ranks, on which the distance is a function of the difference that never falls.

Every distance is computed by the same expression: the terms of the axes are added in the order of the axes, and for
norm 2 the square root of the sum is taken. Comparisons are made after the root, so `d <= R` is exact if R is itself a
computed distance.

Pruning loses no point, not even at ties. The bound of a box is the same expression, evaluated for the query and the
query clamped into the box. On every axis the clamped term is at most the term of any point inside: on a line because
rounded subtraction is monotone; on a hierarchy because leaves that are farther apart in rank meet at the same node
or a higher one; on a line of ranks because a larger difference costs as much or more. Rounded sums, products of
non-negative numbers and square roots are monotone too, so the computed bound is at most the computed distance. By the
same argument the farthest corner gives an upper bound.

The inner functions take arrays instead of the tuples, and their loops never exit early. Otherwise numba would count
references on every call, which would cost more than the distance itself.
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

# Columns of `BoxTree.nodes`.
START, END, RIGHT, FIRST, COUNT = 0, 1, 2, 3, 4
# Columns of the array of hierarchies in `Axes`.
LEVELS, ANCESTORS, COSTS = 0, 1, 2

# For norm 2, sums above distance^2 * RELATIVE + ABSOLUTE have a root above `distance`. The slack is larger than the
# rounding of one square and one root (2^-52 each, relatively); ABSOLUTE covers squares too small for full precision.
RELATIVE, ABSOLUTE = 1.0 + 2.0**-49, 1e-300


Axes = tuple[int, int, Ints, Nodes, Floats]
"""The norm (1 or 2); the number of axes that are plain lines; an array with one row per hierarchy (its number of
levels, where its leaves' ancestors begin, where its nodes' costs begin); the ancestors and the costs of all
hierarchies. A row with -1 levels is a line of ranks, whose costs are those of a difference of 0, 1, 2 ... ranks."""


class BoxTree(NamedTuple):
    """Nodes are stored in preorder: the left child of `node` is `node + 1`."""

    points: Floats
    """(n, d): coordinates in the order of the leaves."""
    order: Ints
    """(n,): the input row of each of `points`; ascending within a leaf."""
    counts: Ints
    """(n,), indexed by input row: the number of records that the point stands for."""
    nodes: Ints
    """(n_nodes, 5): begin and end in `points`, right child (0 for a leaf), smallest input row, number of records."""
    low: Floats
    """(n_nodes, d): lower ends of the boxes."""
    high: Floats
    """(n_nodes, d): upper ends of the boxes."""
    depth: int
    """Number of levels, 1 if the root is a leaf."""


@inlined
def tree_distance(trees: Ints, ancestors: Nodes, costs: Floats, tree: int, a: float, b: float) -> float:
    """Return the distance of two leaves of a hierarchy, given by rank: the cost of their lowest common node.

    On a line of ranks it is the cost of their difference.
    """
    p = trees[tree, ANCESTORS] + np.int64(a) * (trees[tree, LEVELS] + 1)
    q = trees[tree, ANCESTORS] + np.int64(b) * (trees[tree, LEVELS] + 1)
    above = trees[tree, COSTS] + np.int64(a) * (trees[tree, LEVELS] + 1) + 1
    distance = 0.0
    if trees[tree, LEVELS] < 0:
        distance = costs[trees[tree, COSTS] + np.int64(abs(a - b))]
    for level in range(trees[tree, LEVELS]):
        if ancestors[p + level] != ancestors[q + level]:
            distance = costs[above + level]
    return distance


@inlined
def rooted(norm: int, total: float) -> float:
    """Return the distance that belongs to a sum of terms: its square root for norm 2, else the sum itself."""
    return math.sqrt(total) if norm == 2 else total


@inlined
def stop_sum(norm: int, distance: float) -> float:
    """Return a threshold such that every sum of terms above it belongs to a distance above `distance`."""
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
    """Return the sum of the axes' terms between the points X[i] and Y[j]."""
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
    """Return the sum of terms between X[i] and the nearest point of a node's box; a lower bound for its points."""
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
    """Return the sum of terms between X[i] and the farthest corner of a node's box; an upper bound for its points."""
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
    """Write the distance between the rows rows[p] and others[p] of X to out[p]."""
    norm, n_lines, trees, ancestors, costs = axes
    for p in range(len(rows)):
        out[p] = rooted(norm, point_sum(norm, n_lines, trees, ancestors, costs, X, rows[p], X, others[p]))


@inner
def _median(keys: Floats, size: int) -> float:
    """Return the upper median of keys[:size] by quickselect; `keys` is reordered."""
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
    """Partition order[start:end] by the values of `axis` and return where the right part begins.

    The cut is the boundary between different values that is nearest to the median. The partition is stable. Equal
    values stay together, so that repeated splits on a column of labels end in nodes with one label each.
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
    """Return the axis on which the points order[start:end] have the largest extent; -1 if all points are equal."""
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
    """Split nodes on their widest axis until each has at most `leaf_size` points; fills `order` and `nodes`.

    Returns the number of nodes and the depth of the tree.
    """
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
        nodes[node, FIRST] = order[start] if end > start else 0  # splits are stable: the first row is the smallest
        depth = max(depth, level)
        if parent >= 0:
            nodes[parent, RIGHT] = node
        if end - start <= leaf_size:
            continue
        axis = _widest(n_lines, trees, ancestors, costs, X, order, start, end)
        # Equal points are split by row number, so that leaves stay small and ties can be pruned by smallest row.
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
    """Fill in the box and the number of records of every node, children before parents."""
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
    """Return the box tree of the rows of X, of which row i stands for counts[i] records."""
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
