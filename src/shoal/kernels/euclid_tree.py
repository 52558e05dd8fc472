"""A balanced box tree over points: exact nearest neighbors in Euclidean space.

Leaves hold at most `LEAF` points, stored by column in one block each, so that a leaf's distances are a few
vector instructions. Nodes are numbered as in a heap: 1 is the root, 2i and 2i + 1 the halves of i. The leaves' boxes
are stored in blocks too, and so are those of branches, `LEAF` leaves each: many bounds at the price of a few. A box's
bound adds the same terms in the same order as a point's distance, so rounding can never make it exceed that distance.
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
SLOT = 4096
"""Queries handed to a thread at a time; each writes its own rows."""


class Boxes(NamedTuple):
    """(n_blocks, d, LEAF): ends of boxes by block, column and place; the last block is filled up with empty ones."""

    low: Floats
    high: Floats


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
    leaves: Boxes
    branches: Boxes
    depth: int


@jit
def _arrange(points: Floats, row: Ints, first: Ints, last: Ints, low: Floats, high: Floats, depth: int) -> None:
    """Order `points`, and `row` with them, so that each node is a run, halved at the median of its box's widest side.

    Points are moved, not only their rows: what is near in the tree is then near in memory, at every level.
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
    """Squared distance from `x` to a node's box; 0 inside."""
    total = 0.0
    for j in range(x.shape[0]):
        t = max(tree.low[node, j] - x[j], x[j] - tree.high[node, j], 0.0)
        total += t * t
    return total


@inlined
def leaf_distances(blocks: Floats, leaf: int, x: Floats, out: Floats) -> None:
    """Squared distances from `x` to the places of a leaf, counted from 0; infinite where there is no point."""
    width = blocks.shape[2]  # LEAF, but a constant would be unrolled into scalar operations, half as fast
    for p in range(width):
        out[p] = 0.0
    for j in range(x.shape[0]):
        c = x[j]
        for p in range(width):
            t = blocks[leaf, j, p] - c
            out[p] += t * t


@inlined
def box_distances(lows: Floats, highs: Floats, block: int, x: Floats, out: Floats, at: int) -> None:
    """Write `box_distance` for the boxes of a block to out[at:]; infinite where a box is empty."""
    for p in range(LEAF):
        out[at + p] = 0.0
    for j in range(x.shape[0]):
        c = x[j]
        for p in range(LEAF):
            t = max(lows[block, j, p] - c, c - highs[block, j, p], 0.0)
            out[at + p] += t * t


@inlined
def smallest(values: Floats) -> int:
    """Where the smallest value is."""
    best = 0
    for p in range(1, values.shape[0]):
        if values[p] < values[best]:
            best = p
    return best


@inlined
def largest(values: Floats) -> int:
    """Where the largest value is."""
    best = 0
    for p in range(1, values.shape[0]):
        if values[p] > values[best]:
            best = p
    return best


@jit
def nearest(tree: EuclidTree, start: int, stop: int, count: int, distance: Floats, neighbor: Ints) -> None:
    """Fill rows start .. stop - 1 (tree positions) with the `count` nearest other points, nearest first.

    `distance` holds squared distances, `neighbor` tree positions. Expects count < n.
    """
    n_leaves, n_blocks, d = 1 << tree.depth, tree.branches.low.shape[0], tree.points.shape[1]
    of_branch, of_leaf, found = np.empty(LEAF * LEAF), np.empty(LEAF), np.empty(LEAF)
    end = count - 1
    distance[start:stop] = np.inf
    own = n_leaves
    at = start
    while at < stop:  # the points of one leaf together, so that what they read is still at hand for the next of them
        while tree.last[own] <= at:
            own += 1
        until = min(tree.last[own], stop)
        home_branch = (own - n_leaves) // LEAF
        home = home_branch // LEAF
        for step in range(-1, n_blocks):  # one's own block first; below, one's own branch and the nearest leaf
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
