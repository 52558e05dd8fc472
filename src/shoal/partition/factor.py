"""Factors of graphs at least weight, through general matching: every vertex of degree 1 or 2, or of degree 2.

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

from shoal.partition.result import Floats, Labels

Pairs = npt.NDArray[np.int64]
"""(m, 2): the ends of every edge."""
GRID = 2.0**-48


def whole(weights: Floats) -> Labels:
    """Weights as whole numbers of a unit that is a power of two: exact for whole numbers that are not huge."""
    heaviest = float(weights.max(initial=0.0))
    if heaviest == 0:
        return np.zeros(len(weights), dtype=np.int64)
    return np.rint(np.ldexp(weights, 48 - math.frexp(heaviest)[1])).astype(np.int64)


def one_two_factor(counts: Labels, edges: Pairs, weights: Floats) -> Labels:
    """The edges, by index, of a lightest factor in which every record has degree 1 or 2.

    A point stands for `counts` equal records. Those of a point with several are joined by edges of weight 0, so to
    other points it may have any degree from 0 to 2 x counts. Every edge has an end with one record.
    """
    costs = whole(weights)
    bonus = int(costs.sum()) + 1  # of a record that is reached; outweighs any choice of edges
    n = len(counts)
    alone = counts == 1
    degree = np.bincount(edges.ravel(), minlength=n)
    # Node v is a record that must be reached, n + v its second degree; the degrees of several records come after.
    slots = np.where(alone, 0, np.minimum(2 * counts, degree))
    first_slot = 2 * n + np.cumsum(slots) - slots
    used = np.zeros(n, dtype=np.int64)
    arcs: list[tuple[int, int, int]] = []
    of_arc: dict[tuple[int, int], int] = {}
    for edge, ((u, v), cost) in enumerate(zip(edges.tolist(), costs.tolist(), strict=True)):
        if alone[u] and alone[v]:
            found = [(u, v, 2 * bonus - cost), (u, n + v, bonus - cost), (v, n + u, bonus - cost)]
        else:
            single, several = (u, v) if alone[u] else (v, u)
            here = int(first_slot[several])
            if slots[several] == degree[several]:  # as many as edges: one each
                places = range(here + int(used[several]), here + int(used[several]) + 1)
                used[several] += 1
            else:
                places = range(here, here + int(slots[several]))
            found = [(single, place, bonus - cost) for place in places]
        arcs += found
        of_arc |= {(min(a, b), max(a, b)): edge for a, b, _ in found}
    matched = _matching(2 * n + int(slots.sum()), arcs, perfect=False)
    chosen = np.unique([of_arc[arc] for arc in matched]).astype(np.int64)
    return _without_spare(counts, edges, weights, chosen)


def _without_spare(counts: Labels, edges: Pairs, weights: Floats, chosen: Labels) -> Labels:
    """The factor without edges between records that are both reached otherwise; such edges can only weigh 0."""
    degree = np.bincount(edges[chosen].ravel(), minlength=len(counts)) + counts - 1
    needed = []
    for edge in chosen[np.argsort(-weights[chosen], kind="stable")]:
        if degree[edges[edge]].min() > 1:
            degree[edges[edge]] -= 1
        else:
            needed.append(edge)
    return np.array(sorted(needed), dtype=np.int64)


def two_factor(n: int, edges: Pairs, weights: Floats) -> Labels | None:
    """The edges, by index, of a lightest factor in which each of n vertices has degree 2; None where there is none.

    Every edge has two nodes of its own, joined to each other: either both are matched to ends of the edge, which is
    then chosen once, or to each other.
    """
    costs = whole(weights).tolist()
    arcs: list[tuple[int, int, int]] = []
    for edge, (u, v) in enumerate(edges.tolist()):
        at_u = 2 * n + 2 * edge
        arcs += [(2 * u, at_u, -costs[edge]), (2 * u + 1, at_u, -costs[edge]), (at_u, at_u + 1, 0)]
        arcs += [(2 * v, at_u + 1, 0), (2 * v + 1, at_u + 1, 0)]
    matched = _matching(2 * n + 2 * len(edges), arcs, perfect=True)
    if len(matched) < n + len(edges):
        return None
    outside = [b for a, b in matched if a < 2 * n]
    return np.unique((np.array(outside, dtype=np.int64) - 2 * n) // 2)


def _matching(n_nodes: int, arcs: list[tuple[int, int, int]], *, perfect: bool) -> list[tuple[int, int]]:
    """A heaviest matching, or a heaviest of those with most edges; the lower node of every edge first."""
    import rustworkx  # only here: loading it takes a while

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(arcs)
    found = rustworkx.max_weight_matching(graph, max_cardinality=perfect, weight_fn=int)
    return sorted((min(arc), max(arc)) for arc in found)
