"""Set partitioning: the best partition that uses only given groups, such as those a search has found.

Problem     choose, among given groups, some that contain every point exactly once, with the least squared error.
Guarantee   optimal among partitions into given groups, if all groups fit into the integer program and the solver ends
            within its limit of nodes; never worse than the start in any case.
Complexity  a linear program and a small integer program (HiGHS).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import csc_array

from shoal.partition import solver
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.sse import group_means, sse
from shoal.partition.result import Floats, Labels

Ints = npt.NDArray[np.int64]

RELAXED, PROGRAMMED, PRICED, NODES, ENDLESS = 8, 3, 6, 5, 10**6
"""Most groups per point in the linear program, in the integer program after it, and in the integer program at given
prices; most nodes of an integer program. These limit the work without a clock, so that results do not depend on the
machine. ENDLESS is the limit of nodes if only the time limit is to end the solver."""


def group_errors(points: Floats, groups: Ints) -> Floats:
    """Return the squared error of each row of `groups` (m, 2k - 1), which has numbers of points, padded with -1."""
    errors = np.empty(len(groups))
    for start in range(0, len(groups), 8192):
        rows = groups[start : start + 8192]
        real = (rows >= 0)[:, :, None]
        # Relative to the first member, so that an offset common to the group causes no loss of precision.
        off = np.where(real, points[rows] - points[rows[:, :1]], 0.0)
        size = real.sum(axis=1)
        off = np.where(real, off - (off.sum(axis=1) / size)[:, None, :], 0.0)
        errors[start : start + 8192] = np.einsum("ijk,ijk->i", off, off)
    return errors


def incidence(groups: Ints, n: int) -> csc_array:
    """Return the incidence matrix (n, m): column g has ones at the members of group g."""
    real = groups >= 0
    starts = np.concatenate(([0], np.cumsum(real.sum(axis=1))))
    return csc_array((np.ones(int(starts[-1])), groups[real], starts), shape=(n, len(groups)))


def best_at_prices(
    points: Floats, groups: Ints, labels: Labels, prices: Floats, *, deadline: float = np.inf, nodes: int = NODES
) -> Labels:
    """Return the best partition found into rows of `groups`, or `labels` if none is better.

    `groups` include those of `labels`. An integer program chooses among the groups of least reduced cost at `prices`,
    which are feasible duals of the linear program over all possible groups.
    """
    n = len(points)
    unit = sse(points, labels) / n
    errors = group_errors(points, groups) / unit
    reduced = np.where(_is_group(groups, labels), -np.inf, errors - incidence(groups, n).T @ prices / unit)
    # The reduced costs of the groups of a partition are not negative and add up to its error minus the sum of the
    # prices. So a group whose reduced cost exceeds the gap is in no better partition; 1e-9 is room for rounding.
    cheap = int((reduced <= (1 + 1e-9) * n - math.fsum(prices) / unit).sum())
    kept = np.sort(np.argsort(reduced, kind="stable")[: min(cheap, PRICED * n)])
    return _chosen(points, groups[kept], errors[kept], labels, np.ones(n, dtype=np.bool_), deadline, nodes)[0]


def best_of_columns(
    points: Floats, groups: Ints, labels: Labels, *, deadline: float = np.inf, nodes: int = NODES
) -> tuple[Labels, bool]:
    """Return the best partition found into rows of `groups`, or `labels` if none is better; and whether it succeeded.

    It did not succeed if a limit ended the work before anything better was found: there were too many groups.
    `groups` include those of `labels`. Groups are ranked by their saving, if every point had the share of the error
    that it has in `labels`; the most promising enter a linear program. Groups of `labels` that have the value 1 in
    its solution stay, and an integer program chooses among the others.
    """
    n = len(points)
    off = points - group_means(points, labels)[labels]
    shares = np.append(np.einsum("ij,ij->i", off, off), 0.0)  # the padding, -1, has no error
    cost = float(shares.sum())
    errors = group_errors(points, groups)
    whole = _is_group(groups, labels)
    saving = np.where(whole, np.inf, shares[groups].sum(axis=1) - errors)
    promising = np.argsort(-saving, kind="stable")[: RELAXED * n]
    groups, whole, errors = groups[promising], whole[promising], errors[promising] * (n / cost)
    matrix = incidence(groups, n)
    relaxed = solver.linprog(errors, A_eq=matrix, b_eq=np.ones(n), method="highs", options=_clock(deadline))
    if relaxed.status != 0:
        return labels, False
    reduced = errors - matrix.T @ relaxed.eqlin.marginals
    fixed = whole & (relaxed.x > 1 - 1e-6)
    free = np.ones(n, dtype=np.bool_)
    free[groups[fixed][groups[fixed] >= 0]] = False
    # A group whose reduced cost exceeds the gap is in no better partition; those of `labels` keep the program
    # feasible.
    open_groups = np.flatnonzero((matrix.T @ ~free == 0) & ((reduced <= n - relaxed.fun) | whole))
    rank = np.argsort(np.where(whole, -np.inf, reduced)[open_groups], kind="stable")
    kept = np.sort(open_groups[rank[: PROGRAMMED * int(free.sum())]])
    if len(kept) == 0:
        return labels, True
    return _chosen(points, groups[kept], errors[kept], labels, free, deadline, nodes)


def _clock(deadline: float) -> dict[str, Any]:
    """Return the solver's option for a deadline."""
    return {} if deadline == np.inf else {"time_limit": max(0.1, deadline - time.monotonic())}


def _is_group(groups: Ints, labels: Labels) -> npt.NDArray[np.bool_]:
    """Return which of `groups` are groups of `labels`."""
    mates = np.where(groups >= 0, labels[groups], labels[groups[:, :1]])
    sizes = (groups >= 0).sum(axis=1)
    whole: npt.NDArray[np.bool_] = (mates == mates[:, :1]).all(axis=1) & (sizes == np.bincount(labels)[mates[:, 0]])
    return whole


def _chosen(
    points: Floats,
    groups: Ints,
    errors: Floats,
    labels: Labels,
    free: npt.NDArray[np.bool_],
    deadline: float,
    nodes: int,
) -> tuple[Labels, bool]:
    """Return `labels` with the `free` points in the best choice of `groups` that an integer program finds.

    Returns `labels` itself if that is no better. The second value is whether it is better, or proved not to exist.
    """
    n, cost = len(points), sse(points, labels)
    chosen = solver.milp(
        errors,
        constraints=LinearConstraint(incidence(groups, n)[free], 1.0, 1.0),
        integrality=np.ones(len(groups)),
        bounds=Bounds(0.0, 1.0),
        options={"node_limit": nodes} | _clock(deadline),
    )
    ended = chosen.status == 0
    if chosen.x is None:
        return labels, ended
    better = np.where(free, -1, labels)
    for group, row in enumerate(groups[chosen.x > 0.5]):
        better[row[row >= 0]] = n + group
    if better.min() < 0 or sse(points, number_groups(better)) >= cost:
        return labels, ended
    return number_groups(better), True
