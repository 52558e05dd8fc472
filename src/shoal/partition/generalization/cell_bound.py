"""What any grouping of a table with hierarchies costs at least, from what records can pay for cells.

Problem     records whose columns are generalized in hierarchies or to ranges; a lower bound for the cost of any
            groups of at least k of them (`forest` says what they cost).
Guarantee   at most the optimum, however early the search ends: CELLS-1, docs/proofs/cells.md. Never below what the
            cheapest cells of all records cost together.
Complexity  O(members of cells) for each round of payments, and some times that to find them; what is dear for all of
            its records is not looked at, and for larger tables less counts as dear. Deterministic, equal for any
            number of threads, and it does not depend on the order of rows.

Notes
-----
A cell is one node of every hierarchy and one range of every column of numbers, with the records in all of them. A
group lies in a cell, and each of its records pays what the cell costs. Let every record make an offer, such that no k
records of a cell together offer more than k times its cost. Then no group costs less than its records offer, and all
offers together are a bound. The best offers solve a linear program with a variable for every different record and a
constraint for any k records of a cell: offers and openings of cells are changed in turn [1]_, and at the end every
offer is cut to what its cells allow.

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
from shoal.kernels.hierarchy_cells import affordable, pay_for_cells
from shoal.partition.generalization.cells import Cells, cheapest_cells, count_cells, list_cells
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

MEMBERS, LEAST_MEMBERS, MOST_MEMBERS, ROUNDS = 300, 200_000, 5_000_000, 60
"""Members of cells that are kept for each different record, at least and at most in all, and rounds of payments, for
an effort of 1."""
WORK = 20
"""Records looked at in the search for cells, per member that may be kept."""
WIDER, LEAST_WIDER = 1.4, 1.03
"""From one cap on offers to the next, as long as the cells that can be paid for are not too many."""
OFFER, LAST_OFFER, OPEN = 0.2, 0.015, 0.5
"""Steps of the offers in the first and the last round, in units of the mean cost of the cheapest cells, and of the
openings, in units of 1 / that."""
PARTS = 2
"""Cells are shared out to as many threads, whatever the machine has, so that sums are always the same."""
MOST_K, ROUNDING = 4096, 2.0**-40
"""Up to this k, and for a thousand columns, all rounding of a bound is smaller."""


def cell_bound(space: Space, k: int, *, effort: float = 1.0) -> float:
    """No groups of at least `k` records generalize at a lower cost.

    0.0 where there are far too many cells. More `effort` makes it sharper. A set of labels counts as if it had two.
    """
    return math.fsum(offers_within(space, k, effort=effort)) * (1 - 2.0**-52)


def offers_within(space: Space, k: int, *, effort: float = 1.0) -> Floats:
    """What every record offers; no `k` of a cell offer more than `k` times its cost."""
    nothing = np.zeros(len(space))
    if not space.axes or len(space) < k or k > MOST_K:
        return nothing
    points, counts, point_of = space.distinct()
    with progress.step("bound"):
        cheapest = cheapest_cells(points, counts, k, WORK * most_members(len(points), max(effort, 1.0)))
        if cheapest is None or not cheapest.any():
            return nothing
        # An offer is at most what the others of its cheapest cell leave to it.
        most = k * cheapest / np.minimum(counts, k)
        order = np.argsort(-most, kind="stable")
        some = points.take(order), counts[order], k, most[order]
        found = _affordable_cells(*some, most_members(len(points), effort))
        offers = cheapest
        if found is not None:
            better = np.empty(len(points))
            better[order] = raised(*found, counts[order], k, cheapest[order], math.ceil(ROUNDS * effort))
            if counts @ better > counts @ cheapest:
                offers = better
    return offers[point_of] * (1 - ROUNDING)


def most_members(n_points: int, effort: float) -> int:
    """How many members of cells are worth their time."""
    return int(effort * min(MOST_MEMBERS, max(LEAST_MEMBERS, MEMBERS * n_points)))


def _affordable_cells(
    points: Space, counts: Labels, k: int, most: Floats, n_members: int
) -> tuple[Cells, Floats] | None:
    """Cells that offers of at most `most` may pay for, and `most`, capped so that there are few enough of them."""
    cap, step, fewer, found = float(most[most > 0].mean()) / k, WIDER, 0, None
    while step > LEAST_WIDER and (found is None or cap / step < most[0]):
        capped = np.minimum(most, cap)
        size = count_cells(points, counts, k, capped, WORK * n_members, n_members)
        if size is None:
            break
        if found is not None:  # no farther than to where they would be just few enough, as they grew before
            power = math.log(max(size.members / max(fewer, 1), WIDER)) / math.log(step)
            step = min(WIDER, (n_members / max(size.members, 1)) ** (1 / power))
        found, fewer = (size, capped), size.members
        cap *= step
    if found is None:
        return None
    size, capped = found
    return list_cells(points, counts, k, capped, size), capped


def raised(cells: Cells, most: Floats, counts: Labels, k: int, offers: Floats, n_rounds: int) -> Floats:
    """Offers that no cell's records can complain about, raised from those given; `most` falls from point to point."""
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
                    pay_for_cells, *cells, *span, counts, k, ahead, most, opened, OPEN / unit, risen, until, load
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
    affordable(*cells, counts, k, offers, most, share)
    return offers * share
