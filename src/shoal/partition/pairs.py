"""Groups of at least 2 records that generalize to little: a lightest [1,2]-factor.

Problem     split n records into groups of at least 2, minimising the sum over records and columns of what the group's
            common value costs: suppressed entries, levels of hierarchies, ranges, sets; columns may be weighted.
Guarantee   cost <= 3/2 x optimum where every column is a number or has two values: theorem PAIRS-1; cost <= 2 x
            optimum for all others: theorem PAIRS-2; docs/proofs/factors.md.
Complexity  that of a general matching, O(n^3) at worst, on the edges that an optimum can have; deterministic, and it
            does not depend on the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 5.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import ParameterError
from shoal.partition.factor import GRID, Pairs, one_two_factor
from shoal.partition.forest import added_up, generalization_cost, rounded_down
from shoal.partition.result import Floats, Labels, Partition, guarantee, number_groups
from shoal.space.neighbours import Neighbours
from shoal.space.space import LINE, Space

MOST_EDGES = 3_000_000
"""Between different records: beyond, the matching would take hours."""


@guarantee(objective="generalization", ratio=Fraction(3, 2), theorem="PAIRS-1")
@guarantee(objective="generalization", ratio=Fraction(2), theorem="PAIRS-2")
def pairs(records: npt.ArrayLike | Space, *, n_threads: int | None = None) -> Partition:
    """Groups of at least 2 records at a generalization cost of at most 3/2 or 2 x optimum.

    `records` is a Space, or an array (n, d) of labels, as for `forest`.
    """
    space = added_up(records, 2)
    points, counts, point_of = space.distinct()
    metric = Neighbours(points, counts, n_threads=n_threads)
    edges, weights, nearest = useful_edges(metric)
    with progress.step("factor"):
        chosen = one_two_factor(counts, edges, weights)
    labels = _groups(counts, edges[chosen], weights[chosen], point_of)
    weight = math.fsum(weights[chosen])
    halves = has_medians(points)
    of_factor = (2.0 if halves else 1.5) * (weight - len(chosen) * GRID * weights.max(initial=0.0))
    bound = max(of_factor, math.fsum(counts * nearest))
    return Partition(
        labels=number_groups(labels),
        method="pairs",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=rounded_down(bound, len(space.axes)),
        ratio_proved=Fraction(3, 2) if halves else Fraction(2),
        theorem="PAIRS-1" if halves else "PAIRS-2",
        details={"factor_weight": weight},
    )


def has_medians(space: Space) -> bool:
    """Whether three records always cost half the sum of their distances: numbers, or two values in a column."""
    return all(axis.kind == LINE or len(np.unique(space.coordinates[:, j])) <= 2 for j, axis in enumerate(space.axes))


def useful_edges(metric: Neighbours) -> tuple[Pairs, Floats, Floats]:
    """Edges that a lightest factor can have, their weights, and how near the nearest other record is to each point.

    With a(x) and b(x) the distances to the nearest and second nearest other record: an edge between two records
    weighs at most the largest of a(x) + a(y), b(x) and b(y); one to a point with several records at most b(x).
    """
    counts = metric.counts
    alone = np.flatnonzero(counts == 1)
    first, second = np.zeros(len(counts)), np.zeros(len(counts))
    if not len(alone):
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0), first
    first[alone] = metric.kth_distance(2, rows=alone)
    second[alone] = metric.kth_distance(min(3, int(counts.sum())), rows=alone)
    reach = np.maximum(2 * first, second)[alone]
    if int(metric.count_within(reach, rows=alone).sum()) > MOST_EDGES:
        raise ParameterError(
            "method=pairs would have to weigh too many pairs of records of this table.",
            "take method=forest, which takes any number of records.",
        )
    begins, others = metric.within(reach, rows=alone)
    ends = np.stack([np.repeat(alone, np.diff(begins)), others], axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    weights = metric.distance(ends[:, 0], ends[:, 1])
    u, v = ends.T
    both = counts[v] == 1
    most = np.where(both, np.maximum(first[u] + first[v], np.maximum(second[u], second[v])), second[u])
    # Rounded sums may fall below what they should reach.
    kept = weights <= most * (1 + 2.0**-40)
    ends = np.sort(ends[kept], axis=1)
    edges, at = np.unique(ends, axis=0, return_index=True)
    return edges, weights[kept][at], first


def _groups(counts: Labels, edges: Pairs, weights: Floats, point_of: Labels) -> Labels:
    """A group per component of the factor. Equal records go one to each record that is joined to them, or to two."""
    n = len(counts)
    joined: list[list[tuple[float, int]]] = [[] for _ in range(n)]
    for (u, v), weight in zip(edges.tolist(), weights.tolist(), strict=True):
        joined[u].append((weight, v))
        joined[v].append((weight, u))
    # The centre of a component: a point of several records, the end with two edges, the lower end of a pair.
    own: list[list[int]] = [[] for _ in range(n)]  # the groups of the records of every point
    n_groups = 0
    for centre in sorted(range(n), key=lambda v: (counts[v] == 1, -len(joined[v]), v)):
        if own[centre]:
            continue
        leaves = [leaf for _, leaf in sorted(joined[centre])]
        size = int(counts[centre])
        n_made = max(1, min(size, len(leaves)))
        here = list(range(n_groups, n_groups + n_made))
        n_groups += n_made
        for place, leaf in enumerate(leaves):
            own[leaf] = [here[place % n_made]]
        if size - n_made == 1:
            here.append(here[0])  # with the nearest
        elif size > n_made and leaves:
            here += [n_groups] * (size - n_made)
            n_groups += 1
        elif size > n_made:
            here *= size
        own[centre] = here
    labels = np.empty(len(point_of), dtype=np.int64)
    labels[np.argsort(point_of, kind="stable")] = np.concatenate([np.array(groups) for groups in own])
    return labels
