"""A balanced box tree over points: exact nearest neighbours in Euclidean space.

Leaves hold at most `LEAF` points, stored by column in one block each, so that a leaf's distances are a few
vector instructions. Nodes are numbered as in a heap: 1 is the root, 2i and 2i + 1 the halves of i. A box's bound
adds the same terms in the same order as a point's distance, so rounding can never make it exceed that distance.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAF = 32
SLOT = 4096
"""Queries handed to a thread at a time; each writes its own rows."""


class EuclidTree(NamedTuple):
    """`points` in tree order, `row` their rows in the input; one entry per node in the other arrays."""

    points: Floats
    row: Ints
    first: Ints
    last: Ints
    low: Floats
    high: Floats
    blocks: Floats
    """(n_leaves, d, LEAF): a leaf's points by column, padded with infinity."""
    depth: int


@jit
def _arrange(points: Floats, row: Ints, first: Ints, last: Ints, low: Floats, high: Floats, depth: int) -> None:
    """Order `row` so that each node is a run of it, halved at the median of the widest side of its box."""
    d = points.shape[1]
    for node in range(1, 2 << depth):
        a, b = first[node], last[node]
        low[node] = np.inf
        high[node] = -np.inf
        for at in range(a, b):
            for j in range(d):
                x = points[row[at], j]
                low[node, j] = min(low[node, j], x)
                high[node, j] = max(high[node, j], x)
        if node >= 1 << depth:
            continue
        axis = 0
        for j in range(1, d):
            if high[node, j] - low[node, j] > high[node, axis] - low[node, axis]:
                axis = j
        middle = last[2 * node]
        lo, hi = a, b - 1
        while lo < hi:  # quickselect of position `middle`
            pivot = points[row[(lo + hi) // 2], axis]
            i, j = lo, hi
            while i <= j:
                while points[row[i], axis] < pivot:
                    i += 1
                while points[row[j], axis] > pivot:
                    j -= 1
                if i <= j:
                    row[i], row[j] = row[j], row[i]
                    i += 1
                    j -= 1
            if middle <= j:
                hi = j
            elif middle >= i:
                lo = i
            else:
                break


def build_tree(points: Floats) -> EuclidTree:
    """The tree of `points` (float64, C-contiguous, finite, at least one)."""
    n, d = points.shape
    depth = max(0, int(np.ceil(np.log2(n / LEAF)))) if n > LEAF else 0
    first = np.zeros(2 << depth, dtype=np.int64)
    last = np.zeros(2 << depth, dtype=np.int64)
    for level in range(depth + 1):
        cuts = (n * np.arange((1 << level) + 1)) >> level
        first[1 << level : 2 << level] = cuts[:-1]
        last[1 << level : 2 << level] = cuts[1:]
    low, high = np.empty((2 << depth, d)), np.empty((2 << depth, d))
    row = np.arange(n)
    _arrange(points, row, first, last, low, high, depth)
    ordered = np.ascontiguousarray(points[row])
    blocks = np.full((1 << depth, LEAF, d), np.inf)
    leaf = np.repeat(np.arange(1 << depth), np.diff(np.append(first[1 << depth :], n)))
    blocks[leaf, np.arange(n) - first[(1 << depth) + leaf]] = ordered
    return EuclidTree(ordered, row, first, last, low, high, np.ascontiguousarray(blocks.transpose(0, 2, 1)), depth)


@inlined
def box_distance(tree: EuclidTree, node: int, x: Floats) -> float:
    """Squared distance from `x` to a node's box; 0 inside."""
    total = 0.0
    for j in range(x.shape[0]):
        t = max(tree.low[node, j] - x[j], x[j] - tree.high[node, j], 0.0)
        total += t * t
    return total


@inlined
def leaf_distances(tree: EuclidTree, leaf: int, x: Floats, out: Floats) -> None:
    """Squared distances from `x` to the places of a leaf, a node's number; infinite where there is no point."""
    block = leaf - (1 << tree.depth)
    for p in range(LEAF):
        out[p] = 0.0
    for j in range(x.shape[0]):
        c = x[j]
        for p in range(LEAF):
            t = tree.blocks[block, j, p] - c
            out[p] += t * t


@jit
def nearest(tree: EuclidTree, start: int, stop: int, count: int, distance: Floats, neighbor: Ints) -> None:
    """Fill rows start .. stop - 1 (tree positions) with the `count` nearest other points, nearest first.

    `distance` holds squared distances, `neighbor` tree positions. Expects count < n.
    """
    leaves = 1 << tree.depth
    stack = np.empty(2 * tree.depth + 2, dtype=np.int64)
    bound = np.empty(2 * tree.depth + 2)
    found = np.empty(LEAF)
    leaf = leaves
    for at in range(start, stop):
        while tree.last[leaf] <= at:
            leaf += 1
        x = tree.points[at]
        near, who = distance[at], neighbor[at]
        near[:] = np.inf
        node = leaf
        top = 1
        stack[0], bound[0] = leaf, 0.0
        while True:
            while top > 0:
                top -= 1
                inner = stack[top]
                if bound[top] >= near[count - 1]:
                    continue
                if inner >= leaves:
                    leaf_distances(tree, inner, x, found)
                    base = tree.first[inner]
                    for p in range(tree.last[inner] - base):
                        if found[p] < near[count - 1] and base + p != at:
                            slot = count - 1
                            while slot > 0 and near[slot - 1] > found[p]:
                                near[slot], who[slot] = near[slot - 1], who[slot - 1]
                                slot -= 1
                            near[slot], who[slot] = found[p], base + p
                else:
                    left = box_distance(tree, 2 * inner, x)
                    right = box_distance(tree, 2 * inner + 1, x)
                    nearer = 2 * inner if left <= right else 2 * inner + 1
                    stack[top], bound[top] = nearer ^ 1, max(left, right)
                    stack[top + 1], bound[top + 1] = nearer, min(left, right)
                    top += 2
            if node == 1:
                break
            # Climb: the other half of each ancestor, until the root.
            other = node ^ 1
            node >>= 1
            reach = box_distance(tree, other, x)
            if reach < near[count - 1]:
                stack[0], bound[0] = other, reach
                top = 1


def in_slots(work: Callable[[int, int], None], n: int, n_threads: int, slot: int = SLOT) -> None:
    """Call `work(start, stop)` over 0 .. n - 1 in slots that do not overlap, on `n_threads` threads."""
    starts = range(0, n, slot)
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(lambda start: work(start, min(start + slot, n)), starts):
            pass


def nearest_neighbors(tree: EuclidTree, count: int, n_threads: int = 1) -> tuple[Floats, Ints]:
    """Squared distances and tree positions of the `count` nearest other points of each point, in tree order."""
    n = len(tree.row)
    distance, neighbor = np.empty((n, count)), np.empty((n, count), dtype=np.int64)
    in_slots(lambda start, stop: nearest(tree, start, stop, count, distance, neighbor), n, n_threads)
    return distance, neighbor
