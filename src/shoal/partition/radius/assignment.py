"""Assigning points to centers so that every center gets at least r records.

Every point first goes to its nearest center. A center with fewer than r records then takes points of its ball from
other centers, which give up what they have above r or take points from others in turn. This is a maximum flow in the
residual network of the first assignment, so it succeeds if and only if some assignment gives every center r records.
The flow is computed only if some center needs it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.partition.radius.balls import Balls
from shoal.partition.result import Labels


class Shares(NamedTuple):
    """An assignment: for each entry, `amount` records of `point` belong to `group`. Groups may share a point."""

    point: Labels
    group: Labels
    amount: Labels


def assign(balls: Balls, radius: float, counts: Labels, r: int) -> Shares | None:
    """Assign all covered points to balls whose center is within `radius`, at least `r` records to each ball.

    Returns None if no such assignment exists.
    """
    point = np.flatnonzero(balls.owner >= 0)
    whole = Shares(point, balls.owner[point], counts[point])
    sizes = group_sizes(whole, len(balls.centers))
    short = sizes < r
    if not short.any():
        return whole
    ball = balls.ball
    is_center = np.zeros(len(counts), dtype=bool)
    is_center[balls.centers] = True  # centers must stay in their own groups
    useful = (balls.distances <= radius) & (balls.owner[balls.members] != ball) & ~is_center[balls.members]
    ball, member = ball[useful], balls.members[useful]
    # Usually the balls that lack records find enough in their own lists, without a chain; this is tried first,
    # because its network is much smaller.
    near = short[ball]
    borrowed = _borrow(ball[near], member[near], balls.owner, counts, sizes, r)
    if borrowed is None and not near.all():
        borrowed = _borrow(ball, member, balls.owner, counts, sizes, r)
    if borrowed is None:
        return None
    kept = counts.copy()
    np.subtract.at(kept, borrowed.point, borrowed.amount)
    rest = point[kept[point] > 0]
    return Shares(
        np.concatenate((rest, borrowed.point)),
        np.concatenate((balls.owner[rest], borrowed.group)),
        np.concatenate((kept[rest], borrowed.amount)),
    )


def group_sizes(shares: Shares, n_groups: int) -> Labels:
    """Return the number of records of each group."""
    return np.bincount(shares.group, weights=shares.amount, minlength=n_groups).astype(np.int64)


def _borrow(ball: Labels, member: Labels, owner: Labels, counts: Labels, sizes: Labels, r: int) -> Shares | None:
    """Return which points each ball takes from other balls, or None if some ball cannot reach r records.

    Ball ball[i] may take records of the point member[i], which `owner` assigns to another ball.
    """
    # Imported only when a flow is needed, because importing it takes as long as grouping a small table.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    source, sink, n_balls = 0, 1, len(sizes)
    points, where = np.unique(member, return_inverse=True)
    balls = np.arange(n_balls) + 2
    nodes = np.arange(len(points)) + 2 + n_balls
    tail = np.concatenate((np.full(n_balls, source), balls, ball + 2, nodes))
    head = np.concatenate((balls, np.full(n_balls, sink), nodes[where], owner[points] + 2))
    capacity = np.concatenate(
        (np.maximum(r - sizes, 0), np.maximum(sizes - r, 0), np.minimum(counts[member], r), counts[points])
    )
    n_nodes = 2 + n_balls + len(points)
    network = coo_array((capacity.astype(np.int32), (tail, head)), shape=(n_nodes, n_nodes))
    found = maximum_flow(network.tocsr(), source, sink, method="dinic")
    if found.flow_value < np.maximum(r - sizes, 0).sum():
        return None
    flow = found.flow.tocoo()
    taken = (flow.data > 0) & (flow.row >= 2) & (flow.row < 2 + n_balls) & (flow.col >= 2 + n_balls)
    return Shares(
        points[flow.col[taken] - 2 - n_balls],
        flow.row[taken].astype(np.int64) - 2,
        flow.data[taken].astype(np.int64),
    )
