"""Groups around records and what they cost: size x radius, and the opening cost of the center."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.result import Floats, Labels


class Cells(NamedTuple):
    """The group of each record, -1 for none, and the center of each group: a record, of the group or not."""

    labels: Labels
    centers: Labels

    @property
    def sizes(self) -> Labels:
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.centers)).astype(np.int64)

    def members(self) -> list[Labels]:
        """The records of each group."""
        by_group = np.argsort(self.labels, kind="stable")[np.count_nonzero(self.labels < 0) :]
        return np.split(by_group, np.cumsum(self.sizes)[:-1])


def radii_of(matrix: Floats, cells: Cells) -> Floats:
    """The distance from each center to the farthest record of its group."""
    radii = np.zeros(len(cells.centers))
    kept = np.flatnonzero(cells.labels >= 0)
    np.maximum.at(radii, cells.labels[kept], matrix[cells.centers[cells.labels[kept]], kept])
    return radii


def cost_of(matrix: Floats, opening: Floats, cells: Cells) -> float:
    """Every record in a group pays its radius, every group the opening of its center; rounded once."""
    kept = cells.labels[cells.labels >= 0]
    paid = np.concatenate((radii_of(matrix, cells)[kept], opening[cells.centers]))
    return math.fsum(paid.tolist())


def sum_rounded_down(values: Floats) -> float:
    """The largest floating-point number that is not above the exact sum."""
    near = math.fsum(values.tolist())
    return near if math.fsum([*values.tolist(), -near]) >= 0 else math.nextafter(near, -math.inf)
