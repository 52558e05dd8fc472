"""Groups of at least 3 records that generalize to little: a lightest 2-factor, its cycles cut where that is cheapest.

Problem     split n records into groups of at least 3, minimising the sum over records and columns of what the group's
            common value costs: suppressed entries, levels of hierarchies, ranges, sets; columns may be weighted.
Guarantee   cost <= 2 x optimum where every column is a number or has two values: theorem TRIPLES-1; cost <= 3 x
            optimum for all others: theorem TRIPLES-2; docs/proofs/factors.md. No ratio is claimed where too many
            edges would have to be weighed; the lower bound holds all the same.
Complexity  linear programs and two general matchings on the edges that an optimum can have; O(n^2) memory at most for
            n records; deterministic, and it does not depend on the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 6.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array

from shoal import progress
from shoal.errors import ParameterError
from shoal.partition.factor import GRID, Pairs, two_factor
from shoal.partition.forest import added_up, cost_of_groups, generalization_cost, rounded_down
from shoal.partition.pairs import has_medians
from shoal.partition.result import Floats, Labels, Partition, guarantee, number_groups
from shoal.space.neighbours import Neighbours
from shoal.space.space import Space

MOST_RECORDS = 5000
MOST_EDGES = 25_000
"""In a matching: beyond, it would take many minutes."""
NEAREST = 8
SIZES = (3, 4, 5)
"""Of a piece of a cycle; whatever is larger can be cut without loss."""


@guarantee(objective="generalization", ratio=Fraction(2), theorem="TRIPLES-1")
@guarantee(objective="generalization", ratio=Fraction(3), theorem="TRIPLES-2")
def triples(records: npt.ArrayLike | Space, *, n_threads: int | None = None) -> Partition:
    """Groups of at least 3 records at a generalization cost of at most 2 or 3 x optimum.

    `records` is a Space, or an array (n, d) of labels, as for `forest`.
    """
    space = added_up(records, 3)
    points, counts, point_of = space.distinct()
    n_short = int(counts[counts < 3].sum())
    # Of many equal records a few can be of use to others; the rest follow one of them.
    used = np.minimum(counts, max(3, 2 * n_short))
    n = int(used.sum())
    if n_short and n > MOST_RECORDS:
        raise ParameterError(
            f"method=triples takes up to {MOST_RECORDS} records that are not three times in the table; "
            f"this one has {n}.",
            "take method=forest, which takes any number of records.",
        )
    metric = Neighbours(points, counts, n_threads=n_threads)
    nearest = metric.kth_distance(3)
    cycles: list[Labels] = []
    weight, at_least, exact = 0.0, 0.0, True
    if n_short:
        vertex = np.repeat(np.arange(len(points)), used)
        with progress.step("factor"):
            cycles, weight, at_least, exact = _lightest(metric, vertex)
        cycles = [vertex[cycle] for cycle in cycles]
    labels = _groups(space, counts, point_of, cycles)
    halves = has_medians(points)
    bound = max((1.5 if halves else 1.0) * at_least, math.fsum(counts * nearest))
    return Partition(
        labels=number_groups(labels),
        method="triples",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=rounded_down(bound, len(space.axes)),
        ratio_proved=Fraction(2 if halves else 3) if exact else None,
        theorem=("TRIPLES-1" if halves else "TRIPLES-2") if exact else None,
        notes=() if exact else ("too many edges to prove that the factor is the lightest",),
        details={"factor_weight": weight},
    )


def _lightest(metric: Neighbours, vertex: Labels) -> tuple[list[Labels], float, float, bool]:
    """The cycles of a lightest 2-factor of the records at points `vertex`, its weight, a bound, whether it is exact.

    The linear program of the factor (degree 2, no edge twice) gives a bound and a price for every vertex. A factor
    with an edge that it leaves out costs at least the bound plus the edge's reduced cost: what is then dearer than a
    factor in hand cannot help, and what is not is priced in.
    """
    n = len(vertex)
    u, v = np.triu_indices(n, 1)
    weights = metric.distance(vertex[u], vertex[v])
    inside = _start(n, u, v, weights)
    while True:
        prices = _prices(n, u[inside], v[inside], weights[inside])
        reduced = weights - prices[u] - prices[v]
        missing = np.flatnonzero((reduced < -1e-9 * weights.max(initial=0.0)) & ~inside)
        if not len(missing):
            break
        # The worst first, so that the program stays small.
        inside[missing[np.argsort(reduced[missing], kind="stable")[: 4 * n]]] = True
    bound = 2 * math.fsum(prices) + math.fsum(np.minimum(reduced, 0.0))
    bound -= 1e-12 * (abs(bound) + float(np.abs(prices).sum()))  # what rounding may have added
    chosen = _factor(n, u, v, weights, np.flatnonzero(inside))
    gap = math.fsum(weights[chosen]) - bound + n * GRID * float(weights.max())
    able = np.flatnonzero(reduced <= gap)
    exact = bool(inside[able].all())
    if not exact and len(able) <= MOST_EDGES:
        chosen, exact = _factor(n, u, v, weights, able), True
    weight = math.fsum(weights[chosen])
    if exact:
        bound = max(bound, weight - n * GRID * float(weights.max()))
    return _cycles(n, np.stack([u[chosen], v[chosen]], axis=1)), weight, bound, exact


def _start(n: int, u: Labels, v: Labels, weights: Floats) -> npt.NDArray[np.bool_]:
    """The nearest neighbours of every vertex, and a cycle through all of them: some factor always exists."""
    inside: npt.NDArray[np.bool_] = (v - u == 1) | ((u == 0) & (v == n - 1))
    matrix = np.full((n, n), np.inf)
    matrix[u, v] = matrix[v, u] = weights
    near = np.argsort(matrix, axis=1, kind="stable")[:, : min(NEAREST, n - 1)]
    mine = np.repeat(np.arange(n), near.shape[1])
    low, high = np.minimum(mine, near.ravel()), np.maximum(mine, near.ravel())
    inside[low * n - low * (low + 1) // 2 + high - low - 1] = True
    return inside


def _prices(n: int, u: Labels, v: Labels, weights: Floats) -> Floats:
    """Dual values of the vertices in the linear program of a 2-factor."""
    m = len(u)
    ends = np.concatenate([u, v])
    degree: Any = csr_array((np.ones(2 * m), (ends, np.tile(np.arange(m), 2))), shape=(n, m))
    solved = linprog(weights, A_eq=degree, b_eq=np.full(n, 2.0), bounds=(0, 1), method="highs")
    return np.asarray(solved.eqlin.marginals, dtype=np.float64)


def _factor(n: int, u: Labels, v: Labels, weights: Floats, some: Labels) -> Labels:
    """The edges of a lightest 2-factor among `some`."""
    found = two_factor(n, np.stack([u[some], v[some]], axis=1), weights[some])
    assert found is not None
    return np.asarray(some[found])


def _cycles(n: int, edges: Pairs) -> list[Labels]:
    """The vertices of every cycle, in order."""
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
    """Cycles of points cut at least cost; equal records that are left follow one that is in a cycle."""
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
    for point in np.flatnonzero(left):  # no cycle goes there: three or more, and free
        labels[order[first[point] : first[point] + counts[point]]] = n_groups
        n_groups += 1
    return labels


def _cut(space: Space, cycle: Labels) -> list[Labels]:
    """The cycle as pieces of 3 to 5 neighbours at least cost."""
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
    for begin in range(SIZES[-1]):  # one of five neighbours begins a piece
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
