"""How many records, and how many different values, a group that is t-close has at least.

The shares in a group of m records are multiples of 1 / m, so a small group cannot come close to the shares of the
table, whichever records it has. Theorem CLOSE-1, docs/proofs/cells.md.
"""

from __future__ import annotations

import numpy as np

from shoal.requirements.counts import Ints, Records
from shoal.requirements.requirement import TOLERANCE
from shoal.requirements.t_closeness import TCloseness

LARGEST_SIZE = 1000
"""Larger sizes are not looked at: if no smaller group is t-close, this is returned."""
MARGIN = 1e-12
"""Distances here are quotients and sums of whole numbers, with a rounding error far below this."""


def least_size(asked: TCloseness, records: Records, least: int, n_may_go: int = 0) -> int:
    """Return a number of records, at least `least`, that every group of at least `least` records within t has.

    Up to `n_may_go` records may be left out of the table. `least` itself if people are counted once in each group, or
    if leaving out records changes the distances of values: then nothing is known beforehand.
    """
    if records.people is not None or (n_may_go and asked.distance != "equal"):
        return least
    totals = np.bincount(records.sensitive[asked.column])
    n = int(totals.sum())
    most = _reach(asked, n, n_may_go)
    levels = [totals]
    if asked.distance == "hierarchical":
        nodes = records.ancestors[asked.column].counting(totals)
        levels = [np.bincount(one[: len(totals)], weights=totals).astype(np.int64) for one in nodes]
    for size in range(least, min(n, LARGEST_SIZE)):
        if asked.distance == "ordered":
            distance = _least_ordered(totals, size)
        else:
            distance = float(np.mean([_least_variational(one, size) for one in levels]))
        if distance <= most:
            return size
    return max(least, min(n, LARGEST_SIZE))


def least_values(asked: TCloseness, records: Records, n_may_go: int = 0) -> int:
    """Return a number of different values that every group within t has: for the equal distance; 1 for others.

    A group that lacks values is at least as far from the table as their share is large.
    """
    if records.people is not None or asked.distance != "equal":
        return 1
    totals = np.bincount(records.sensitive[asked.column])
    n = int(totals.sum())
    share = np.cumsum(np.sort(totals)[::-1]) / n
    return 1 + int(np.count_nonzero(1.0 - share > _reach(asked, n, n_may_go)))


def _reach(asked: TCloseness, n: int, n_may_go: int) -> float:
    """Return how far from the whole table a group within t of what is released can be."""
    return asked.t + TOLERANCE + MARGIN + n_may_go / n


def _least_variational(totals: Ints, size: int) -> float:
    """Return the least variational distance of `size` values from the table: shares rounded down, or up by one."""
    n = int(totals.sum())
    beyond = (size * totals) % n
    n_up = int(beyond.sum()) // n
    return float(np.sort(n - beyond)[:n_up].sum()) / n / size


def _least_ordered(totals: Ints, size: int) -> float:
    """Return the least ordered distance of `size` values: cumulative shares rounded to the nearest."""
    n, occurs = int(totals.sum()), totals[totals > 0]
    if len(occurs) < 2:
        return 0.0
    beyond = (size * np.cumsum(occurs)[:-1]) % n
    return float(np.minimum(beyond, n - beyond).sum()) / n / size / (len(occurs) - 1)
