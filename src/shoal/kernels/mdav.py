"""MDAV and V-MDAV over a tree of the points that are left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.shrinking_tree import AliveTree, farthest_alive, nearest_alive, take_away

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@inner
def _gather(tree: AliveTree, anchor: int, k: int, near: Floats, who: Ints) -> None:
    """Take `anchor` and its k - 1 nearest away; their positions, anchor first and then nearest first, go to `who`."""
    take_away(tree, anchor)
    near[: k - 1] = np.inf
    who[: k - 1] = -1
    nearest_alive(tree, tree.points[anchor], k - 1, near, who)
    for slot in range(k - 1, 0, -1):
        who[slot] = who[slot - 1]
        take_away(tree, who[slot])
    who[0] = anchor


@jit
def mdav_rounds(tree: AliveTree, k: int, total: Floats, left: int, until: int, labels: Ints, group: int) -> int:
    """Form groups until at most `until` of the `left` points remain, or fewer than 2k; returns the next group.

    `total` is the sum of the points left and `labels` the group of each row; both are kept up to date.
    """
    near = np.empty(k)
    who = np.empty(k, dtype=np.int64)
    anchor = np.empty(total.shape[0])
    while left >= 2 * k and left > until:
        # Two groups a round while 3k points are left: around the point farthest from the centroid, then around the
        # point farthest from that one. Below 3k one group is cut off and the rest is the last.
        for side in range(2 if left >= 3 * k else 1):
            if side == 0:
                for j in range(total.shape[0]):
                    anchor[j] = total[j] / left
            chosen = farthest_alive(tree, anchor)
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
    tree: AliveTree, k: int, gain: float, center: Floats, left: int, until: int, labels: Ints, group: int
) -> int:
    """As `mdav_rounds`, around the point farthest from a fixed `center`, until fewer than k points remain.

    A group grows, up to 2k - 1, by the point nearest to any of its members while that point is nearer to it than
    `gain` times its distance to the nearest other point left.
    """
    near = np.empty(k)
    who = np.empty(2 * k, dtype=np.int64)
    next_near, next_who = np.empty(1), np.empty(1, dtype=np.int64)
    pair_near, pair_who = np.empty(2), np.empty(2, dtype=np.int64)
    while left >= k and left > until:
        _gather(tree, farthest_alive(tree, center), k, near, who)
        size = k
        left -= k
        while size < 2 * k - 1 and left > 0:
            next_near[0], next_who[0] = np.inf, -1
            for slot in range(size):
                nearest_alive(tree, tree.points[who[slot]], int64(1), next_near, next_who)
            fresh = next_who[0]
            pair_near[:] = np.inf
            pair_who[:] = -1
            # Itself, or its equals, come first.
            nearest_alive(tree, tree.points[fresh], int64(2), pair_near, pair_who)
            if next_near[0] >= gain * gain * pair_near[1]:
                break
            take_away(tree, fresh)
            who[size] = fresh
            size += 1
            left -= 1
        for slot in range(size):
            labels[tree.row[who[slot]]] = group
        group += 1
    return group
