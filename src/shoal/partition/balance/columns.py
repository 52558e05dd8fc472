"""The columns of a Space in the form that the kernels of balanced cuts read."""

from __future__ import annotations

import numpy as np

from shoal.kernels.balanced_cuts import LINE, RANKS, SET, TREE, Columns
from shoal.space.space import Axis, Space


def columns_of(space: Space) -> Columns:
    """Return the ranks of all values, and what their cells cost."""
    ranks = np.empty((len(space), len(space.axes)), dtype=np.int64)
    kinds, costs_at, nodes_at, n_levels = [], [], [], []
    costs, nodes = [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    for j, axis in enumerate(space.axes):
        kind = _kind(axis)
        ranks[:, j] = space.coordinates[:, j].astype(np.int64)
        if kind == LINE:
            cost, inverse = np.unique(space.coordinates[:, j], return_inverse=True)
            ranks[:, j] = inverse.reshape(-1)
        elif kind == TREE:
            cost = axis.node_costs().ravel()
        else:
            assert axis.by_count is not None
            cost = axis.by_count
        kinds.append(kind)
        costs_at.append(sum(map(len, costs)))
        nodes_at.append(sum(map(len, nodes)))
        n_levels.append(0)
        if kind == TREE:
            assert axis.ancestors is not None
            n_levels[-1] = axis.ancestors.shape[1]
            nodes.append(axis.ancestors.ravel().astype(np.int64))
        costs.append(cost)
    return Columns(
        ranks=ranks,
        kind=np.array(kinds, dtype=np.int64),
        costs_at=np.array(costs_at, dtype=np.int64),
        nodes_at=np.array(nodes_at, dtype=np.int64),
        n_levels=np.array(n_levels, dtype=np.int64),
        costs=np.concatenate(costs).astype(np.float64),
        nodes=np.concatenate(nodes),
    )


def _kind(axis: Axis) -> int:
    if axis.ancestors is None:
        return RANKS if axis.counted else LINE
    return SET if axis.in_sets else TREE
