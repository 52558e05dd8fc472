"""A tree from which points can be removed, with nearest and farthest searches among the remaining points.

Of points at equal distance, the one with the smallest row is preferred. A search goes through all branches, and in
each promising branch through its leaves; bounds, like distances, are computed for a block at a time by vector
instructions. Distances are added up in the order of columns, so they equal those of a plain loop bit for bit. A box
is skipped only if its bound (or, if the bound is equal, its smallest row) shows that a plain loop would prefer none
of its points. A removed point becomes NaN in its leaf, so that every comparison with it fails, and the boxes around
it shrink.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, inner, int64
from shoal.kernels.euclid_tree import LEAF, Boxes, box_distances, build_tree, largest, leaf_distances, smallest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NO_ROW = np.iinfo(np.int64).max
"""Stands for the smallest row of a box without points: larger than every row."""


class ShrinkingBoxes(NamedTuple):
    """Boxes of the remaining points, with `radius` and `first_row` as (n_blocks, LEAF)."""

    low: Floats
    high: Floats
    radius: Floats
    """Largest squared distance of a remaining point from the origin."""
    first_row: Ints
    """Smallest row of a remaining point; `NO_ROW` if none remains."""


class ShrinkingTree(NamedTuple):
    """`points` are in the order of the leaves; `row` may be any distinct numbers."""

    points: Floats
    row: Ints
    norm: Floats
    """Each point's squared distance from the origin."""
    leaf: Ints
    """Each point's leaf, counted from 0."""
    starts: Ints
    """Where each leaf starts, and where the last one ends."""
    blocks: Floats
    """(n_leaves, d, LEAF): the points of each leaf by column; NaN for a removed point."""
    leaves: ShrinkingBoxes
    branches: ShrinkingBoxes


def build_shrinking_tree(points: Floats, rows: Ints) -> ShrinkingTree:
    """Return the tree of `points` (float64, C-contiguous, finite, at least one), which are `rows` of some table."""
    tree = build_tree(points)
    row, norm = rows[tree.row], np.einsum("ij,ij->i", tree.points, tree.points)
    starts = np.append(tree.first[1 << tree.depth :], len(row))
    leaves = _with_radii(tree.leaves, np.maximum.reduceat(norm, starts[:-1]), np.minimum.reduceat(row, starts[:-1]))
    branches = _with_radii(tree.branches, leaves.radius.max(axis=1), leaves.first_row.min(axis=1))
    leaf = np.repeat(np.arange(1 << tree.depth), np.diff(starts))
    return ShrinkingTree(tree.points, row, norm, leaf, starts, tree.blocks, leaves, branches)


def _with_radii(boxes: Boxes, radius: Floats, first_row: Ints) -> ShrinkingBoxes:
    """Return `boxes` with each one's radius and smallest row; the empty boxes of the padding have no points."""
    blocks = len(boxes.low)
    radii, rows = np.zeros(blocks * LEAF), np.full(blocks * LEAF, NO_ROW)
    radii[: len(radius)], rows[: len(radius)] = radius, first_row
    return ShrinkingBoxes(boxes.low, boxes.high, radii.reshape(blocks, LEAF), rows.reshape(blocks, LEAF))


@inlined
def _upper_bounds(
    boxes: ShrinkingBoxes, block: int, x: Floats, norm: float, sums: Floats, out: Floats, at: int
) -> None:
    """Write, for each box of a block, an upper bound on the squared distance from `x` to its points to out[at:].

    `norm` is |x|^2. The bound is the smaller of two: the distance to the far corner of the box; and
    |p|^2 + |x|^2 - 2 p.x. In the latter, the coordinates in which the box lets p lie on the other side of the origin
    than x are bounded together, by Cauchy-Schwarz, with the part of the radius that the others leave. Empty boxes get
    -1. `sums` is work space.
    """
    d = x.shape[0]
    sums[:] = 0.0
    for j in range(d):
        c = x[j]
        for p in range(LEAF):
            low, high = boxes.low[block, j, p], boxes.high[block, j, p]
            t = max(c - low, high - c)
            sums[0, p] += t * t
            end = low if c > 0.0 else high
            term = -c * end
            sums[1, p] += c * c if term > 0.0 else 0.0
            # If the term is negative, every p_j is on the same side as x_j and at least as long as this end.
            sums[2, p] += term if term < 0.0 else 0.0
            sums[3, p] += end * end if term < 0.0 else 0.0
    slack = (d + 16) * 2.0**-50  # more than all rounding errors here and in `norm` together
    for p in range(LEAF):
        room = max(boxes.radius[block, p] * (1.0 + slack) - sums[3, p], 0.0)
        lengths = (boxes.radius[block, p] + norm) * (1.0 + slack) + 1e-300
        most = min(sums[0, p], lengths + 2.0 * (math.sqrt(sums[1, p] * room) + sums[2, p]))
        out[at + p] = most if boxes.first_row[block, p] != NO_ROW else -1.0


