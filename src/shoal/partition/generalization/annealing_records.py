"""The records of a Space in the form that the annealing kernels read."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.generalization_groups import RecordArrays
from shoal.partition.result import Floats
from shoal.space.space import Axis, Space

MOST_LABELS = 1024
"""Most labels of a column whose sets cost per label. With more labels, every set of several labels costs the same."""


def by_kind(space: Space) -> RecordArrays:
    """Return the columns by kind: lines, hierarchies, and sets of labels, whose bits are packed into 64-bit words."""
    n = len(space)
    lines = [j for j, axis in enumerate(space.axes) if axis.ancestors is None]
    sets = [j for j, axis in enumerate(space.axes) if axis.in_sets and _n_leaves(axis) <= MOST_LABELS]
    spans = [*lines, *(j for j in range(len(space.axes)) if j not in lines and j not in sets)]
    trees, joints = [], [np.zeros(0)]
    for j in spans:
        trees.append((sum(map(len, joints)), _n_leaves(space.axes[j])))
        joints.append(_joints(space.axes[j]))
    words: list[npt.NDArray[np.uint64]] = []
    used = 64
    part_word, part_mask, part_costs = [], [], []
    set_costs = [np.zeros(0)]
    for j in sets:
        by_count = space.axes[j].by_count
        assert by_count is not None
        n_labels, codes = _n_leaves(space.axes[j]), space.coordinates[:, j].astype(np.uint64)
        for begin in range(0, n_labels, 64):
            wide = min(64, n_labels - begin)
            if used + wide > 64:
                words.append(np.zeros(n, dtype=np.uint64))
                used = 0
            here = (codes >= begin) & (codes < begin + wide)
            words[-1][here] |= np.uint64(1) << (codes[here] - np.uint64(begin) + np.uint64(used))
            part_word.append(len(words) - 1)
            part_mask.append(((1 << wide) - 1) << used)
            part_costs.append(sum(map(len, set_costs)) if begin + wide == n_labels else -1)
            used += wide
        set_costs.append(by_count)
    widest = max([n_leaves for _, n_leaves in trees], default=1)
    return RecordArrays(
        spans=np.ascontiguousarray(space.coordinates[:, spans]),
        trees=np.array(trees, dtype=np.int64).reshape(-1, 2),
        joints=np.concatenate(joints),
        powers=np.array([max(0, m.bit_length() - 1) for m in range(widest + 1)], dtype=np.int64),
        words=np.stack(words, axis=1) if words else np.zeros((n, 0), dtype=np.uint64),
        part_word=np.array(part_word, dtype=np.int64),
        part_mask=np.array(part_mask, dtype=np.uint64),
        part_costs=np.array(part_costs, dtype=np.int64),
        set_costs=np.concatenate(set_costs),
    )


def _n_leaves(axis: Axis) -> int:
    """Return the number of leaves of a hierarchy; 0 for a line, -1 for a line of ranks."""
    return len(axis.ancestors) if axis.ancestors is not None else -1 if axis.counted else 0


def _joints(axis: Axis) -> Floats:
    """Return, for every i and every first leaf a, the cost of the lowest node above the leaves a .. a + 2 ** i.

    Leaves are in depth-first order, so this cost is the largest of the costs of the nodes above two adjacent leaves.
    For a line of ranks, return the cost of a difference of 0, 1, 2 ... ranks.
    """
    if axis.ancestors is None:
        return np.zeros(0) if axis.by_count is None else axis.by_count
    leaves = np.arange(len(axis.ancestors), dtype=np.float64)
    rows = [np.append(axis.spanned(leaves[:-1], leaves[1:]), 0.0)]
    while 2 ** len(rows) < len(axis.ancestors):
        step = 2 ** (len(rows) - 1)
        rows.append(np.maximum(rows[-1], np.append(rows[-1][step:], np.zeros(step))))
    return np.concatenate(rows)
