"""The rounds of MDAV and V-MDAV, which search the ungrouped points by a tree that shrinks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.shrinking_tree import ShrinkingTree, farthest_remaining, nearest_remaining, remove_point

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@inner
def _gather(tree: ShrinkingTree, anchor: int, k: int, near: Floats, who: Ints) -> None:
    """Remove `anchor` and its k - 1 nearest points from the tree; write their positions to `who`, nearest first."""
    remove_point(tree, anchor)
    near[: k - 1] = np.inf
    who[: k - 1] = -1
    nearest_remaining(tree, tree.points[anchor], k - 1, near, who)
    for slot in range(k - 1, 0, -1):
        who[slot] = who[slot - 1]
        remove_point(tree, who[slot])
    who[0] = anchor


@jit
def mdav_rounds(tree: ShrinkingTree, k: int, total: Floats, left: int, until: int, labels: Ints, group: int) -> int:
    """Form MDAV groups until at most `until` of the `left` points, or fewer than 2k, are ungrouped.

    Groups are numbered from `group` on; returns the next unused number. `total`, the sum of the ungrouped points, and
    `labels`, the group of each row, are updated.
    """
    near = np.empty(k)
    who = np.empty(k, dtype=np.int64)
    anchor = np.empty(total.shape[0])
    while left >= 2 * k and left > until:
        # While at least 3k points are ungrouped, a round forms two groups: around the point farthest from their
        # centroid, and around the point farthest from that one. With fewer, it forms one; the rest is the last group.
        for side in range(2 if left >= 3 * k else 1):
            if side == 0:
                for j in range(total.shape[0]):
                    anchor[j] = total[j] / left
            chosen = farthest_remaining(tree, anchor)
            for j in range(total.shape[0]):
                anchor[j] = tree.points[chosen, j]
            _gather(tree, chosen, k, near, who)
            for slot in range(k):
                labels[tree.row[who[slot]]] = group
                for j in range(total.shape[0]):
                    total[j] -= tree.points[who[slot], j]
            left -= k
            group += 1
    return group


@jit
def v_mdav_rounds(
    tree: ShrinkingTree, k: int, gain: float, center: Floats, left: int, until: int, labels: Ints, group: int
) -> int:
    """Form V-MDAV groups until at most `until` of the `left` points, or fewer than k, are ungrouped.

    Each group starts with the ungrouped point farthest from the fixed `center` and its k - 1 nearest points. It then
    grows, up to 2k - 1 points, by the ungrouped point nearest to any of its members, while that distance is less than
    `gain` times the point's distance to its nearest other ungrouped point. Returns the next unused group number.
    """
    near = np.empty(k)
    who = np.empty(2 * k, dtype=np.int64)
    next_near, next_who = np.empty(1), np.empty(1, dtype=np.int64)
    pair_near, pair_who = np.empty(2), np.empty(2, dtype=np.int64)
    while left >= k and left > until:
        _gather(tree, farthest_remaining(tree, center), k, near, who)
        size = k
        left -= k
        while size < 2 * k - 1 and left > 0:
            next_near[0], next_who[0] = np.inf, -1
            for slot in range(size):
                nearest_remaining(tree, tree.points[who[slot]], int64(1), next_near, next_who)
            candidate = next_who[0]
            pair_near[:] = np.inf
            pair_who[:] = -1
            # The first of the two nearest is the point itself or one equal to it; the second gives the distance.
            nearest_remaining(tree, tree.points[candidate], int64(2), pair_near, pair_who)
            if next_near[0] >= gain * gain * pair_near[1]:
                break
            remove_point(tree, candidate)
            who[size] = candidate
            size += 1
            left -= 1
        for slot in range(size):
            labels[tree.row[who[slot]]] = group
        group += 1
    return group
