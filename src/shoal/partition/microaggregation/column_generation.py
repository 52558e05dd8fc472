"""A lower bound on the squared error of every partition, from linear programming by column generation.

Problem     find a lower bound on the squared error of all partitions into groups of at least k, n >= 2k.
Guarantee   `value` is at most the optimum: theorem SSE-2, docs/proofs/microaggregation.md. Every round gives a valid
            bound and the best one is kept; `converged` says that it is within `GAP` of the linear program's optimum.
Complexity  O(n^2) memory; a round solves one linear program (HiGHS) and a pricing problem around every point. Pricing
            is exponential in k at worst, so its work is limited; the limit grows if it keeps the bound from rising.

Notes
-----
The first columns are the groups of a few short searches. Pricing uses a mean of the linear program's duals and the
best duals so far, which keeps the duals from oscillating (Wentges smoothing).

References
----------
.. [1] D. Aloise, P. Hansen, C. Rocha and E. Santi (2014). "Column generation bounds for numerical microaggregation."
   Journal of Global Optimization 60(2), 165-182.
.. [2] P. Wentges (1997). "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming." International
   Transactions in Operational Research 4(2), 151-162.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from shoal import progress
from shoal.effort import FIRST_COLUMNS
from shoal.kernels.euclid_tree import in_slots
from shoal.kernels.sse_pricing import price
from shoal.partition import solver
from shoal.partition.microaggregation.annealing import TEMPERATURES, as_columns, neighbor_lists, search
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.set_partitioning import group_errors, incidence
from shoal.partition.microaggregation.sse import SMALLEST, sse
from shoal.partition.result import Floats, Labels

Ints = npt.NDArray[np.int64]

TOLERANCE = 1e-6
"""A group enters the linear program if its reduced cost is below minus this, in units of a record's mean error."""
GAP = 1e-5
"""Relative gap to the linear program's optimum at which the bound has converged."""
FAR, NEAR = 0.2, 0.02
"""Weight of the linear program's duals in the mean with the best duals so far: at first, and at least."""
MOST, KEPT = 12, 4
"""Columns per record above which the linear program drops some, and how many it keeps. This happens rarely, because
columns that are dropped too early are generated again."""
SEARCHES = 8
"""Number of short searches whose groups are the first columns."""
FIRST_LIMIT, PRICING_ROUNDS = 20_000, 400
"""Candidates examined around a point for one size of group, at first; and rounds at most."""
NEAREST = 96
"""Length of the lists of nearest points, in which the candidates near a candidate are looked up."""
FEW = 0.1
"""If pricing that was ended by its limit finds fewer new groups per record than this, the limit is raised."""


class ColumnBound(NamedTuple):
    """The lower bound, whether it has converged to the linear program's optimum, the columns, and feasible duals."""

    value: float
    converged: bool
    groups: Ints
    duals: Floats


class Prices(NamedTuple):
    """Squared distances, the nearest points, and half the sums of the nearest distances, in units of a mean error."""

    square: Floats
    nearest: npt.NDArray[np.int32]
    near: Floats
    k: int

    @classmethod
    def of(cls, square: Floats, k: int) -> Prices:
        """Return the prices for squared distances, a symmetric matrix with zeros on its diagonal."""
        width = min(len(square), max(NEAREST, 2 * k))
        nearest = np.argsort(square, axis=1, kind="stable")[:, :width]  # the same for ties on every machine
        near = np.cumsum(np.take_along_axis(square, nearest[:, : 2 * k - 1], axis=1), axis=1) / 2
        return cls(square, np.ascontiguousarray(nearest, dtype=np.int32), np.ascontiguousarray(near), k)

    def search(
        self,
        duals: Floats,
        limit: int,
        deadline: float,
        n_threads: int,
        *,
        largest: int | None = None,
    ) -> tuple[Ints, Floats, Floats]:
        """Return groups of negative reduced cost, and for each point the least reduced cost found and a bound on it.

        Groups have k to `largest` points, 2k - 1 if it is not given. The bound is minus infinity for points that were
        not reached before the deadline.
        """
        n, width = len(duals), 2 * self.k - 1 if largest is None else largest
        anchors = np.arange(n)
        found = np.full((n, width - self.k + 1, width), -1, dtype=np.int64)
        least, bound = np.zeros(n), np.full(n, -np.inf)

        def run(start: int, stop: int) -> None:
            if time.monotonic() < deadline:
                arrays = self.square, self.nearest, self.near, duals
                price(*arrays, self.k, width, TOLERANCE, limit, anchors, start, stop, found, least, bound)

        in_slots(run, len(anchors), n_threads, slot=8)
        groups = found.reshape(-1, width)
        return groups[groups[:, 0] >= 0], least, bound