@inner
def farthest_remaining(tree: ShrinkingTree, x: Floats) -> int:
    """Return the position of the remaining point farthest from `x`, at ties the smallest row; -1 if none remains."""
    leaves, branches = tree.leaves, tree.branches
    n_branches = leaves.low.shape[0]
    above = np.empty(branches.low.shape[0] * LEAF)
    bound = np.empty(LEAF)
    found = np.empty(LEAF)
    sums = np.empty((4, LEAF))
    norm = 0.0
    for j in range(x.shape[0]):
        norm += x[j] * x[j]
    best, chosen, best_row = -1.0, -1, NO_ROW
    for block in range(branches.low.shape[0]):
        _upper_bounds(branches, block, x, norm, sums, above, block * LEAF)
    promising = largest(above)
    for step in range(-1, n_branches):
        # The most promising branch comes first, for a tight bound, then the others in order; so do leaves, below.
        branch = promising if step < 0 else step
        if step == promising or above[branch] < best:
            continue
        if above[branch] == best and branches.first_row[branch // LEAF, branch % LEAF] >= best_row:
            continue
        _upper_bounds(leaves, branch, x, norm, sums, bound, int64(0))
        first = largest(bound)
        for place in range(-1, LEAF):
            p = first if place < 0 else place
            if place == first or bound[p] < best or (bound[p] == best and leaves.first_row[branch, p] >= best_row):
                continue
            leaf = branch * LEAF + p
            leaf_distances(tree.blocks, leaf, x, found)
            base = tree.starts[leaf]
            for q in range(tree.starts[leaf + 1] - base):
                if found[q] >= best and (found[q] > best or tree.row[base + q] < best_row):
                    best, chosen, best_row = found[q], base + q, tree.row[base + q]
    return chosen


@inner
def nearest_remaining(tree: ShrinkingTree, x: Floats, count: int, near: Floats, who: Ints) -> None:
    """Update a list of the `count` points nearest to `x` with the remaining points; at ties smaller rows come first.

    `near` has squared distances and `who` positions, nearest first; an empty list is all infinity and -1.
    """
    leaves, branches = tree.leaves, tree.branches
    n_branches = leaves.low.shape[0]
    below = np.empty(branches.low.shape[0] * LEAF)
    bound = np.empty(LEAF)
    found = np.empty(LEAF)
    end = count - 1
    end_row = tree.row[who[end]] if who[end] >= 0 else NO_ROW
    for block in range(branches.low.shape[0]):
        box_distances(branches.low, branches.high, block, x, below, block * LEAF)
    promising = smallest(below)
    for step in range(-1, n_branches):
        branch = promising if step < 0 else step
        if step == promising or below[branch] > near[end]:
            continue
        if below[branch] == near[end] and branches.first_row[branch // LEAF, branch % LEAF] >= end_row:
            continue
        box_distances(leaves.low, leaves.high, branch, x, bound, int64(0))
        first = smallest(bound)
        for place in range(-1, LEAF):
            p = first if place < 0 else place
            if place == first or bound[p] > near[end]:
                continue
            if bound[p] == near[end] and leaves.first_row[branch, p] >= end_row:
                continue
            leaf = branch * LEAF + p
            leaf_distances(tree.blocks, leaf, x, found)
            base = tree.starts[leaf]
            for q in range(tree.starts[leaf + 1] - base):
                row = tree.row[base + q]
                if found[q] < near[end] or (found[q] == near[end] and row < end_row):
                    slot = end
                    while slot > 0 and (
                        near[slot - 1] > found[q] or (near[slot - 1] == found[q] and tree.row[who[slot - 1]] > row)
                    ):
                        near[slot], who[slot] = near[slot - 1], who[slot - 1]
                        slot -= 1
                    near[slot], who[slot] = found[q], base + q
                    end_row = tree.row[who[end]] if who[end] >= 0 else NO_ROW


@inner
def remove_point(tree: ShrinkingTree, at: int) -> None:
    """Remove the point at position `at` and shrink the boxes around it."""
    leaves, branches, blocks = tree.leaves, tree.branches, tree.blocks
    leaf = tree.leaf[at]
    branch, place = leaf // LEAF, leaf % LEAF
    block, slot = branch // LEAF, branch % LEAF
    base, stop = tree.starts[leaf], tree.starts[leaf + 1]
    for j in range(tree.points.shape[1]):
        blocks[leaf, j, at - base] = np.nan
        low, high = np.inf, -np.inf
        for p in range(stop - base):
            value = blocks[leaf, j, p]
            low = value if value < low else low
            high = value if value > high else high
        leaves.low[branch, j, place], leaves.high[branch, j, place] = low, high
        low, high = np.inf, -np.inf
        for p in range(LEAF):
            low, high = min(low, leaves.low[branch, j, p]), max(high, leaves.high[branch, j, p])
        branches.low[block, j, slot], branches.high[block, j, slot] = low, high
    radius, first_row = 0.0, NO_ROW
    for p in range(stop - base):
        if not np.isnan(blocks[leaf, 0, p]):
            radius = max(radius, tree.norm[base + p])
            first_row = min(first_row, tree.row[base + p])
    leaves.radius[branch, place], leaves.first_row[branch, place] = radius, first_row
    for p in range(LEAF):
        radius, first_row = max(radius, leaves.radius[branch, p]), min(first_row, leaves.first_row[branch, p])
    branches.radius[block, slot], branches.first_row[block, slot] = radius, first_row
