"""Covers and factors of graphs at least weight, through general matching: edges that reach all, or of degree 2.

Both are exact for the graph they are given. Weights become whole numbers, so that no rounding decides inside the
matching; `GRID` of the heaviest edge is what one edge may be off. That no edge outside the graph can help is the
caller's business (docs/proofs/factors.md).

References
----------
.. [1] W. T. Tutte (1954). "A short proof of the factor theorem for finite graphs." Canadian J. of Mathematics 6.
.. [2] Z. Galil (1986). "Efficient algorithms for finding maximum matching in graphs." ACM Computing Surveys 18(1).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.partition.result import Floats, Labels

Pairs = npt.NDArray[np.int64]
"""(m, 2): the ends of every edge."""
GRID = 2.0**-48
PER_ARC, LONG = 2.5e-8, 2.0
"""Seconds of a matching for every node and arc, about; and how many are worth a word before."""


def whole(weights: Floats) -> Labels:
    """Weights as whole numbers of a unit that is a power of two: exact for whole numbers that are not huge."""
    heaviest = float(weights.max(initial=0.0))
    if heaviest == 0:
        return np.zeros(len(weights), dtype=np.int64)
    return np.rint(np.ldexp(weights, 48 - math.frexp(heaviest)[1])).astype(np.int64)


def off_grid(weights: Floats) -> float:
    """By how much one edge may be off in `whole` numbers: a unit, or nothing where all weights are multiples."""
    heaviest = float(weights.max(initial=0.0))
    unit = math.ldexp(1.0, math.frexp(heaviest)[1] - 48) if heaviest else 0.0
    return 0.0 if np.array_equal(whole(weights) * unit, weights) else unit


def heaviest_matching(n: int, edges: Pairs, gains: Labels) -> Labels:
    """The edges, by index, of a matching of n vertices at the most gain."""
    place = {(u, v): edge for edge, (u, v) in enumerate(edges.tolist())}
    arcs = [(u, v, gain) for (u, v), gain in zip(edges.tolist(), gains.tolist(), strict=True)]
    return np.array([place[arc] for arc in _matching(n, arcs, perfect=False)], dtype=np.int64)


def without_spare(n: int, edges: Pairs, weights: Floats, reached: npt.NDArray[np.bool_]) -> Labels:
    """Edges, by index, without those that touch two vertices that are touched, or were `reached`, otherwise."""
    degree = np.bincount(edges.ravel(), minlength=n) + reached
    needed = []
    for edge in np.argsort(-weights, kind="stable"):
        if degree[edges[edge]].min() > 1:
            degree[edges[edge]] -= 1
        else:
            needed.append(edge)
    return np.array(sorted(needed), dtype=np.int64)


def two_factor(n: int, edges: Pairs, weights: Floats, prices: Floats | None = None) -> Labels | None:
    """The edges, by index, of a lightest factor in which each of n vertices has degree 2; None where there is none.

    A vertex is two nodes, an edge joins all of either end. One that is taken twice then gets two nodes of its own,
    joined to each other: either both are matched to ends of the edge, which is so chosen once, or to each other.
    With `prices` near those of the linear program most arcs weigh nothing, which is faster and as exact: all perfect
    matchings become lighter by the same.
    """
    costs = whole(weights)
    if prices is not None:
        unit = 48 - math.frexp(float(weights.max(initial=0.0)))[1]
        price = np.rint(np.ldexp(prices, unit)).astype(np.int64)
        costs = costs - price[edges[:, 0]] - price[edges[:, 1]]
    once = costs <= 0
    while True:
        chosen, doubled = _matched_twice(n, edges, costs, once)
        if chosen is None or not len(doubled):
            return chosen
        once[doubled] = True


def _matched_twice(n: int, edges: Pairs, costs: Labels, once: npt.NDArray[np.bool_]) -> tuple[Labels | None, Labels]:
    """A lightest factor that may take edges twice where not `once`, and the edges that it takes twice."""
    arcs: list[tuple[int, int, int]] = []
    of_arc: dict[tuple[int, int], int] = {}
    here = 2 * n
    for edge, ((u, v), cost, single) in enumerate(zip(edges.tolist(), costs.tolist(), once.tolist(), strict=True)):
        if not single:
            found = [(2 * u + i, 2 * v + j, -cost) for i in (0, 1) for j in (0, 1)]
        else:
            # Weights are moved around the edge's own nodes so that none is above 0.
            out, spare = -max(cost, 0), min(cost, 0)
            found = [(2 * u, here, out), (2 * u + 1, here, out)]
            arcs += [(here, here + 1, spare), (2 * v, here + 1, 0), (2 * v + 1, here + 1, 0)]
            here += 2
        arcs += found
        of_arc |= {(min(a, b), max(a, b)): edge for a, b, _ in found}
    matched = _matching(here, arcs, perfect=True)
    if 2 * len(matched) < here:
        return None, np.zeros(0, dtype=np.int64)
    taken = [of_arc[arc] for arc in matched if arc in of_arc]
    chosen, times = np.unique(np.array(taken, dtype=np.int64), return_counts=True)
    return chosen, chosen[times > 1]


def _matching(n_nodes: int, arcs: list[tuple[int, int, int]], *, perfect: bool) -> list[tuple[int, int]]:
    """A heaviest matching, or a heaviest of those with most edges; the lower node of every edge first."""
    import rustworkx  # only here: loading it takes a while

    if (seconds := PER_ARC * n_nodes * len(arcs)) > LONG:
        progress.note(f"matching {n_nodes:,} nodes: about {seconds:.0f} s at most")
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(arcs)
    found = rustworkx.max_weight_matching(graph, max_cardinality=perfect, weight_fn=int)
    return sorted((min(arc), max(arc)) for arc in found)
