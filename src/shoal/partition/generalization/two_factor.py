"""A lightest 2-factor of a complete graph, from a few of its edges and a proof that no other edge can help.

The linear program of the 2-factor (degree 2, no edge twice, odd components cut off) gives a lower bound and a dual
price for every vertex and cut. A factor with an edge outside the program weighs at least the bound plus the reduced
cost of the edge. If that is more than a factor already found, the edge cannot help; otherwise it is added to the
program (docs/proofs/factors.md).

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

from shoal.partition import solver
from shoal.partition.generalization.matching import Pairs, off_grid, two_factor
from shoal.partition.result import Floats, Labels
from shoal.progress import Advance
from shoal.space.neighbors import Neighbors

NEAREST = 8
"""Edges to nearest neighbors per vertex in the first linear program."""
SLOW = 0.0005
"""Least relative increase of the bound over three rounds of cuts; with less, no further cuts are added."""
FEW, PER_VERTEX = 12_000, 3
"""Edges of least reduced cost in the first matching: FEW in all, or PER_VERTEX for every vertex if that is more."""
MOST_EDGES = 25_000
"""Most edges in the second matching; with more, it would take minutes."""
NOTHING = 1e-9
"""Edges with a reduced cost above minus this fraction of the heaviest edge are not added: it is rounding."""
CLOSED = 1e-6
"""Largest relative gap between weight and bound at which the linear program's own factor is taken as lightest."""


class Factor(NamedTuple):
    """The edges of a 2-factor, its weight, and a lower bound on the weight of every 2-factor."""

    edges: Pairs
    weight: float
    at_least: float


class Cut(NamedTuple):
    """A valid inequality: at most len(inside) + (len(teeth) - 1) / 2 edges are within `inside` or among `teeth`.

    The number of teeth is odd.
    """

    inside: Labels
    teeth: Labels


def lightest_two_factor(metric: Neighbors, vertex: Labels, advance: Advance = lambda _: None) -> Factor:
    """Return a light 2-factor of the records at the points `vertex`, at least three, and a bound on the lightest.

    It is the lightest, unless too many edges would have to be matched to find that; the bound is true in any case.
    """
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
        reduced, error = _reduced(n, u, v, weights, prices, cuts, penalties)
        missing = np.flatnonzero((reduced < -NOTHING * heaviest) & ~inside)
        if len(missing):
            # The most negative reduced costs first, and not all at once, so that the program stays small.
            inside[missing[np.argsort(reduced[missing], kind="stable")[: 4 * n]]] = True
            continue
        # A valid lower bound whatever the tolerances of the solver: prices and penalties that are not quite optimal
        # still bound every factor from below once all negative reduced costs are subtracted.
        reduced -= error
        bound = 2 * math.fsum(prices) + math.fsum(np.minimum(reduced, 0.0))
        bound -= math.fsum(p * (len(c.inside) + (len(c.teeth) - 1) / 2) for c, p in zip(cuts, penalties, strict=True))
        more = _violated(n, u, v, shares, cuts)
        advance(1)
        # If many edges have equal weights, further cuts would only shift the fractions around, without end.
        if not more or bound - reached[-3] <= SLOW * bound:
            break
        reached.append(bound)
        cuts += more
    bound -= 1e-12 * (abs(bound) + math.fsum(np.abs(prices)) + n * math.fsum(penalties))  # rounding of the sums
    bound = _next_multiple(bound, weights)
    chosen = np.flatnonzero(shares > 0.5)
    weight = math.fsum(weights[chosen])
    if (np.bincount(np.concatenate([u[chosen], v[chosen]]), minlength=n) != 2).any() or (
        weight - bound > CLOSED * weight
    ):
        chosen, lightest = _matched(n, u, v, weights, prices, reduced, bound, inside)
        weight = math.fsum(weights[chosen])
        if lightest:
            bound = max(bound, _next_multiple(weight - n * off_grid(weights), weights))
    edges = np.stack([u[chosen], v[chosen]], axis=1)
    return Factor(edges, math.ldexp(weight, power), math.ldexp(max(0.0, bound), power))


