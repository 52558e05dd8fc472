"""The exact optimum of r-gather for one column of numbers.

Problem     split n numbers into groups of at least k, minimizing the largest distance between a record and the center
            of its group, which is a record.
Guarantee   optimal: GATHER-6, docs/proofs/gather.md. Of all groupings into runs with that radius, the sum of size x
            radius is the smallest, so that dense places keep small groups.
Complexity  O(n k log k) time after a sort, O(n) memory.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.kernels.line_groups import cheapest_runs, nearest_to_middle, smallest_radius
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.space.space import LINE, Space

MOST_WORK = 2e9
"""Largest n x k, which takes a minute; with more, the general method groups one column, too."""


def one_column(points: Any) -> Floats | None:
    """Return the numbers of the only column; None if there are several columns, or labels, ranks or distances."""
    if isinstance(points, Space):
        plain = len(points.axes) == 1 and points.axes[0].kind == LINE and not points.axes[0].counted
        return np.ascontiguousarray(points.coordinates[:, 0]) if plain else None
    given = np.asarray(points, dtype=np.float64)
    if given.ndim == 1:
        return given
    return np.ascontiguousarray(given[:, 0]) if given.shape[1] == 1 else None


def gather_line(values: Floats, order: Labels, k: int) -> Partition:
    """Return groups of at least `k` numbers with the smallest possible largest radius around records.

    `order` sorts the numbers, of which there are at least `k`.
    """
    n, x = len(values), np.ascontiguousarray(values[order])
    best, opens = np.empty(n + 1), np.empty(n + 1, dtype=np.int64)
    anywhere = smallest_radius(x, k, best, True)
    radius = smallest_radius(x, k, best, False)
    cheapest_runs(x, k, radius, best, opens)
    ends = [n]
    while ends[-1]:
        ends.append(int(opens[ends[-1]]))
    cuts = np.array(ends[::-1], dtype=np.int64)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    middles = [nearest_to_middle(x, begin, end) for begin, end in pairwise(cuts.tolist())]
    rows = order[np.array(middles, dtype=np.int64)]
    radii = np.maximum(values[rows] - x[cuts[:-1]], x[cuts[1:] - 1] - values[rows])
    named = number_groups(labels)
    centers, of_group = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    centers[named[rows]], of_group[named[rows]] = rows, radii
    return Partition(
        labels=named,
        method="gather",
        objective="radius",
        cost=radius,
        lower_bound=radius,
        ratio_proved=Fraction(1),
        theorem="GATHER-6",
        centers=centers,
        radii=of_group,
        details=Details(
            lower_bound_centers="records", lower_bound_any_center=anywhere, n_outliers_allowed=0, bound="optimum"
        ),
    )
