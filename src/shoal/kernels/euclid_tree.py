"""A balanced box tree over points for exact nearest neighbors in Euclidean space.

A leaf holds at most `LEAF` points, stored by column in one block, so that a few vector instructions compute all its
distances. Nodes are numbered as in a heap: 1 is the root, and 2i and 2i + 1 are the children of i. A branch is a
sequence of `LEAF` leaves. The boxes of leaves and of branches are stored in blocks of `LEAF` too, so that many bounds
are computed at once. The bound of a box adds the same terms in the same order as the distance of a point, so rounding
can never make the bound exceed the distance of a point inside the box.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAF = 32
"""Points per leaf, leaves per branch and boxes per block: a few full vector registers."""
SLOT = 4096
"""Queries that a thread takes at a time: enough to hide the cost of handing them out."""


class Boxes(NamedTuple):
    """Lower and upper ends of boxes as (n_blocks, d, LEAF); the last block is padded with empty boxes."""

    low: Floats
    high: Floats


class EuclidTree(NamedTuple):
    """`points` are in tree order and `row` has their input rows; first, last, low and high have an entry per node."""

    points: Floats
    row: Ints
    first: Ints
    last: Ints
    low: Floats
    high: Floats
    blocks: Floats
    """(n_leaves, d, LEAF): the points of each leaf by column, padded with infinity."""
    leaves: Boxes
    branches: Boxes
    depth: int


@jit
def _arrange(points: Floats, row: Ints, first: Ints, last: Ints, low: Floats, high: Floats, depth: int) -> None:
    """Reorder `points` and `row` so that the points of each node are contiguous, and fill in the nodes' boxes.

    Each node is split at the median along the longest side of its box. The points themselves are moved, not only
    their row numbers, so that points near in the tree are also near in memory.
    """
    d = points.shape[1]
    for node in range(1, 2 << depth):
        a, b = first[node], last[node]
        low[node] = np.inf
        high[node] = -np.inf
        for at in range(a, b):
            for j in range(d):
                x = points[at, j]
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
            pivot = points[(lo + hi) // 2, axis]
            i, j = lo, hi
            while i <= j:
                while points[i, axis] < pivot:
                    i += 1
                while points[j, axis] > pivot:
                    j -= 1
                if i <= j:
                    row[i], row[j] = row[j], row[i]
                    for c in range(d):
                        points[i, c], points[j, c] = points[j, c], points[i, c]
                    i += 1
                    j -= 1
            if middle <= j:
                hi = j
            elif middle >= i:
                lo = i
            else:
                break


def build_tree(points: Floats) -> EuclidTree:
    """Return the tree of `points` (float64, C-contiguous, finite, at least one)."""
    n, d = points.shape
    depth = max(0, int(np.ceil(np.log2(n / LEAF)))) if n > LEAF else 0
    first = np.zeros(2 << depth, dtype=np.int64)
    last = np.zeros(2 << depth, dtype=np.int64)
    for level in range(depth + 1):
        cuts = (n * np.arange((1 << level) + 1)) >> level
        first[1 << level : 2 << level] = cuts[:-1]
        last[1 << level : 2 << level] = cuts[1:]
    low, high = np.empty((2 << depth, d)), np.empty((2 << depth, d))
    row, ordered = np.arange(n), points.copy()
    _arrange(ordered, row, first, last, low, high, depth)
    blocks = np.full((1 << depth, LEAF, d), np.inf)
    leaf = np.repeat(np.arange(1 << depth), np.diff(np.append(first[1 << depth :], n)))
    blocks[leaf, np.arange(n) - first[(1 << depth) + leaf]] = ordered
    leaves = _in_blocks(low[1 << depth :], high[1 << depth :])
    branches = _in_blocks(leaves.low.min(axis=2), leaves.high.max(axis=2))
    by_column = np.ascontiguousarray(blocks.transpose(0, 2, 1))
    return EuclidTree(ordered, row, first, last, low, high, by_column, leaves, branches, depth)


def _in_blocks(low: Floats, high: Floats) -> Boxes:
    """Return the boxes with the given (n, d) ends in blocks of `LEAF`, the last one padded with empty boxes."""
    n, d = low.shape
    n_blocks = -(-n // LEAF)
    ends = []
    for given, empty in ((low, np.inf), (high, -np.inf)):
        padded = np.full((n_blocks * LEAF, d), empty)
        padded[:n] = given
        ends.append(np.ascontiguousarray(padded.reshape(n_blocks, LEAF, d).transpose(0, 2, 1)))
    return Boxes(*ends)


@inlined
def box_distance(tree: EuclidTree, node: int, x: Floats) -> float:
    """Return the squared distance from `x` to the box of a node; 0 if `x` is inside."""
    total = 0.0
    for j in range(x.shape[0]):
        t = max(tree.low[node, j] - x[j], x[j] - tree.high[node, j], 0.0)
        total += t * t
    return total


@inlined
def leaf_distances(blocks: Floats, leaf: int, x: Floats, out: Floats) -> None:
    """Write the squared distances from `x` to the points of leaf number `leaf` to `out`; infinity in empty places."""
    width = blocks.shape[2]  # this is LEAF; with a constant the loop is unrolled into scalar code, half as fast
    for p in range(width):
        out[p] = 0.0
    for j in range(x.shape[0]):
        c = x[j]
        for p in range(width):
            t = blocks[leaf, j, p] - c
            out[p] += t * t


@inlined
def box_distances(lows: Floats, highs: Floats, block: int, x: Floats, out: Floats, at: int) -> None:
    """Write the squared distance from `x` to each box of a block to out[at:]; infinity for empty boxes."""
    for p in range(LEAF):
        out[at + p] = 0.0
    for j in range(x.shape[0]):
        c = x[j]
        for p in range(LEAF):
            t = max(lows[block, j, p] - c, c - highs[block, j, p], 0.0)
            out[at + p] += t * t


@inlined
def smallest(values: Floats) -> int:
    """Return the position of the smallest value, the first of equals."""
    best = 0
    for p in range(1, values.shape[0]):
        if values[p] < values[best]:
            best = p
    return best


@inlined
def largest(values: Floats) -> int:
    """Return the position of the largest value, the first of equals."""
    best = 0
    for p in range(1, values.shape[0]):
        if values[p] > values[best]:
            best = p
    return best


@jit
def nearest(tree: EuclidTree, start: int, stop: int, count: int, distance: Floats, neighbor: Ints) -> None:
    """Write the `count` nearest other points of the points start .. stop - 1, nearest first; all in tree positions.

    `distance` receives squared distances and `neighbor` tree positions, one row per point. Expects count < n.
    """
    n_leaves, n_blocks, d = 1 << tree.depth, tree.branches.low.shape[0], tree.points.shape[1]
    of_branch, of_leaf, found = np.empty(LEAF * LEAF), np.empty(LEAF), np.empty(LEAF)
    end = count - 1
    distance[start:stop] = np.inf
    own = n_leaves
    at = start
    while at < stop:  # one leaf of queries at a time: they read the same blocks, which then stay in the cache
        while tree.last[own] <= at:
            own += 1
        until = min(tree.last[own], stop)
        home_branch = (own - n_leaves) // LEAF
        home = home_branch // LEAF
        # The queries' own block comes first, for tight bounds; so, below, do their own branch and the nearest leaf.
        for step in range(-1, n_blocks):
            block = home if step < 0 else step
            if step == home:
                continue
            apart = 0.0
            for j in range(d):
                low, high = np.inf, -np.inf
                for p in range(LEAF):
                    low = min(low, tree.branches.low[block, j, p])
                    high = max(high, tree.branches.high[block, j, p])
                t = max(low - tree.high[own, j], tree.low[own, j] - high, 0.0)
                apart += t * t
            widest = 0.0
            for i in range(at, until):
                widest = max(widest, distance[i, end])
            if apart >= widest:
                continue
            for i in range(at, until):
                box_distances(
                    tree.branches.low, tree.branches.high, block, tree.points[i], of_branch, (i - at) * LEAF
                )
            for turn in range(-1, LEAF):
                branch = home_branch if turn < 0 else block * LEAF + turn
                if (turn < 0) != (branch == home_branch) or (turn < 0 and step >= 0):
                    continue
                for i in range(at, until):
                    near, who = distance[i], neighbor[i]
                    if of_branch[(i - at) * LEAF + branch % LEAF] >= near[end]:
                        continue
                    x = tree.points[i]
                    box_distances(tree.leaves.low, tree.leaves.high, branch, x, of_leaf, int64(0))
                    first_leaf = smallest(of_leaf)
                    for again in range(-1, LEAF):
                        place = first_leaf if again < 0 else again
                        if again == first_leaf or of_leaf[place] >= near[end]:
                            continue
                        leaf = branch * LEAF + place
                        leaf_distances(tree.blocks, leaf, x, found)
                        base = tree.first[n_leaves + leaf]
                        for q in range(tree.last[n_leaves + leaf] - base):
                            if found[q] < near[end] and base + q != i:
                                slot = end
                                while slot > 0 and near[slot - 1] > found[q]:
                                    near[slot], who[slot] = near[slot - 1], who[slot - 1]
                                    slot -= 1
                                near[slot], who[slot] = found[q], base + q
        at = until


def in_slots(work: Callable[[int, int], None], n: int, n_threads: int, slot: int = SLOT) -> None:
    """Call `work(start, stop)` on `n_threads` threads, for ranges of at most `slot` that together cover range(n)."""
    starts = range(0, n, slot)
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(lambda start: work(start, min(start + slot, n)), starts):
            pass


def nearest_neighbors(tree: EuclidTree, count: int, n_threads: int = 1) -> tuple[Floats, Ints]:
    """Return squared distances and tree positions, both (n, count), of the nearest other points, in tree order."""
    n = len(tree.row)
    distance, neighbor = np.empty((n, count)), np.empty((n, count), dtype=np.int64)
    in_slots(lambda start, stop: nearest(tree, start, stop, count, distance, neighbor), n, n_threads)
    return distance, neighbor
