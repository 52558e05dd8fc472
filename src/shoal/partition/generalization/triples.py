"""Groups of at least 3 records with a small generalization cost: a lightest 2-factor whose cycles are cut best.

Problem     split n records into groups of at least 3, minimizing the sum over records and columns of what the group's
            common value costs: suppressed entries, levels of hierarchies, ranges, sets; columns may be weighted.
Guarantee   cost <= 2 x optimum where every column is a number or has two values: theorem TRIPLES-1; cost <= 3 x
            optimum for all others: theorem TRIPLES-2; docs/proofs/factors.md. The ratio is claimed only if the cost
            is within it of the lower bound, so nothing depends on the correctness of a solver.
Complexity  linear programs, and general matchings on the edges that an optimum can have; O(n^2) memory for n
            records; deterministic, and it does not depend on the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 6.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import ParameterError
from shoal.partition.generalization.forest import added_up, cost_of_groups, generalization_cost, rounded_down
from shoal.partition.generalization.matching import Pairs
from shoal.partition.generalization.pairs import has_medians
from shoal.partition.generalization.two_factor import lightest_two_factor
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Labels, Partition
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

MOST_RECORDS = 5000
"""Most records, without those that occur three times, for which the method runs: all pairs are held in memory."""
SIZES = (3, 4, 5)
"""Sizes of the pieces into which a cycle is cut; a larger piece can always be cut further at no cost."""


@guarantee(objective="generalization", ratio=Fraction(2), theorem="TRIPLES-1")
@guarantee(objective="generalization", ratio=Fraction(3), theorem="TRIPLES-2")
@checked
def triples(points: npt.ArrayLike | Space, *, n_threads: int | None = None) -> Partition:
    """Return groups of at least 3 records that cost at most 2 or 3 times the least generalization.

    The ratio is 2 where every column is a number or has two values (TRIPLES-1), and 3 for all others (TRIPLES-2). It
    is claimed where the cost is within that ratio of the lower bound. See docs/proofs/factors.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs; `lower_bound` holds for
        every grouping.

    Raises
    ------
    ParameterError
        If the points are not finite numbers, or more than 5,000 records are not three times in the table.
    InfeasibleError
        If there are fewer than 3 records.

    Examples
    --------
    >>> from shoal.partition import triples
    >>> found = triples([["a", "x"], ["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"], ["b", "z"]])
    >>> found.labels.tolist(), found.cost
    ([0, 0, 0, 1, 1, 1], 3.0)
    """
    space = added_up(points, 3)
    different, counts, point_of = space.distinct()
    n_short = int(counts[counts < 3].sum())
    # Only a few of many equal records can be of use to other records; the rest follow one of them.
    used = np.minimum(counts, max(3, 2 * n_short))
    n = int(used.sum())
    if n_short and n > MOST_RECORDS:
        raise ParameterError(
            f"method=triples takes up to {MOST_RECORDS} records that are not three times in the table; "
            f"this one has {n}.",
            "take method=forest, which takes any number of records.",
        )
    metric = Neighbors(different, counts, n_threads=n_threads)
    nearest = metric.kth_distance(3)
    cycles: list[Labels] = []
    weight, at_least = 0.0, 0.0
    if n_short:
        vertex = np.repeat(np.arange(len(different)), used)
        with progress.step("factor") as advance:
            factor = lightest_two_factor(metric, vertex, advance)
        weight, at_least = factor.weight, factor.at_least
        cycles = [vertex[cycle] for cycle in _cycles(n, factor.edges)]
    labels = _groups(space, counts, point_of, cycles)
    halves = has_medians(different)
    bound = max((1.5 if halves else 1.0) * at_least, math.fsum(counts * nearest))
    ratio, theorem = (Fraction(2), "TRIPLES-1") if halves else (Fraction(3), "TRIPLES-2")
    cost = generalization_cost(space, labels)
    # The claim does not rely on the solver having found the lightest factor: the bound is below the weight of every
    # factor, so groups within the ratio of the bound are within the ratio of the optimum.
    proved = Fraction(cost) <= ratio * Fraction(bound)
    return Partition(
        labels=number_groups(labels),
        method="triples",
        objective="generalization",
        cost=cost,
        lower_bound=rounded_down(bound, len(space.axes)),
        ratio_proved=ratio if proved else None,
        theorem=theorem if proved else None,
        notes=() if proved else ("the factor was not proved light enough for the ratio to be claimed",),
        details=Details(factor_weight=weight),
    )


def _cycles(n: int, edges: Pairs) -> list[Labels]:
    """Return the vertices of every cycle, in the order of the cycle."""
    beside: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges.tolist():
        beside[a].append(b)
        beside[b].append(a)
    found, seen = [], np.zeros(n, dtype=bool)
    for first in range(n):
        cycle, here = [], first
        while not seen[here]:
            seen[here] = True
            cycle.append(here)
            here = beside[here][0] if not seen[beside[here][0]] else beside[here][1]
        if cycle:
            found.append(np.array(cycle, dtype=np.int64))
    return found


def _groups(space: Space, counts: Labels, point_of: Labels, cycles: list[Labels]) -> Labels:
    """Return the group of each row: cycles of points are cut at the least cost.

    Copies of a record that are in no cycle join the first copy that is in one.
    """
    order = np.argsort(point_of, kind="stable")
    first = np.cumsum(counts) - counts
    taken = np.zeros(len(counts), dtype=np.int64)
    labels = np.full(len(space), -1, dtype=np.int64)
    left = counts - np.bincount(np.concatenate([*cycles, np.zeros(0, np.int64)]), minlength=len(counts))
    n_groups = 0
    for cycle in cycles:
        rows: list[int] = []
        for point in cycle.tolist():
            amount = 1 + int(left[point])
            left[point] = 0
            rows += order[first[point] + taken[point] : first[point] + taken[point] + amount].tolist()
            taken[point] += amount
        for piece in _cut(space, np.array(rows, dtype=np.int64)):
            labels[piece] = n_groups
            n_groups += 1
    for point in np.flatnonzero(left):  # points in no cycle have three or more copies: a group of their own costs 0
        labels[order[first[point] : first[point] + counts[point]]] = n_groups
        n_groups += 1
    return labels


def _cut(space: Space, cycle: Labels) -> list[Labels]:
    """Return the cycle cut into pieces of 3 to 5 consecutive records at the least cost, by dynamic programming."""
    n = len(cycle)
    if n <= SIZES[-1]:
        return [cycle]
    around = (np.arange(n)[:, None] + np.arange(SIZES[-1])) % n
    price = np.zeros((len(SIZES), n))
    for place, size in enumerate(SIZES):
        rows = cycle[around[:, :size]].ravel()
        price[place] = size * cost_of_groups(space, rows, np.arange(0, n * size, size))
    each = price.T.tolist()
    best, cuts = math.inf, [0]
    for begin in range(SIZES[-1]):  # in every solution, one of any five consecutive records begins a piece
        cost, last = [math.inf] * (n + 1), [0] * (n + 1)
        cost[0] = 0.0
        for end in range(SIZES[0], n + 1):
            for place, size in enumerate(SIZES):
                if size <= end and cost[end - size] + each[(begin + end - size) % n][place] < cost[end]:
                    cost[end], last[end] = cost[end - size] + each[(begin + end - size) % n][place], size
        if cost[n] < best:
            best, cuts = cost[n], [n]
            while cuts[-1]:
                cuts.append(cuts[-1] - last[cuts[-1]])
            cuts = [begin + cut for cut in reversed(cuts)]
    return [cycle[np.arange(a, b) % n] for a, b in pairwise(cuts)]
