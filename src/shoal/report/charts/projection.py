"""Projection of records and group centers on the two directions in which the records differ most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.report.charts import Projection
from shoal.space.space import LINE, Space

MOST_POINTS = 3_000
MOST_AXES = 200


def project(space: Space, labels: npt.NDArray[np.int64], *, most: int = MOST_POINTS) -> Projection | None:
    """Return the first two principal components of numbers and dates.

    None if fewer than two columns vary, or if there are too many to be useful. Labels have no position on a line:
    with them a drawing would show the categories and hide the groups. The drawing does not depend on the order of
    rows; beyond `most` points it shows every second, third, ...
    """
    points = space.coordinates[:, [j for j, axis in enumerate(space.axes) if axis.kind == LINE]]
    if labels.max(initial=-1) < 0:
        return None
    points = points - points.mean(axis=0)
    varied = np.flatnonzero(np.ptp(points, axis=0))
    if not 2 <= len(varied) <= MOST_AXES:
        return None
    variances, directions = np.linalg.eigh(np.cov(points[:, varied].T))
    two = directions[:, [-1, -2]]
    two = two * np.sign(two[np.abs(two).argmax(axis=0), [0, 1]])  # the sign of an eigenvector is arbitrary
    flat = points[:, varied] @ two
    kept = labels >= 0
    sizes = np.bincount(labels[kept])
    centers = np.stack([np.bincount(labels[kept], weights=flat[kept, i]) / sizes for i in (0, 1)], axis=1)
    shown = _some(centers, most)
    return Projection(
        records=flat[_some(flat, most)],
        groups=centers[shown],
        sizes=sizes[shown].astype(np.int64),
        explained=(float(variances[-1] / variances.sum()), float(variances[-2] / variances.sum())),
    )


def _some(points: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    """Return at most `most` rows, evenly spread along the first direction."""
    order = np.lexsort(points.T[::-1])
    step = -(-len(order) // most)
    return order[::step].astype(np.int64)
