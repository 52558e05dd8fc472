"""Groups of at least 2 records with a small generalization cost: a lightest [1,2]-factor, from a lightest edge cover.

Problem     split n records into groups of at least 2, minimizing the sum over records and columns of what the group's
            common value costs: suppressed entries, levels of hierarchies, ranges, sets; columns may be weighted.
Guarantee   cost <= 3/2 x optimum where every column is a number or has two values: theorem PAIRS-1; cost <= 2 x
            optimum for all others: theorem PAIRS-2; docs/proofs/factors.md.
Complexity  that of a general matching on m pairs: records without an equal one that are nearer to each other than the
            sum of the distances to their nearest records. m is a few times n on most tables, 47,657 on Adult. About
            O(n m) time, O(n^3) at worst; deterministic, and it does not depend on the order of rows.

References
----------
.. [1] G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu (2005). "Approximation
   algorithms for k-anonymity." Journal of Privacy Technology, 20051120001: section 5.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from shoal import progress
from shoal.errors import ParameterError
from shoal.partition.generalization.forest import added_up, generalization_cost, rounded_down
from shoal.partition.generalization.matching import (
    PER_ARC,
    Pairs,
    heaviest_matching,
    off_grid,
    whole,
    without_spare,
)
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, Space

MOST_PAIRS = 10_000_000
"""Most pairs of records within reach of each other that are examined (a few hundred MB)."""
MOST_SECONDS = 600
"""Longest estimated time of a matching, in seconds; with more, the method refuses and names another."""


@guarantee(objective="generalization", ratio=Fraction(3, 2), theorem="PAIRS-1")
@guarantee(objective="generalization", ratio=Fraction(2), theorem="PAIRS-2")
@checked
def pairs(points: npt.ArrayLike | Space, *, n_threads: int | None = None) -> Partition:
    """Return groups of at least 2 records that cost at most 3/2 or 2 times the least generalization.

    The ratio is 3/2 where every column is a number or has two values (PAIRS-1), and 2 for all others (PAIRS-2). See
    docs/proofs/factors.md.

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
        If the points are not finite numbers, or so many records are near each other that it would take too long.
    InfeasibleError
        If there are fewer than 2 records.

    Examples
    --------
    >>> from shoal.partition import pairs
    >>> found = pairs([["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"]])
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 2.0)
    >>> found.theorem
    'PAIRS-2'
    """
    space = added_up(points, 2)
    different, counts, point_of = space.distinct()
    metric = Neighbors(different, counts, n_threads=n_threads)
    cover, near, off = lightest_cover(metric)
    edges = _small_stars(counts, cover, metric.distance(*cover.T))
    weights = metric.distance(*edges.T)
    labels = _groups(counts, edges, weights, point_of)
    weight = math.fsum(weights)
    halves = has_medians(different)
    of_factor = (2.0 if halves else 1.5) * (weight - len(counts) * off)
    bound = max(of_factor, math.fsum(counts * near))
    return Partition(
        labels=number_groups(labels),
        method="pairs",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=rounded_down(bound, len(space.axes)),
        ratio_proved=Fraction(3, 2) if halves else Fraction(2),
        theorem="PAIRS-1" if halves else "PAIRS-2",
        details=Details(factor_weight=weight),
    )


def has_medians(space: Space) -> bool:
    """Whether any three records cost half the sum of their distances: all columns are numbers or have two values.

    Numbers whose ranges cost by the number of values in them do not count, because three such values can cost less.
    """
    return all(
        (axis.kind == LINE and not axis.counted) or len(np.unique(space.coordinates[:, j])) <= 2
        for j, axis in enumerate(space.axes)
    )


class Cover(NamedTuple):
    """Edges of least total weight that touch every record without an equal one, and nearest distances.

    Their weight may be above the least by `off` for each record, because distances were rounded; 0 if none was.
    """

    edges: Pairs
    near: Floats
    off: float


def lightest_cover(metric: Neighbors) -> Cover:
    """Return the lightest edges that touch every record without an equal one.

    They come from a heaviest matching in which an edge gains the distances of its ends to their nearest records,
    minus its own weight. Records that are not matched are joined to their nearest record.
    """
    counts = metric.counts
    alone = np.flatnonzero(counts == 1)
    near = np.zeros(len(counts))
    if not len(alone):
        return Cover(np.zeros((0, 2), dtype=np.int64), near, 0.0)
    distances, who = metric.nearest_rows(2, rows=alone)
    other = (who[:, 0] == alone).astype(np.int64)
    near[alone] = distances[np.arange(len(alone)), other]
    nearest = who[np.arange(len(alone)), other]
    edges, gains, off = _gaining(metric, alone, near)
    matched = edges[_matching(len(counts), edges, gains)]
    left = np.setdiff1d(alone, matched, assume_unique=False)
    joined = np.stack([left, nearest[np.searchsorted(alone, left)]], axis=1)
    cover = np.unique(np.sort(np.concatenate([matched, joined]), axis=1), axis=0)
    return Cover(cover[without_spare(len(counts), cover, metric.distance(*cover.T), counts > 1)], near, off)


def _gaining(metric: Neighbors, alone: Labels, near: Floats) -> tuple[Pairs, Labels, float]:
    """Return the pairs of records with a positive gain, the gains in units of `matching.whole`, and their `off_grid`.

    The gain is the sum of both records' nearest distances minus the distance of the pair.
    """
    reach = 2 * near[alone]
    if (n_pairs := int(metric.count_within(reach, rows=alone).sum())) > MOST_PAIRS:
        raise ParameterError(
            f"method=pairs would have to examine {n_pairs:,} pairs of records; it takes up to {MOST_PAIRS:,}.",
            "take method=forest, which takes any number of records.",
        )
    begins, others = metric.within(reach, rows=alone)
    edges = np.stack([np.repeat(alone, np.diff(begins)), others], axis=1)
    edges = np.sort(edges[(metric.counts[others] == 1) & (edges[:, 0] != others)], axis=1)
    edges = np.unique(edges, axis=0)
    weights = np.concatenate([metric.distance(*edges.T), near, reach])
    units = whole(weights)
    of_near = units[len(edges) : len(edges) + len(near)]
    gains = of_near[edges[:, 0]] + of_near[edges[:, 1]] - units[: len(edges)]
    return edges[gains > 0], gains[gains > 0], off_grid(weights)


def _matching(n: int, edges: Pairs, gains: Labels) -> Labels:
    """Return the indices of the edges of a heaviest matching, found component by component."""
    _, component = connected_components(coo_array((np.ones(len(edges)), edges.T), shape=(n, n)), directed=False)
    order = np.argsort(component[edges[:, 0]], kind="stable")
    starts = np.flatnonzero(np.diff(component[edges[order, 0]], prepend=-1))
    parts = np.split(order, starts[1:])
    n_nodes = np.bincount(component)
    seconds = PER_ARC * sum(len(part) * int(n_nodes[component[edges[part[0], 0]]]) for part in parts if len(part))
    if seconds > MOST_SECONDS:
        raise ParameterError(
            f"method=pairs would match {n:,} records by {len(edges):,} pairs, which takes about "
            f"{seconds / 60:.0f} minutes; it stops at {MOST_SECONDS // 60}.",
            "take method=forest, which takes any number of records.",
        )
    chosen = [np.zeros(0, dtype=np.int64)]
    with progress.step("matching records", total=len(edges)) as advance:
        for part in parts:
            nodes, ends = np.unique(edges[part], return_inverse=True)
            chosen.append(part[heaviest_matching(len(nodes), ends.reshape(-1, 2), gains[part])])
            advance(len(part))
    return np.concatenate(chosen)


def _small_stars(counts: Labels, edges: Pairs, weights: Floats) -> Pairs:
    """Return a cover in which each center has at most two edges per record; further ends are paired up."""
    degree = np.bincount(edges.ravel(), minlength=len(counts))
    if (degree <= 2 * counts).all():
        return edges
    kept: list[tuple[int, int]] = []
    leaves: dict[int, list[int]] = {int(center): [] for center in np.flatnonzero(degree > 2 * counts)}
    for u, v in edges[np.argsort(weights, kind="stable")].tolist():
        center = u if u in leaves else v
        if center in leaves:
            leaves[center].append(u + v - center)
        else:
            kept.append((u, v))
    for center, ends in leaves.items():
        spare = len(ends) - 2 * int(counts[center])
        spare += spare % 2
        kept += [(center, end) for end in ends[: len(ends) - spare]]
        others = iter(ends[len(ends) - spare :])
        kept += zip(others, others, strict=True)
    return np.array(sorted((min(pair), max(pair)) for pair in kept), dtype=np.int64)


def _groups(counts: Labels, edges: Pairs, weights: Floats, point_of: Labels) -> Labels:
    """Return the group of each row: one group per component of the factor.

    The copies of a point are divided among the records joined to it, one for each; the others form a group of their
    own, or join the first if there is only one.
    """
    n = len(counts)
    joined: list[list[tuple[float, int]]] = [[] for _ in range(n)]
    for (u, v), weight in zip(edges.tolist(), weights.tolist(), strict=True):
        joined[u].append((weight, v))
        joined[v].append((weight, u))
    # The center of a component is a point of several records, the point with two edges, or the lower end of a pair.
    own: list[list[int]] = [[] for _ in range(n)]  # for every point, the groups of its records
    n_groups = 0
    for center in sorted(range(n), key=lambda v: (counts[v] == 1, -len(joined[v]), v)):
        if own[center]:
            continue
        leaves = [leaf for _, leaf in sorted(joined[center])]
        size = int(counts[center])
        n_made = max(1, min(size, len(leaves)))
        here = list(range(n_groups, n_groups + n_made))
        n_groups += n_made
        for place, leaf in enumerate(leaves):
            own[leaf] = [here[place % n_made]]
        if size - n_made == 1:
            here.append(here[0])  # a single remaining copy joins the group of the nearest record
        elif size > n_made and leaves:
            here += [n_groups] * (size - n_made)
            n_groups += 1
        elif size > n_made:
            here *= size
        own[center] = here
    labels = np.empty(len(point_of), dtype=np.int64)
    labels[np.argsort(point_of, kind="stable")] = np.concatenate([np.array(groups) for groups in own])
    return labels
