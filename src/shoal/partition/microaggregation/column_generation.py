"""The linear-programming bound on the squared error of every grouping, by column generation.

Problem     bound from below the within-group squared error of all groupings into groups of at least k, n >= 2k.
Guarantee   `value` is at most the optimum: theorem SSE-2, docs/proofs/microaggregation.md. Every round gives a valid
            bound, the best is kept; `converged` says that it is the linear program's own optimum, to `GAP`.
Complexity  O(n^2) memory; a round solves one linear program (HiGHS) and searches around every point. The search is
            exponential in k at worst, so each has a limit on its work, which grows where it decides.

Notes
-----
The groups of a few short searches are the first columns. Prices are taken between the linear program's
duals and the best duals so far, which keeps them from swinging (Wentges smoothing).

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
from shoal.partition.microaggregation.annealing import HEATS, as_columns, neighbor_lists, search
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.set_partitioning import group_errors, incidence, solver
from shoal.partition.microaggregation.sse import sse
from shoal.partition.result import Floats, Labels

Ints = npt.NDArray[np.int64]

TOLERANCE = 1e-6
"""Reduced cost, in shares of the mean record's error, from which a group enters the linear program."""
GAP = 1e-5
"""Share of the linear program's value within which the bound has converged."""
FAR, NEAR = 0.2, 0.02
"""Weight of the linear program's duals against the best so far: at first, and at least."""
MOST, KEPT = 12, 4
"""Columns per record above which the linear program loses some, and how many it keeps. Rarely: what was dropped just
after it was found is found again."""
SEARCHES = 8
"""Searches whose groups are the first columns."""
FIRST_LIMIT, ROUNDS = 20_000, 400
"""Candidates looked at around a point for one size, at first, and rounds at most."""


FEW = 0.1
"""New groups per record below which a search that was cut short is worth more work."""


class ColumnBound(NamedTuple):
    """A lower bound, whether it is the linear program's optimum, the cheapest columns and feasible duals."""

    value: float
    converged: bool
    groups: Ints
    duals: Floats


class Prices(NamedTuple):
    """Squared distances and half the sums of the nearest of them, in shares of the mean record's error."""

    square: Floats
    near: Floats
    k: int

    def search(self, duals: Floats, limit: int, deadline: float, n_threads: int) -> tuple[Ints, Floats, Floats]:
        """Groups of negative reduced cost; around each point the least found, and a bound on it.

        The bound is minus infinity where the clock came first.
        """
        n, width = len(duals), 2 * self.k - 1
        found = np.full((n, self.k, width), -1, dtype=np.int64)
        least, bound = np.zeros(n), np.full(n, -np.inf)

        def run(start: int, stop: int) -> None:
            if time.monotonic() < deadline:
                price(self.square, self.near, duals, self.k, TOLERANCE, limit, start, stop, found, least, bound)

        in_slots(run, n, n_threads, slot=8)
        groups = found.reshape(-1, width)
        return groups[groups[:, 0] >= 0], least, bound


def distinct(groups: Ints) -> Ints:
    """Each group once, its members in falling order, so that the padding comes last."""
    return np.ascontiguousarray(np.unique(np.sort(groups, axis=1)[:, ::-1], axis=0))


def first_columns(points: Floats, k: int) -> tuple[Labels, Ints]:
    """A grouping, and the groups of the short searches for it."""
    centered = points - points.mean(axis=0)
    neighbor, labels = neighbor_lists(centered, k), mdav(centered, k)
    groups = [as_columns(labels, k)]
    for seed in range(SEARCHES):
        found = search(
            centered, neighbor, labels, k, seed=seed, effort=FIRST_COLUMNS, hot=HEATS[0], deadline=math.inf
        )
        labels = found.labels
        groups.append(as_columns(found.last, k))
    return labels, np.concatenate(groups)


def column_bound(
    points: Floats, k: int, labels: Labels, groups: Ints, *, seconds: float, n_threads: int, rounds: int = ROUNDS,
    gap: float = GAP,
) -> ColumnBound:  # fmt: skip
    """No grouping of `points` into groups of at least `k` has a squared error below `value`. Expects n >= 2k.

    The first columns are `groups`, padded with -1, and those of the grouping `labels`; all have k to 2k - 1 points.
    No search begins after `seconds`, nor once the bound is within the share `gap` of the linear program's optimum.
    """
    n, d = points.shape
    deadline = time.monotonic() + seconds
    unit = sse(points, labels) / n
    groups = distinct(np.concatenate([groups, as_columns(labels, k)]))
    if unit == 0:
        return ColumnBound(0.0, True, groups, np.zeros(n))
    square = cdist(points, points, "sqeuclidean") / unit
    near = np.cumsum(np.sort(np.partition(square, 2 * k - 2, axis=1)[:, : 2 * k - 1], axis=1), axis=1) / 2
    prices = Prices(square, near, k)
    # The shares of the neighbor bound are feasible duals.
    center: Floats = (near[:, k - 1 :] / np.arange(k, 2 * k)).min(axis=1)
    step, limit, converged = FAR, FIRST_LIMIT, False
    with progress.step("bounding the error") as advance:
        for _ in range(rounds):
            program = _relaxed(points, groups, unit, deadline)
            if program is None:
                break
            duals, optimum, groups = program
            trial = (1 - step) * center + step * duals
            found, least, bound = prices.search(trial, limit, deadline, n_threads)
            advance(1)
            # A longer step after a better bound, a shorter one after a worse.
            if math.fsum(trial + bound) > math.fsum(center):
                center, step = trial + bound, min(0.9, step * 1.25)
            else:
                step = max(NEAR, step * 0.7)
            missing = optimum - math.fsum(center)
            converged = missing <= gap * optimum
            if converged or time.monotonic() > deadline:
                break
            if math.fsum(least - bound) > missing / 4 and len(found) < FEW * n:
                limit *= 4
            groups = distinct(np.concatenate([groups, found]))
    return ColumnBound(max(0.0, math.fsum(center) - slack(center, d, k)) * unit, converged, groups, center * unit)


def _relaxed(points: Floats, groups: Ints, unit: float, deadline: float) -> tuple[Floats, float, Ints] | None:
    """Duals and optimum of the linear program over `groups`, and the groups that are worth keeping."""
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


def slack(duals: Floats, d: int, k: int) -> float:
    """More than all roundings of the search can add to the sum of `duals` beyond feasible ones."""
    roundings = d + 4 * k * k + 32
    return 8 * len(duals) * roundings * 2.0**-52 * float(np.abs(duals).max())
