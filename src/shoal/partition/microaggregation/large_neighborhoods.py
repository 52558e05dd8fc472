"""Large neighborhood search: regions of a partition are regrouped on their own.

Problem     lower the squared error of a partition that no single move or swap improves any more.
Guarantee   never worse than its start; deterministic, on any number of threads, unless the time limit ends it.
Complexity  a region has at most `size` points, whatever n is. Each takes column generation over its whole groups, and
            a small integer program over the groups that are cheap enough to be in a better partition of it.

Notes
-----
Regions are tried around the points with the largest error first, then around points that have not been near the
middle of a region. A region whose lower bound equals its cost is left as it is, because no partition of it is better.

References
----------
.. [1] P. Shaw (1998). "Using constraint programming and local search methods to solve vehicle routing problems."
   CP 1998, LNCS 1520, 417-431.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from shoal.kernels.euclid_tree import in_slots
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.annealing import as_columns
from shoal.partition.microaggregation.column_generation import column_bound, distinct
from shoal.partition.microaggregation.set_partitioning import NODES, best_at_prices
from shoal.partition.microaggregation.sse import group_means, sse
from shoal.partition.result import Floats, Labels

Ints = npt.NDArray[np.int64]

AT_ONCE = 4
"""Regions that are regrouped at the same time; they do not overlap."""
MIDDLE = 3
"""The nearest 1 / MIDDLE of a region's groups count as treated; the others might do better with groups outside."""
GAP, PRICING_ROUNDS = 1e-4, 30
"""Relative gap between cost and bound at which the column generation of a region ends, and its rounds at most."""


def improve_regions(
    points: Floats, k: int, labels: Labels, groups: Ints, *, size: int, deadline: float, n_threads: int,
    nodes: int = NODES,
) -> tuple[Labels, Ints]:  # fmt: skip
    """Make one pass over all points; return a partition no worse than `labels`, and `groups` with the new columns.

    Expects groups of k to 2k - 1 points, in `groups` padded with -1, and `size` at least 2k.
    """
    n = len(points)
    seen = np.zeros(n, dtype=np.bool_)
    while not seen.all() and time.monotonic() < deadline:
        regions = _regions(points, labels, seen, size)
        found: dict[int, tuple[Labels, Ints]] = {}

        def regroup(
            at: int, _stop: int, regions: list[Ints] = regions, labels: Labels = labels, groups: Ints = groups,
            found: dict[int, tuple[Labels, Ints]] = found,
        ) -> None:  # fmt: skip
            rows = regions[at]
            own = _within(groups, rows, n)
            threads = n_threads if len(regions) == 1 else 1
            found[at] = _regrouped(points[rows], k, number_groups(labels[rows]), own, deadline, threads, nodes)

        in_slots(regroup, len(regions), n_threads, slot=1)
        joined = labels.copy()
        priced = [groups]
        for at, rows in enumerate(regions):
            own_labels, own_groups = found[at]
            joined[rows] = (at + 1) * n + own_labels
            priced.append(np.where(own_groups >= 0, rows[own_groups], -1))
        groups = distinct(np.concatenate(priced))
        joined = number_groups(joined)
        # The gains of regions are differences of rounded sums, so the total cost decides.
        if sse(points, joined) < sse(points, labels):
            labels = joined
    return labels, groups


def _regions(points: Floats, labels: Labels, seen: npt.NDArray[np.bool_], size: int) -> list[Ints]:
    """Return the rows of a few regions of whole groups around unseen points, and mark their middles in `seen`."""
    means, sizes = group_means(points, labels), np.bincount(labels)
    off = points - means[labels]
    errors = np.einsum("ij,ij->i", off, off)
    regions: list[Ints] = []
    taken = np.zeros(len(sizes), dtype=np.bool_)
    for row in np.argsort(np.where(seen, np.inf, -errors), kind="stable"):
        if seen[row] or len(regions) == AT_ONCE:
            break
        if taken[labels[row]]:
            continue
        away = means - means[labels[row]]
        distance = np.einsum("ij,ij->i", away, away)
        distance[labels[row]] = -1.0  # always first, also among equal means, so that every region marks some points
        near = np.argsort(distance, kind="stable")
        near = near[: max(1, int(np.searchsorted(np.cumsum(sizes[near]), size, side="right")))]
        if not taken[near].any():
            taken[near] = True
            seen |= np.isin(labels, near[: -(-len(near) // MIDDLE)])
            regions.append(np.flatnonzero(np.isin(labels, near)))
    return regions


def _within(groups: Ints, rows: Ints, n: int) -> Ints:
    """Return the groups whose members are all among `rows`, as positions in `rows`."""
    place = np.full(n + 1, -1, dtype=np.int64)  # the last entry is for the padding
    place[rows] = np.arange(len(rows))
    whole = ((place[groups] >= 0) | (groups < 0)).all(axis=1)
    return np.asarray(place[groups[whole]])


def _regrouped(
    points: Floats, k: int, labels: Labels, groups: Ints, deadline: float, n_threads: int, nodes: int
) -> tuple[Labels, Ints]:
    """Return the best partition found of one region, and all its groups known so far."""
    cost = sse(points, labels)
    if len(points) < 2 * k or cost == 0:
        return labels, groups
    found = column_bound(
        points, k, labels, groups, seconds=(deadline - time.monotonic()) / 2, n_threads=n_threads,
        rounds=PRICING_ROUNDS, gap=GAP,
    )  # fmt: skip
    groups = distinct(np.concatenate([found.groups, as_columns(labels, k)]))
    if cost - found.value <= GAP * cost or time.monotonic() > deadline:
        return labels, groups
    return best_at_prices(points, groups, labels, found.duals, deadline=deadline, nodes=nodes), groups
