"""Algorithm 1 of Li, Yi and Zhang at one threshold: an independent set that grows until both tests pass.

Two records are adjacent if their colors differ and their distance is at most the threshold. A group whose diameter is
at most the threshold contains at most one record of an independent set. Therefore a failure proves that every
partition has a larger diameter (docs/proofs/diverse.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.partition.diversity.colored_points import Among, Colored, Mask
from shoal.partition.diversity.star_tests import Short, Violator, share_out, stock
from shoal.partition.radius.balls import open_balls
from shoal.partition.result import Floats, Labels

CLASSES = 64
"""A color that has at least one in CLASSES of the remaining records joins the independent set as a whole."""


class Stars(NamedTuple):
    """Groups around records: `centers` are records, and `owner` is the position of each record's center in it."""

    centers: Labels
    owner: Labels


def stars_at(
    whole: Among,
    near: tuple[Floats, Labels],
    threshold: float,
    l: int,  # noqa: E741 (the field's own name)
) -> Stars | float:
    """Return groups within `threshold` of their centers, or, if there are none, a bound on the largest diameter.

    No partition has a smaller largest diameter than the number returned.
    """
    records = whole.records
    centers = extended(records, np.zeros(0, dtype=np.int64), threshold)
    refuted = float(np.nextafter(threshold, np.inf))
    if len(centers) * l <= len(records):
        first = stock(whole, near, centers, threshold, l)
        if isinstance(first, Short):
            return max(refuted, first.until)
    while len(centers) * l <= len(records):
        found = share_out(whole, near, centers, threshold, l)
        if isinstance(found, Short):
            return max(refuted, found.until)
        if not isinstance(found, Violator):
            return Stars(centers, found)
        centers = extended(records, swapped(records, centers, found, threshold), threshold)
    return refuted


def extended(records: Colored, centers: Labels, threshold: float) -> Labels:
    """Return a maximal independent set that contains `centers`: every record is in it or adjacent to one in it.

    Frequent colors join first: a group has at most one record of a color, so the most frequent color needs most
    groups.
    """
    free: Mask = np.ones(len(records), dtype=bool)
    free[centers] = False
    added = centers
    while True:
        rows = np.flatnonzero(free)
        if len(added):
            rows = rows[Among(records, added).nearest(rows, 1)[0][:, 0] > threshold]
        free[:] = False
        free[rows] = True
        if not len(rows):
            return np.sort(centers)
        color = records.color[rows]
        often = np.bincount(color)
        if often.max() * CLASSES >= len(rows):
            added = rows[color == often.argmax()]
        else:
            added = open_balls(records.metric, rows, threshold).centers
        centers = np.concatenate((centers, added))
        free[added] = False


def swapped(records: Colored, centers: Labels, found: Violator, threshold: float) -> Labels:
    """Return a larger independent set: the records of the violator replace the centers adjacent to them.

    Records of one color are never adjacent. Records of a further color join too, if they are not adjacent to those.
    """
    color = records.color[found.records]
    joined = np.zeros(0, dtype=np.int64)
    chosen = np.zeros(records.n_colors, dtype=bool)
    for own in np.argsort(-found.missing, kind="stable")[: np.count_nonzero(found.missing)]:
        mine = found.records[color == own]
        if len(joined) and (Among(records, joined).nearest(mine, 1)[0] <= threshold).any():
            continue
        chosen[own] = True
        joined = np.concatenate((joined, mine))
    leaving = found.centers[chosen[found.center_color]]
    return np.concatenate((np.setdiff1d(centers, leaving), joined))
