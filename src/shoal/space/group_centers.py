"""Centers of groups on one axis: the median of numbers on a line, or the leaf of a tree nearest to all members.

If all labels are equally far apart, the tree's median is the most frequent label. Ties go to the lower value.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.space.space import Floats, Ints


def line_medians(values: Floats, groups: Ints, n_groups: int) -> Floats:
    """Return the lower median of `values` in every group 0 .. n_groups - 1, none of which may be empty."""
    sizes = np.bincount(groups, minlength=n_groups)
    middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    medians: Floats = values[np.lexsort((values, groups))[middle]]
    return medians


def tree_medians(
    leaves: Ints, groups: Ints, n_groups: int, ancestors: npt.NDArray[np.int32], level_cost: Floats
) -> tuple[Ints, Floats]:
    """Return for each group the leaf with the least sum of distances to the group's leaves, and that sum.

    Leaves below one node have consecutive ranks, so after one sort the members below a node are consecutive on every
    level.
    """
    order = np.argsort(groups * len(ancestors) + leaves, kind="stable")
    own, leaf = groups[order], leaves[order]
    sizes = np.bincount(groups, minlength=n_groups)
    start = np.cumsum(sizes) - sizes
    shared = np.zeros(
        len(leaf)
    )  # how much less than the largest distance a leaf costs because it shares nodes with other members
    for level, step in enumerate(np.diff(level_cost)):
        if step:
            node = ancestors[leaf, level]
            begins = np.flatnonzero(np.diff(node, prepend=-1) | np.diff(own, prepend=-1))
            run = np.diff(begins, append=len(leaf))
            shared += step * np.repeat(run, run)
    most = np.maximum.reduceat(shared, start)
    at_most = np.flatnonzero(shared == np.repeat(most, sizes))
    first = at_most[np.searchsorted(at_most, start)]
    return leaf[first], np.maximum(sizes * level_cost[-1] - most, 0.0)
