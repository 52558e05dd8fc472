"""Points handed to centers so that every center gets at least r records: a flow, only where it is needed.

Every point first goes to its nearest center. Centers that are left short then borrow: a center takes points out of
its ball from their owners, who give what they have above r or borrow in turn. That is a maximum flow in the residual
network of the nearest assignment, so it succeeds exactly if some assignment gives r records to every center.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.partition.radius.balls import Balls
from shoal.partition.result import Labels


class Shares(NamedTuple):
    """`amount` records of `point` belong to group `group`; a point of many records may be shared by groups."""

    point: Labels
    group: Labels
    amount: Labels


def assign(balls: Balls, radius: float, counts: Labels, r: int) -> Shares | None:
    """All covered points shared out within `radius`, at least `r` records to each ball; None where none can."""
    point = np.flatnonzero(balls.owner >= 0)
    whole = Shares(point, balls.owner[point], counts[point])
    sizes = group_sizes(whole, len(balls.centers))
    short = sizes < r
    if not short.any():
        return whole
    ball = balls.ball
    is_center = np.zeros(len(counts), dtype=bool)
    is_center[balls.centers] = True  # a center stays in its own group
    useful = (balls.distances <= radius) & (balls.owner[balls.members] != ball) & ~is_center[balls.members]
    ball, member = ball[useful], balls.members[useful]
    # Most of the time a short center finds enough next to it; the whole network is the second attempt.
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
    """Records in each group."""
    return np.bincount(shares.group, weights=shares.amount, minlength=n_groups).astype(np.int64)


def _borrow(ball: Labels, member: Labels, owner: Labels, counts: Labels, sizes: Labels, r: int) -> Shares | None:
    """What each ball takes out of its list (`ball`, `member`), or None where short balls stay short."""
    # Loaded where a flow is needed: importing it takes as long as a small table does.
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
