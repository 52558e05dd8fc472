"""A lightest 2-factor of a complete graph, from a few of its edges and a proof that no other can help.

The linear program of the factor (degree 2, no edge twice, odd components cut off) gives a bound, and a price for
every vertex and cut. A factor with an edge that the program left out costs at least the bound plus the edge's reduced
cost: what is then dearer than a factor in hand cannot help, and what is not is priced in (docs/proofs/factors.md).

References
----------
.. [1] M. Groetschel and O. Holland (1987). "A cutting plane algorithm for minimum perfect 2-matchings." Computing 39.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack
from scipy.sparse.csgraph import connected_components

from shoal.partition.factor import GRID, Pairs, two_factor
from shoal.partition.result import Floats, Labels
from shoal.progress import Advance
from shoal.space.neighbours import Neighbours

NEAREST = 8
SLOW = 0.0005
"""Of the bound: what three rounds of cuts must add to it for more to be tried."""
FEW, PER_VERTEX = 12_000, 3
"""Edges of least reduced cost in the first matching: so many in all, or for every vertex."""
MOST_EDGES = 25_000
"""In the second matching: beyond, it would take minutes."""
NOTHING = 1e-9
"""Of the heaviest edge: what the linear program leaves undecided."""


class Factor(NamedTuple):
    """The edges of a 2-factor, its weight, what no 2-factor can be lighter than, and whether those two agree."""

    edges: Pairs
    weight: float
    at_least: float
    exact: bool


class Cut(NamedTuple):
    """At most len(inside) + (len(teeth) - 1) / 2 edges within `inside` and of `teeth`, which are odd many."""

    inside: Labels
    teeth: Labels


def lightest_two_factor(metric: Neighbours, vertex: Labels, advance: Advance = lambda _: None) -> Factor:
    """The lightest 2-factor of records at the points `vertex`, at least three of them."""
    n = len(vertex)
    u, v = np.triu_indices(n, 1)
    weights = metric.distance(vertex[u], vertex[v])
    power = math.frexp(float(weights.max(initial=0.0)))[1]
    weights = np.ldexp(weights, -power)  # below 1, or the solver would take tiny ones for nothing
    heaviest = float(weights.max(initial=0.0))
    inside = _start(n, u, v, weights)
    cuts: list[Cut] = []
    reached = [-math.inf] * 4
    while True:
        shares, prices, penalties = _solved(n, u, v, weights, np.flatnonzero(inside), cuts)
        reduced = weights - prices[u] - prices[v]
        for cut, penalty in zip(cuts, penalties.tolist(), strict=True):
            reduced[_pairs_within(n, cut.inside)] += penalty
            reduced[cut.teeth] += penalty
        missing = np.flatnonzero((reduced < -NOTHING * heaviest) & ~inside)
        if len(missing):
            # The worst first, so that the program stays small.
            inside[missing[np.argsort(reduced[missing], kind="stable")[: 4 * n]]] = True
            continue
        bound = 2 * math.fsum(prices) + math.fsum(np.minimum(reduced, 0.0))
        bound -= math.fsum(p * (len(c.inside) + (len(c.teeth) - 1) / 2) for c, p in zip(cuts, penalties, strict=True))
        more = _violated(n, u, v, shares, cuts)
        advance(1)
        # Where many edges weigh alike, cuts move the shares around for ever.
        if not more or bound - reached[-3] <= SLOW * bound:
            break
        reached.append(bound)
        cuts += more
    bound -= 1e-12 * (abs(bound) + float(np.abs(prices).sum()))  # what rounding may have added
    chosen = np.flatnonzero(shares > 0.5)
    exact = bool((np.minimum(shares, 1 - shares) < NOTHING * 1000).all())
    if not exact:
        chosen, exact = _matched(n, u, v, weights, prices, reduced, bound, inside)
    weight = math.fsum(weights[chosen])
    if exact:
        bound = max(bound, weight - n * (GRID + NOTHING) * heaviest)
    edges = np.stack([u[chosen], v[chosen]], axis=1)
    return Factor(edges, math.ldexp(weight, power), math.ldexp(max(0.0, bound), power), exact)


def _matched(
    n: int,
    u: Labels,
    v: Labels,
    weights: Floats,
    prices: Floats,
    reduced: Floats,
    bound: float,
    inside: npt.NDArray[np.bool_],
) -> tuple[Labels, bool]:
    """A factor by matching, and whether it is the lightest of the complete graph.

    Most often few edges of small reduced cost have one. Its weight then says which others it must be tried against.
    """

    def matched(some: Labels) -> Labels | None:
        found = two_factor(n, np.stack([u[some], v[some]], axis=1), weights[some], prices)
        return None if found is None else some[found]

    able = np.flatnonzero(inside)
    few = np.sort(able[np.argsort(reduced[able], kind="stable")[: max(FEW, PER_VERTEX * n)]])
    chosen = matched(few)
    if chosen is None:  # the nearest have none
        few, chosen = able, matched(able)
    assert chosen is not None
    gap = math.fsum(weights[chosen]) - bound + n * GRID * float(weights.max())
    tried = np.zeros(len(u), dtype=bool)
    tried[few] = True
    able = np.flatnonzero(reduced <= gap)
    if tried[able].all():
        return chosen, True
    if len(able) > MOST_EDGES:
        return chosen, False
    found = matched(able)
    assert found is not None  # the edges of `chosen` are among them
    return found, True


def _start(n: int, u: Labels, v: Labels, weights: Floats) -> npt.NDArray[np.bool_]:
    """The nearest neighbours of every vertex, and a cycle through all of them: some factor always exists."""
    inside: npt.NDArray[np.bool_] = (v - u == 1) | ((u == 0) & (v == n - 1))
    matrix = np.full((n, n), np.inf)
    matrix[u, v] = matrix[v, u] = weights
    near = np.argsort(matrix, axis=1, kind="stable")[:, : min(NEAREST, n - 1)]
    mine = np.repeat(np.arange(n), near.shape[1])
    inside[_index(n, np.minimum(mine, near.ravel()), np.maximum(mine, near.ravel()))] = True
    return inside


def _index(n: int, low: Labels, high: Labels) -> Labels:
    """Where the pair (low, high) stands among all pairs."""
    return np.asarray(low * n - low * (low + 1) // 2 + high - low - 1)


def _pairs_within(n: int, vertices: Labels) -> Labels:
    first, second = np.triu_indices(len(vertices), 1)
    return _index(n, vertices[first], vertices[second])


def _solved(
    n: int, u: Labels, v: Labels, weights: Floats, some: Labels, cuts: list[Cut]
) -> tuple[Floats, Floats, Floats]:
    """Shares of all edges in the best fractional factor of `some`, prices of vertices, penalties of cuts."""
    from scipy import optimize as solver  # only here: loading it takes a while

    m = len(some)
    ends = np.concatenate([u[some], v[some]])
    degree: Any = csr_array((np.ones(2 * m), (ends, np.tile(np.arange(m), 2))), shape=(n, m))
    place = np.full(len(u), -1, dtype=np.int64)
    place[some] = np.arange(m)
    rows, most = [], []
    for cut in cuts:
        held = place[np.concatenate([_pairs_within(n, cut.inside), cut.teeth])]
        held = held[held >= 0]
        rows.append(csr_array((np.ones(len(held)), (np.zeros(len(held), dtype=np.int64), held)), shape=(1, m)))
        most.append(len(cut.inside) + (len(cut.teeth) - 1) / 2)
    limits: Any = {"A_ub": vstack(rows).tocsr(), "b_ub": np.array(most)} if cuts else {}
    found: Any = solver.linprog(
        weights[some], A_eq=degree, b_eq=np.full(n, 2.0), bounds=(0, 1), method="highs", **limits
    )
    shares = np.zeros(len(u))
    shares[some] = found.x
    return shares, np.asarray(found.eqlin.marginals), -np.asarray(found.ineqlin.marginals) if cuts else np.zeros(0)


def _violated(n: int, u: Labels, v: Labels, shares: Floats, cuts: list[Cut]) -> list[Cut]:
    """Components of the edges that are neither in nor out, where an odd number of whole edges leaves them."""
    broken = np.flatnonzero((shares > 1e-6) & (shares < 1 - 1e-6))
    if not len(broken):
        return []
    graph = csr_array((np.ones(len(broken)), (u[broken], v[broken])), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    size = np.bincount(component)
    entire = np.flatnonzero(shares >= 1 - 1e-6)
    leaving = entire[component[u[entire]] != component[v[entire]]]
    found = []
    for part in np.flatnonzero(size > 1):
        touches = (component[u[leaving]] == part) | (component[v[leaving]] == part)
        teeth = leaving[touches]
        if len(teeth) % 2:
            found.append(Cut(np.flatnonzero(component == part), teeth))
    known = {(cut.inside.tobytes(), cut.teeth.tobytes()) for cut in cuts}
    return [cut for cut in found if (cut.inside.tobytes(), cut.teeth.tobytes()) not in known]
