"""A lower bound on the generalization cost of every partition, from dual variables (offers) of the records.

Problem     records whose columns are generalized in hierarchies or to ranges; a lower bound on the cost of every
            partition into groups of at least k of them (`forest` defines the cost).
Guarantee   at most the optimum, however early the search ends: CELLS-1, docs/proofs/cells.md. Never below the sum of
            the costs of the records' cheapest cells.
Complexity  O(members of cells) for each round, and a few times that to enumerate them. Cells that are too costly for
            all of their records are skipped; the larger the table, the lower this limit. Deterministic, equal for
            any number of threads, and it does not depend on the order of rows.

Notes
-----
A cell has all records below one node of every hierarchy and in one range of every number. Each group lies in a cell,
and each of its records costs at least what the cell costs. Let every record make an offer such that no k records of a
cell together offer more than k times its cost. Then every group costs at least the sum of its records' offers, and
the sum of all offers is a lower bound. The best offers solve a linear program with a variable for every different
record and a constraint for any k records of a cell. It is solved approximately by a primal-dual method [1]_ that
changes the offers and the openings of cells in turn; at the end every offer is reduced to what its cells allow.

References
----------
.. [1] A. Chambolle and T. Pock (2011). "A first-order primal-dual algorithm for convex problems with applications to
   imaging." Journal of Mathematical Imaging and Vision 40(1), 120-145.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from shoal import progress
from shoal.kernels.hierarchy_cells import adjust_openings, feasible_shares
from shoal.partition.generalization.cells import Cells, cheapest_cells, count_cells, list_cells
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

MEMBERS, LEAST_MEMBERS, MOST_MEMBERS, RAISING_ROUNDS = 300, 200_000, 5_000_000, 60
"""For an effort of 1: members of cells that are kept per different record, at least and at most in all; and rounds of
the primal-dual method."""
WORK = 20
"""Records that the enumeration of cells may touch, per member that may be kept."""
WIDER, LEAST_WIDER = 1.4, 1.03
"""Largest and smallest factor from one cap on offers to the next, while there are not too many affordable cells."""
OFFER, LAST_OFFER, OPEN = 0.2, 0.015, 0.5
"""Step sizes of the offers in the first and the last round, in units of the mean cost of the cheapest cells; and of
the openings, in units of 1 over that mean."""
PARTS = 2
"""Parts into which cells are divided for threads; a constant, so that sums do not depend on the machine."""
MOST_K, ROUNDING = 4096, 2.0**-40
"""Largest k for which the bound is computed. Up to it, and for a thousand columns, all rounding errors of the bound
are below the relative ROUNDING that is subtracted."""


def cell_bound(space: Space, k: int, *, effort: float = 1.0, max_suppressed: int = 0) -> float:
    """Return a lower bound on the generalization cost of every partition into groups of at least `k` records.

    Up to `max_suppressed` records may be left out of the groups, each at the cost of a record that says nothing; the
    bound is lowered by what the largest offers exceed that cost. The bound is 0.0 if there are far too many cells,
    and larger with more `effort`. A set of labels counts as two labels.
    """
    offers = offers_within(space, k, effort=effort)
    bound = math.fsum(offers) * (1 - 2.0**-52)
    if not max_suppressed:
        return bound
    beyond = np.sort(np.maximum(offers - space.hidden_cost() * (1 - ROUNDING), 0.0))[::-1]
    return max(0.0, (bound - math.fsum(beyond[:max_suppressed])) * (1 - 2.0**-51))


def offers_within(space: Space, k: int, *, effort: float = 1.0) -> Floats:
    """Return the offer of every record; no `k` records of a cell together offer more than `k` times its cost."""
    nothing = np.zeros(len(space))
    if not space.axes or len(space) < k or k > MOST_K:
        return nothing
    points, counts, point_of = space.distinct()
    with progress.step("bound"):
        cheapest = cheapest_cells(points, counts, k, WORK * most_members(len(points), max(effort, 1.0)))
        if cheapest is None or not cheapest.any():
            return nothing
        # The offer of a record is at most k times the cost of its cheapest cell, shared among its copies.
        most = k * cheapest / np.minimum(counts, k)
        order = np.argsort(-most, kind="stable")
        some = points.take(order), counts[order], k, most[order]
        found = _affordable_cells(*some, most_members(len(points), effort))
        offers = cheapest
        if found is not None:
            better = np.empty(len(points))
            better[order] = raised(*found, counts[order], k, cheapest[order], math.ceil(RAISING_ROUNDS * effort))
            if counts @ better > counts @ cheapest:
                offers = better
    return offers[point_of] * (1 - ROUNDING)


def most_members(n_points: int, effort: float) -> int:
    """Return how many members of cells are kept at this effort."""
    return int(effort * min(MOST_MEMBERS, max(LEAST_MEMBERS, MEMBERS * n_points)))


def _affordable_cells(
    points: Space, counts: Labels, k: int, most: Floats, n_members: int
) -> tuple[Cells, Floats] | None:
    """Return the cells that offers of at most `most` can pay for, and `most` capped so that these are few enough.

    None if even the smallest cap gives too many cells.
    """
    cap, step, fewer, found = float(most[most > 0].mean()) / k, WIDER, 0, None
    while step > LEAST_WIDER and (found is None or cap / step < most[0]):
        capped = np.minimum(most, cap)
        size = count_cells(points, counts, k, capped, WORK * n_members, n_members)
        if size is None:
            break
        if found is not None:  # extrapolate the growth so far to a cap at which there are just few enough members
            power = math.log(max(size.members / max(fewer, 1), WIDER)) / math.log(step)
            step = min(WIDER, (n_members / max(size.members, 1)) ** (1 / power))
        found, fewer = (size, capped), size.members
        cap *= step
    if found is None:
        return None
    size, capped = found
    return list_cells(points, counts, k, capped, size), capped


def raised(cells: Cells, most: Floats, counts: Labels, k: int, offers: Floats, n_rounds: int) -> Floats:
    """Return feasible offers, raised from the given ones by the primal-dual method.

    Feasible means that no k records of a cell offer more than k times its cost. Points are sorted by `most`, largest
    first.
    """
    unit = float((counts * offers).sum() / counts[offers > 0].sum())
    opened, until, risen = np.zeros(len(cells.costs)), np.zeros(len(cells.costs)), 0.0
    loads = np.zeros((PARTS, len(counts)))
    cuts = np.searchsorted(cells.starts, np.linspace(0, len(cells.members), PARTS + 1)).tolist()
    offers = np.minimum(offers, most)
    ahead = offers.copy()
    with ThreadPoolExecutor(PARTS) as pool:
        for offer in np.geomspace(OFFER, LAST_OFFER, n_rounds):
            jobs = [
                pool.submit(
                    adjust_openings, *cells, *span, counts, k, ahead, most, opened, OPEN / unit, risen, until, load
                )
                for span, load in zip(pairwise(cuts), loads, strict=True)
            ]
            for job in jobs:
                job.result()
            before = offers
            offers = np.clip(before + offer * unit * (1 - loads.sum(axis=0) / counts), 0.0, most)
            last, ahead = ahead, np.clip(2 * offers - before, 0.0, most)
            risen += max(0.0, float((ahead - last).max()))
    share = np.ones(len(counts))
    feasible_shares(*cells, counts, k, offers, most, share)
    return offers * share
