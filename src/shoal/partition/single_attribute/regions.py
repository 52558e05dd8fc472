"""Partitioning the regions of a map into connected groups.

Problem     split the regions of a graph into connected groups of weight at least k, minimizing the heaviest.
Guarantee   on every graph, the heaviest group weighs at most the larger of 3k - 3 and OPT + k - 1, OPT the optimum:
            less than 3 times the optimum (REGIONS-4). It also weighs at most kappa + d (k - 1), where kappa is the
            larger of k and the heaviest region, and d the degree of the spanning tree that was found: at most d + 1
            times the optimum (REGIONS-3), 4 times on 3-connected planar graphs (d = 3, REGIONS-1) and 3 times on
            4-connected ones (d = 2, REGIONS-2). The smaller of the two is claimed. docs/proofs/regions.md
Complexity  O(n + m) per exchange of edges or step of the improvement, which stops after `effort` steps per region.

Connected components of the graph are partitioned one by one, because no group can span two of them.

References
----------
.. [1] W. Du, D. Eppstein, M. T. Goodrich and G. S. Lueker (2009). "On the approximability of geometric and geographic
   generalization and the min-max bin covering problem." WADS 2009, theorem 3.
.. [2] P. Berman and S. Raskhodnikova (2014). "Approximation algorithms for min-max generalization problems."
   ACM Transactions on Algorithms 11(1): the first ratio for all graphs. Algorithm and proof here are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal.effort import REGIONS
from shoal.errors import CertificateError, InfeasibleError, ParameterError, whole_number
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Partition
from shoal.partition.single_attribute.region_graph import Ints, Neighbors, as_neighbors, branch_bound, components
from shoal.partition.single_attribute.region_improve import Boundaries
from shoal.partition.single_attribute.region_stars import lightened
from shoal.partition.single_attribute.region_tree import degree_of, low_degree_tree
from shoal.partition.single_attribute.region_tree_cuts import cut_tree
from shoal.partition.single_attribute.weights import class_bound, whole_weights


@guarantee(objective="largest class", ratio=Fraction(3), theorem="REGIONS-4")
@guarantee(objective="largest class", ratio=Fraction(4), theorem="REGIONS-1")
@guarantee(objective="largest class", ratio=Fraction(3), theorem="REGIONS-2")
@guarantee(objective="largest class", ratio=None, theorem="REGIONS-3")
@checked
def regions(
    graph: Any,
    weights: npt.ArrayLike,
    k: int,
    *,
    islands: Literal["refuse", "join"] = "refuse",
    positions: npt.ArrayLike | None = None,
    names: Sequence[str] | None = None,
    effort: float = REGIONS,
    seed: int = 0,
) -> Partition:
    """Return connected groups of regions of weight at least `k`, the heaviest below 3 times the lightest possible.

    The ratio is 3 on every map (REGIONS-4), and 1 + d (k - 1) / kappa for a spanning tree of degree d that was found,
    kappa the larger of `k` and the heaviest region (REGIONS-1 to REGIONS-3). See docs/proofs/regions.md.

    Parameters
    ----------
    graph : list of pairs, sparse matrix or networkx graph
        Which regions are neighbors; regions are numbered from 0.
    weights : array of shape (n,)
        The number of people in every region.
    k : int
        The least number of people in a group, at least 1.
    islands : {"refuse", "join"}, default "refuse"
        Connected parts lighter than `k` are refused, or joined to the region nearest to them.
    positions : array of shape (n, 2), optional
        Where the regions are, to find the nearest.
    names : sequence of str, optional
        Names of the regions, for messages.
    effort : float, default 400
        Steps of improvement per region, at most.
    seed : int, default 0
        Which of equally good steps are taken.

    Returns
    -------
    Partition
        `labels` has the group of every region, `cost` is the weight of the heaviest group.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    InfeasibleError
        If a connected part is lighter than `k` and `islands` does not join it.

    Examples
    --------
    >>> from shoal.partition import regions
    >>> found = regions([(0, 1), (1, 2), (2, 3)], [3, 2, 2, 3], k=5)
    >>> found.labels.tolist(), found.cost, found.lower_bound
    ([0, 0, 1, 1], 5.0, 5.0)
    """
    k = whole_number("k", k, 1)
    weight = whole_weights(weights, k, what="regions")
    neighbors = as_neighbors(graph, len(weight))
    joined = _join(neighbors, weight, k, islands, positions, names)
    part = components(neighbors)
    labels = np.zeros(len(weight), dtype=np.int64)
    theorem_cost = bound = degree = n_groups = 0
    for inside in (np.flatnonzero(part == found) for found in range(int(part.max(initial=-1)) + 1)):
        groups, before, its_bound, its_degree = _one_part(neighbors, weight, inside, k, effort, seed)
        labels[inside] = n_groups + groups
        n_groups += int(groups.max()) + 1
        theorem_cost, bound, degree = max(theorem_cost, before), max(bound, its_bound), max(degree, its_degree)
    heaviest = np.bincount(labels, weights=weight)
    if heaviest.min() < k:
        raise CertificateError(
            "a group of regions has fewer than k people; nothing is returned.",
            "this is a fault of Shoal: please report it with the graph and the weights.",
        )
    ratio, theorem = _claim(k, max(k, int(weight.max())), degree, bound)
    return Partition(
        labels=number_groups(labels),
        method="regions",
        objective="largest class",
        cost=float(heaviest.max()),
        lower_bound=float(bound),
        ratio_proved=ratio,
        theorem=theorem,
        theorem_cost=float(theorem_cost),
        notes=(f"{len(joined)} connected parts lighter than k were joined to the nearest region",) if joined else (),
        details=Details(degree=degree, joined=joined, parts=int(part.max()) + 1),
    )


def _claim(k: int, kappa: int, degree: int, bound: int) -> tuple[Fraction, str]:
    """Return the smallest ratio that is proved of a run, and its theorem.

    A group weighs at most max(3k - 3, OPT + k - 1) on every map, and OPT is at least `bound`.
    """
    by_stars = Fraction(max(3 * k - 3, bound + k - 1), bound)
    by_degree = 1 + Fraction(degree * (k - 1), kappa)
    if by_stars < by_degree:
        return by_stars, "REGIONS-4"
    return by_degree, "REGIONS-2" if degree <= 2 else "REGIONS-1" if degree == 3 else "REGIONS-3"


def _one_part(
    neighbors: Neighbors, weight: Ints, inside: Ints, k: int, effort: float, seed: int
) -> tuple[Ints, int, int, int]:
    """Return the groups of one component, their heaviest before improvement, a lower bound, and the tree's degree."""
    own = {int(vertex): place for place, vertex in enumerate(inside)}
    around = [[own[other] for other in neighbors[vertex]] for vertex in own]
    weights = weight[inside].tolist()
    total = sum(weights)
    if total < 2 * k:
        return np.zeros(len(own), dtype=np.int64), total, total, 0
    bound = max(class_bound(weight[inside], k), branch_bound(around, weights, k))
    tree = low_degree_tree(around)
    groups, bound = lightened(around, weights, cut_tree(tree, weights, k), k, bound)
    before = int(np.bincount(groups, weights=weights).max())
    search = Boundaries(around, weights, groups, k, seed=seed, limit=effort * len(own))
    return number_groups(search.improve(bound)), before, bound, degree_of(tree)


