"""What records lose around a center, in the form that kernels read: labels with their distances, and numbers.

A group that is published as its means, medians and modes loses the sum, over its records and columns, of their
distances to the published center, squared for means. This is exact where no value is missing. Missing numbers of a
mean or median lose nothing on their own axis; what hiding them costs stands on the axis beside it.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.center_pricing import CenterArrays
from shoal.partition.microaggregation.missing_values import missing_on
from shoal.partition.result import Floats, Labels
from shoal.space.space import LINE, TREE, Axis, Space

MOST_RECORDS, MOST_K, FEW_LINES = 40_000, 64, 3
"""Most records and largest k for the bound by centers, and most columns of numbers with which its search usually
ends."""
MOST_PAIRS = 4_000_000
"""Most pairs of labels in all columns, 32 MB: 2,000 different labels in one of them."""
FEW_VALUES = 64
"""Most different values of an axis with medians that are handled like labels, each with its distance to all."""


def few_labels(space: Space) -> bool:
    """Whether the distances of all pairs of labels fit into little memory: `center_arrays` holds them."""
    trees = [j for j, axis in enumerate(space.axes) if axis.kind == TREE]
    return sum(len(np.unique(space.coordinates[:, j])) ** 2 for j in trees) <= MOST_PAIRS


def center_arrays(space: Space, counts: Labels, *, at_most: bool = False) -> CenterArrays:
    """Return the records of `space`, of which counts[i] are like record i, with what they lose around centers.

    With `at_most`, no group loses less than these arrays say: numbers whose group may be published as missing
    ("voted") are left out, because the group then loses nothing on their axis.
    """
    codes, tables, numbers, squared = [], [np.zeros(0)], [], []
    for j, axis in enumerate(space.axes):
        values = space.coordinates[:, j]
        if axis.kind == LINE and axis.gaps:
            if not (at_most and axis.gaps == "voted"):
                numbers.append(np.where(missing_on(space, j), np.nan, values))
                squared.append(not axis.median)
            continue
        found, code = np.unique(values, return_inverse=True)
        if axis.kind == LINE and (not axis.median or len(found) > FEW_VALUES):
            numbers.append(values)
            squared.append(not axis.median)
            continue
        codes.append(code.reshape(-1).astype(np.int32))
        tables.append(_distances(axis, found))
    sizes = np.array([len(table) for table in tables[1:]], dtype=np.int64)
    n = len(space)
    return CenterArrays(
        counts=counts,
        codes=np.ascontiguousarray(np.column_stack(codes)) if codes else np.zeros((n, 0), dtype=np.int32),
        far=np.concatenate([table.ravel() for table in tables]),
        first=np.cumsum(sizes**2) - sizes**2,
        sizes=sizes,
        numbers=np.ascontiguousarray(np.column_stack(numbers)) if numbers else np.zeros((n, 0)),
        squared=np.array(squared, dtype=np.bool_),
    )


def _distances(axis: Axis, values: Floats) -> Floats:
    """Return the distances of all pairs of values of an axis with medians, or of leaves of a hierarchy."""
    if axis.ancestors is None or axis.level_cost is None:
        apart: Floats = np.abs(values[:, None] - values)
        return apart
    leaves = values.astype(np.int64)
    above = axis.ancestors[leaves]
    apart = axis.level_cost[(above[:, None] != above).sum(axis=2)]
    if axis.gaps:  # missing, the last leaf, is as far from every value as two values can be
        missing = leaves == len(axis.ancestors) - 1
        apart[missing[:, None] != missing] = axis.level_cost[-1]
    return apart
