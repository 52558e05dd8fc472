"""What a group loses on an axis with missing values: they are no part of its mean, median or mode.

Published is the mean, median or mode of the values that are present. On a line, what is lost by hiding who is missing
is measured on the axis beside it (`Axis.gaps`); for a mode it is counted here. If the number of missing values is not
published ("voted"), a group of which most values are missing is published as missing: then all its values are lost,
which the axis beside it counts, and nothing here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.partition.microaggregation.sse import off_mean
from shoal.partition.result import Floats, Labels
from shoal.space.group_centers import line_medians, tree_medians
from shoal.space.space import Axis, Space

Bools = npt.NDArray[np.bool_]


def missing_on(space: Space, j: int) -> Bools:
    """Return which records have no value on axis `j`, which has gaps."""
    axis = space.axes[j]
    if axis.ancestors is not None:
        missing: Bools = space.coordinates[:, j] == len(axis.ancestors) - 1
        return missing
    return space.coordinates[:, j + 1] > 0


def loss_with_gaps(axis: Axis, values: Floats, missing: Bools, groups: Labels, n_groups: int) -> Floats:
    """Return what each group loses on an axis with gaps; groups are 0, 1, ... in ascending order."""
    lost: Floats = np.zeros(n_groups)
    n_missing = np.bincount(groups[missing], minlength=n_groups)
    n_present = np.bincount(groups, minlength=n_groups) - n_missing
    held, place = np.unique(groups[~missing], return_inverse=True)
    if len(held):
        lost[held] = _of_present(axis, values[~missing], place.reshape(-1), len(held))
    if axis.gaps == "voted":
        lost[n_missing > n_present] = 0.0
    if axis.level_cost is not None:
        lost += axis.level_cost[-1] * np.minimum(n_missing, n_present)
    return lost


def _of_present(axis: Axis, values: Floats, groups: Labels, n_groups: int) -> Floats:
    """Return what each group of present values loses by its mean, median or mode."""
    if axis.ancestors is not None and axis.level_cost is not None:
        return tree_medians(values.astype(np.int64), groups, n_groups, axis.ancestors, axis.level_cost)[1]
    if axis.median:
        apart = np.abs(values - line_medians(values, groups, n_groups)[groups])
        lost: Floats = np.bincount(groups, weights=apart, minlength=n_groups).astype(np.float64)
        return lost
    sizes = np.bincount(groups, minlength=n_groups)
    # deviations from a member of the group first, so that a large common offset costs no digits
    moved = values - values[np.cumsum(sizes) - sizes][groups]
    means = np.bincount(groups, weights=moved, minlength=n_groups) / sizes
    return np.bincount(groups, weights=(moved - means[groups]) ** 2, minlength=n_groups).astype(np.float64)


def lost_by_each(axis: Axis, values: Floats, missing: Bools) -> Floats:
    """Return what each record loses on an axis with gaps if all records are published as one group."""
    lost: Floats = np.zeros(len(values))
    present = values[~missing]
    n_missing, n_present = int(missing.sum()), len(present)
    if n_present == 0:
        return lost
    one = np.zeros(n_present, dtype=np.int64)
    if axis.ancestors is not None and axis.level_cost is not None:
        leaves = present.astype(np.int64)
        center = tree_medians(leaves, one, 1, axis.ancestors, axis.level_cost)[0]
        lost[~missing] = axis.level_cost[(axis.ancestors[leaves] != axis.ancestors[center]).sum(axis=1)]
        lost[missing if n_missing <= n_present else ~missing] += axis.level_cost[-1]
    elif axis.median:
        if axis.gaps != "voted" or n_missing <= n_present:
            lost[~missing] = np.abs(present - line_medians(present, one, 1)[0])
    else:
        lost[~missing] = off_mean(present) ** 2
    return lost


def least_beside(axis: Axis, values: Floats, beside: Floats) -> float:
    """Return where missing values may stand on the axis beside one with gaps so that no distance exceeds its loss.

    A missing value stands somewhere among the others on the axis itself. There and on the axis beside it together, it
    must be no farther from any value than the whole distance of the axis beside it (docs/proofs/microaggregation.md).
    If rows were left out before, none of these may be missing.
    """
    missing = beside > 0
    if not missing.any():
        return 0.0
    whole, place = float(beside.max()), float(values[missing][0])
    farthest = float(np.abs(values[~missing] - place).max(initial=0.0)) * (1 + 2.0**-40)
    if axis.median:
        return max(0.0, whole - farthest) * (1 - 2.0**-40)
    return float(np.sqrt(max(0.0, whole**2 - farthest**2))) * (1 - 2.0**-40)