def _reduced(
    n: int, u: Labels, v: Labels, weights: Floats, prices: Floats, cuts: list[Cut], penalties: Floats
) -> tuple[Floats, Floats]:
    """Return the reduced cost of every edge, and by how much rounding may have raised it."""
    reduced, size = weights - prices[u] - prices[v], weights + np.abs(prices[u]) + np.abs(prices[v])
    for cut, penalty in zip(cuts, penalties.tolist(), strict=True):
        for edges in (_pairs_within(n, cut.inside), cut.teeth):
            reduced[edges] += penalty
            size[edges] += penalty
    return reduced, (len(cuts) + 4) * 2.0**-52 * size


def _next_multiple(bound: float, weights: Floats) -> float:
    """Return `bound` raised to the next multiple of the largest power of two that divides every weight.

    The weight of every factor is such a multiple.
    """
    mantissas, exponents = np.frexp(weights[weights > 0])
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    unit = float(np.ldexp((whole & -whole).astype(np.float64), exponents - 53).min(initial=math.inf))
    if not 0 < bound / unit < 2.0**50:  # the unit is finer than the rounding of the bound, so nothing is gained
        return bound
    return math.ceil(bound / unit) * unit


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
    """Return a factor found by matching, and whether it is proved to be the lightest of the complete graph.

    Usually the few edges of smallest reduced cost have a factor. Its weight decides which other edges could be in a
    lighter one; if there are some, they take part in a second matching.
    """

    def matched(some: Labels) -> Labels | None:
        found = two_factor(n, np.stack([u[some], v[some]], axis=1), weights[some], prices)
        return None if found is None else some[found]

    able = np.flatnonzero(inside)
    few = np.sort(able[np.argsort(reduced[able], kind="stable")[: max(FEW, PER_VERTEX * n)]])
    chosen = matched(few)
    if chosen is None:  # the edges of smallest reduced cost have no factor
        few, chosen = able, matched(able)
    assert chosen is not None
    gap = math.fsum(weights[chosen]) - bound + n * off_grid(weights)
    tried = np.zeros(len(u), dtype=bool)
    tried[few] = True
    # `bound` may have been raised to a multiple of the weights' unit. A lighter factor is lighter by a unit, so it
    # still fits below the gap; the factor at hand need not, so its edges are added.
    fits = reduced <= gap
    fits[chosen] = True
    able = np.flatnonzero(fits)
    if tried[able].all():
        return chosen, True
    if len(able) > MOST_EDGES:
        return chosen, False
    found = matched(able)
    assert found is not None  # the edges of `chosen` are among them
    return found, True


def _start(n: int, u: Labels, v: Labels, weights: Floats) -> npt.NDArray[np.bool_]:
    """Return a mask of the edges to nearest neighbors, and of a cycle of all vertices so that a factor exists."""
    inside: npt.NDArray[np.bool_] = (v - u == 1) | ((u == 0) & (v == n - 1))
    matrix = np.full((n, n), np.inf)
    matrix[u, v] = matrix[v, u] = weights
    near = np.argsort(matrix, axis=1, kind="stable")[:, : min(NEAREST, n - 1)]
    mine = np.repeat(np.arange(n), near.shape[1])
    inside[_index(n, np.minimum(mine, near.ravel()), np.maximum(mine, near.ravel()))] = True
    return inside


def _index(n: int, low: Labels, high: Labels) -> Labels:
    """Return the position of the pair (low, high) in the list of all pairs."""
    return np.asarray(low * n - low * (low + 1) // 2 + high - low - 1)


def _pairs_within(n: int, vertices: Labels) -> Labels:
    """Return the positions of all pairs of the given vertices."""
    first, second = np.triu_indices(len(vertices), 1)
    return _index(n, vertices[first], vertices[second])


def _solved(
    n: int, u: Labels, v: Labels, weights: Floats, some: Labels, cuts: list[Cut]
) -> tuple[Floats, Floats, Floats]:
    """Solve the linear program over the edges `some`: return the fractions of all edges and the duals.

    The duals are the prices of vertices and the penalties of cuts.
    """
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
    penalties = np.maximum(0.0, -np.asarray(found.ineqlin.marginals)) if cuts else np.zeros(0)
    return shares, np.asarray(found.eqlin.marginals), penalties


def _violated(n: int, u: Labels, v: Labels, shares: Floats, cuts: list[Cut]) -> list[Cut]:
    """Return new cuts that the fractions violate.

    They come from the components of the fractional edges that an odd number of edges with fraction 1 leaves.
    """
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