def _join(
    neighbors: Neighbors,
    weight: Ints,
    k: int,
    islands: str,
    positions: npt.ArrayLike | None,
    names: Sequence[str] | None,
) -> tuple[tuple[int, int], ...]:
    """Add an edge from every component lighter than k to the nearest other component; return these edges.

    Raises an InfeasibleError if there are such components and `islands` is "refuse".
    """
    joined: tuple[tuple[int, int], ...] = ()
    while True:
        part = components(neighbors)
        total = np.bincount(part, weights=weight)
        light = np.flatnonzero(total < k)
        if not len(light):
            return joined
        if islands == "refuse":
            raise _too_light(part, total, light, k, names)
        if positions is None:
            raise ParameterError(
                'islands="join" needs the positions of the regions, to find the nearest.',
                "give positions, or add an edge for every connected part that is too light.",
            )
        place = np.asarray(positions, dtype=np.float64)
        if place.shape != (len(weight), 2) or not np.isfinite(place).all():
            raise ParameterError(
                f"positions must be {len(weight)} pairs of finite numbers; their shape is {place.shape}.",
                "give one pair of coordinates per region, in the order of weights.",
            )
        inside = part == light[0]
        here, there = np.flatnonzero(inside), np.flatnonzero(~inside)
        apart = ((place[here, None] - place[None, there]) ** 2).sum(axis=2)
        a, b = np.unravel_index(int(apart.argmin()), apart.shape)
        neighbors[here[a]].append(int(there[b]))
        neighbors[there[b]].append(int(here[a]))
        joined = (*joined, (int(here[a]), int(there[b])))


def _too_light(
    part: Ints, total: npt.NDArray[Any], light: Ints, k: int, names: Sequence[str] | None
) -> InfeasibleError:
    """Return the error that names the components that are too light, and their weights."""
    named = []
    for found in light[:10].tolist():
        first = int(np.flatnonzero(part == found)[0])
        n_regions = int(np.count_nonzero(part == found))
        more = f" and {n_regions - 1} more" if n_regions > 1 else ""
        named.append(f"{names[first] if names is not None else f'region {first}'}{more} ({int(total[found])})")
    also = f" and {len(light) - 10} other parts" if len(light) > 10 else ""
    return InfeasibleError(
        f"{len(light)} of {len(total)} connected parts of the map weigh less than k={k}: {', '.join(named)}{also}.",
        'lower k, add the edges that join them, or islands="join" to join each to the nearest region.',
    )
