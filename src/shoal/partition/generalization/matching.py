"""Lightest edge covers and lightest 2-factors of a graph by general matching.

A cover touches every vertex; in a 2-factor every vertex has degree 2. Both are exact for the given graph. Weights are
rounded to integers, so that rounding cannot mislead the matching; each edge may be off by half of `grid_unit`. The
caller must show that no edge outside the graph can help (docs/proofs/factors.md).

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
"""(m, 2): the two ends of every edge."""
GRID = 48
"""Weights are rounded to multiples of 2^-48 of the next power of two above the heaviest: sums of 2^15 edges still fit
into 63 bits."""
PER_ARC, LONG = 2.5e-8, 2.0
"""Approximate seconds of a matching per node and arc, and the seconds above which a note is shown first."""


def grid_unit(heaviest: float) -> float:
    """Return the power of two to whose multiples weights of at most `heaviest` are rounded."""
    return math.ldexp(1.0, math.frexp(heaviest)[1] - GRID) if heaviest else 0.0


def whole(weights: Floats) -> Labels:
    """Return the weights as integer multiples of `grid_unit`, rounded; integers below 2^48 stay exact."""
    heaviest = float(weights.max(initial=0.0))
    if heaviest == 0:
        return np.zeros(len(weights), dtype=np.int64)
    return np.rint(np.ldexp(weights, GRID - math.frexp(heaviest)[1])).astype(np.int64)


def off_grid(weights: Floats) -> float:
    """Return by how much two edges may be off together after `whole`: one unit, or 0 if all weights are exact."""
    unit = grid_unit(float(weights.max(initial=0.0)))
    return 0.0 if np.array_equal(whole(weights) * unit, weights) else unit


def heaviest_matching(n: int, edges: Pairs, gains: Labels) -> Labels:
    """Return the indices of the edges of a matching of n vertices with the largest gain."""
    place = {(u, v): edge for edge, (u, v) in enumerate(edges.tolist())}
    arcs = [(u, v, gain) for (u, v), gain in zip(edges.tolist(), gains.tolist(), strict=True)]
    return np.array([place[arc] for arc in _matching(n, arcs, perfect=False)], dtype=np.int64)


def without_spare(n: int, edges: Pairs, weights: Floats, reached: npt.NDArray[np.bool_]) -> Labels:
    """Return the indices of the edges that a cover needs, after removing superfluous edges, heaviest first.

    An edge is superfluous if both of its ends are touched by another edge or are `reached` anyway.
    """
    degree = np.bincount(edges.ravel(), minlength=n) + reached
    needed = []
    for edge in np.argsort(-weights, kind="stable"):
        if degree[edges[edge]].min() > 1:
            degree[edges[edge]] -= 1
        else:
            needed.append(edge)
    return np.array(sorted(needed), dtype=np.int64)


def two_factor(n: int, edges: Pairs, weights: Floats, prices: Floats | None = None) -> Labels | None:
    """Return the indices of the edges of a lightest 2-factor of n vertices; None if there is none.

    In the matching problem each vertex is two nodes, and an edge joins both nodes of one end to both of the other.
    Such an edge could be taken twice. An edge that is taken twice gets two nodes of its own, joined to each other:
    either they are matched to the two ends, and the edge is chosen once, or to each other, and it is not chosen. With
    `prices` of vertices close to those of the linear program, most arcs weigh 0. That is faster and as exact, because
    all perfect matchings become lighter by the same amount.
    """
    costs = whole(weights)
    if prices is not None:
        unit = GRID - math.frexp(float(weights.max(initial=0.0)))[1]
        price = np.rint(np.ldexp(prices, unit)).astype(np.int64)
        costs = costs - price[edges[:, 0]] - price[edges[:, 1]]
    once = costs <= 0
    while True:
        chosen, doubled = _matched_twice(n, edges, costs, once)
        if chosen is None or not len(doubled):
            return chosen
        once[doubled] = True


def _matched_twice(n: int, edges: Pairs, costs: Labels, once: npt.NDArray[np.bool_]) -> tuple[Labels | None, Labels]:
    """Return a lightest 2-factor in which edges that are not `once` may be taken twice, and the edges taken twice."""
    arcs: list[tuple[int, int, int]] = []
    of_arc: dict[tuple[int, int], int] = {}
    here = 2 * n
    for edge, ((u, v), cost, single) in enumerate(zip(edges.tolist(), costs.tolist(), once.tolist(), strict=True)):
        if not single:
            found = [(2 * u + i, 2 * v + j, -cost) for i in (0, 1) for j in (0, 1)]
        else:
            # The weight is distributed over the arcs at the edge's own nodes such that no arc has a positive gain.
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
    """Return a heaviest matching (with `perfect`, of those with most edges); the lower node of every edge first."""
    import rustworkx  # imported here because loading it takes a while

    if (seconds := PER_ARC * n_nodes * len(arcs)) > LONG:
        progress.note(f"matching {n_nodes:,} nodes: about {seconds:.0f} s at most")
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(arcs)
    found = rustworkx.max_weight_matching(graph, max_cardinality=perfect, weight_fn=int)
    return sorted((min(arc), max(arc)) for arc in found)
