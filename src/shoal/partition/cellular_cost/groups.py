"""Groups around records and their cellular cost: size x radius plus the opening cost of the center."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.result import Floats, Labels


class Clusters(NamedTuple):
    """The group of each record (-1 if suppressed), and the center of each group: a record, not always one of it."""

    labels: Labels
    centers: Labels

    @property
    def sizes(self) -> Labels:
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.centers)).astype(np.int64)

    def members(self) -> list[Labels]:
        """Return the records of each group."""
        by_group = np.argsort(self.labels, kind="stable")[np.count_nonzero(self.labels < 0) :]
        return np.split(by_group, np.cumsum(self.sizes)[:-1])


def radii_of(matrix: Floats, clusters: Clusters) -> Floats:
    """Return the distance from each center to the farthest record of its group."""
    radii = np.zeros(len(clusters.centers))
    kept = np.flatnonzero(clusters.labels >= 0)
    np.maximum.at(radii, clusters.labels[kept], matrix[clusters.centers[clusters.labels[kept]], kept])
    return radii


def cost_of(matrix: Floats, opening: Floats, clusters: Clusters) -> float:
    """Return the sum of size x radius and of the centers' opening costs, correctly rounded (one rounding in all)."""
    kept = clusters.labels[clusters.labels >= 0]
    paid = np.concatenate((radii_of(matrix, clusters)[kept], opening[clusters.centers]))
    return math.fsum(paid.tolist())


def sum_rounded_down(values: Floats) -> float:
    """Return the largest floating-point number that is at most the exact sum."""
    near = math.fsum(values.tolist())
    return near if math.fsum([*values.tolist(), -near]) >= 0 else math.nextafter(near, -math.inf)