def distinct(groups: Ints) -> Ints:
    """Return each group once, with its members in falling order, so that the padding is at the end."""
    return np.ascontiguousarray(np.unique(np.sort(groups, axis=1)[:, ::-1], axis=0))


def first_columns(points: Floats, k: int) -> tuple[Labels, Ints]:
    """Return a partition, and the groups of the short searches that led to it."""
    centered = points - points.mean(axis=0)
    neighbor, labels = neighbor_lists(centered, k), mdav(centered, k)
    groups = [as_columns(labels, k)]
    for seed in range(SEARCHES):
        found = search(
            centered, neighbor, labels, k, seed=seed, effort=FIRST_COLUMNS, hot=TEMPERATURES[0], deadline=math.inf
        )
        labels = found.labels
        groups.append(as_columns(found.last, k))
    return labels, np.concatenate(groups)


def column_bound(
    points: Floats, k: int, labels: Labels, groups: Ints, *, seconds: float, n_threads: int,
    rounds: int = PRICING_ROUNDS,
    gap: float = GAP,
) -> ColumnBound:  # fmt: skip
    """Return a lower bound on the squared error of every partition into groups of at least `k`. Expects n >= 2k.

    The first columns are `groups`, padded with -1, and the groups of `labels`; all have k to 2k - 1 points. It ends
    after `seconds`, after `rounds`, or when the bound is within the relative `gap` of the linear program's optimum.
    """
    n, d = points.shape
    deadline = time.monotonic() + seconds
    unit = sse(points, labels) / n
    groups = distinct(np.concatenate([groups, as_columns(labels, k)]))
    if unit * n < SMALLEST:
        return ColumnBound(0.0, unit == 0, groups, np.zeros(n))
    square = cdist(points, points, "sqeuclidean") / unit
    prices = Prices.of(square, k)
    near = prices.near
    # The records' shares in the neighbor bound are feasible duals, with which it starts.
    center: Floats = (near[:, k - 1 :] / np.arange(k, 2 * k)).min(axis=1)
    step, limit, converged, value = FAR, FIRST_LIMIT, False, proved_sum(center, center, d, k)
    with progress.step("bounding the error") as advance:
        for _ in range(rounds):
            program = _relaxed(points, groups, unit, deadline)
            if program is None:
                break
            duals, optimum, groups = program
            trial = (1 - step) * center + step * duals
            found, least, bound = prices.search(trial, limit, deadline, n_threads)
            advance(1)
            # The step grows after a better bound and shrinks after a worse one.
            if math.fsum(trial + bound) > math.fsum(center):
                center, step = trial + bound, min(0.9, step * 1.25)
                value = max(value, proved_sum(center, trial, d, k))
            else:
                step = max(NEAR, step * 0.7)
            missing = optimum - math.fsum(center)
            converged = missing <= gap * optimum
            if converged or time.monotonic() > deadline:
                break
            if math.fsum(least - bound) > missing / 4 and len(found) < FEW * n:
                limit *= 4
            groups = distinct(np.concatenate([groups, found]))
    return ColumnBound(value * unit, converged, groups, center * unit)


def _relaxed(points: Floats, groups: Ints, unit: float, deadline: float) -> tuple[Floats, float, Ints] | None:
    """Return the duals and optimum of the linear program over `groups`, and the groups to keep; None if it failed."""
    n = len(points)
    matrix, errors = incidence(groups, n), group_errors(points, groups) / unit
    clock = {"time_limit": max(1.0, deadline - time.monotonic())}
    solved = solver.linprog(errors, A_eq=matrix, b_eq=np.ones(n), method="highs", options=clock)
    if solved.status != 0:
        return None
    duals = np.ascontiguousarray(solved.eqlin.marginals)
    if len(groups) > MOST * n:
        reduced = np.where(solved.x > 0, -np.inf, errors - matrix.T @ duals)
        groups = groups[np.argsort(reduced, kind="stable")[: KEPT * n]]
    return duals, float(solved.fun), groups


def proved_sum(proved: Floats, priced: Floats, d: int, k: int) -> float:
    """Return the sum of the proved duals, less what rounding errors of the pricing can have added; at least 0.

    These are as large as the duals with which groups were priced, also if they were then lowered by much.
    """
    roundings = d + 4 * k * k + 32
    largest = max(float(np.abs(proved).max()), float(np.abs(priced).max()))
    return max(0.0, math.fsum(proved) - 8 * len(proved) * roundings * 2.0**-52 * largest)
