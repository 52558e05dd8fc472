"""Groups of at least r with suppressed records: exact duals for each guess of the optimum's largest radius."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.cellular_cost.groups import Clusters, cost_of, radii_of, sum_rounded_down
from shoal.partition.cellular_cost.improve import LEAST_GAIN, improved
from shoal.partition.cellular_cost.primal_dual import Paid, by_witness, of_at_least, pay
from shoal.partition.result import Floats, Labels


class Guessed(NamedTuple):
    """The cheapest groups over all guesses, and a lower bound that holds for any largest radius of the optimum.

    `slack` is the least difference, over the guesses, between the cost that the proof allows and the cost found; if
    it is negative, the distances break the triangle inequality and the theorem does not hold.
    """

    clusters: Clusters
    cost: float
    bound: float
    slack: float


def by_guesses(matrix: Floats, order: Labels, need: Floats, r: int, allowed: int, lowered: float) -> Guessed:
    """Return groups of at least r in which at most `allowed` records are suppressed (label -1).

    The optimum's largest radius lies between two guesses. Each guess is twice the next distance above the guess
    before. No larger guess is needed once r times that distance is at least the cost found. For the lower bound the
    duals are multiplied by `lowered`, which makes up for rounding.
    """
    n, opening, distances = len(matrix), np.zeros(len(matrix)), np.unique(matrix)
    least = largest = float(np.sort(need)[n - allowed - 1])
    clusters = Clusters(np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64))  # all records in one group
    cost, bound, slack = cost_of(matrix, opening, clusters), math.inf, math.inf
    while r * least < cost:
        paid = pay(matrix, order, opening, r, largest=largest, n_suppressed=allowed)
        duals = np.sort(paid.alpha)[: n - allowed]
        tried = _without_suppressed(matrix, order, paid, r, allowed)
        its_cost = cost_of(matrix, opening, tried)
        if its_cost < cost:
            clusters, cost = tried, its_cost
        bound = min(bound, max(sum_rounded_down(duals * lowered) / 2, math.nextafter(r * least, 0.0)))
        slack = min(slack, 18 * (float(duals.sum()) + r * float(paid.radii[-1])) * (1 + 1e-9) - its_cost)
        following = int(np.searchsorted(distances, largest, side="right"))
        if following == len(distances):
            return Guessed(clusters, cost, bound, slack)
        least = float(distances[following])
        largest = 2 * least
    return Guessed(clusters, cost, min(bound, math.nextafter(r * least, 0.0)), slack)


def _without_suppressed(matrix: Floats, order: Labels, paid: Paid, r: int, allowed: int) -> Clusters:
    """Return groups of at least r without `allowed` records: those whose duals never stop, then the last to stop.

    Some of them may come back, because each center takes its r nearest records.
    """
    witness = paid.witness.copy()
    witness[np.lexsort((-witness, witness >= 0))[:allowed]] = -1
    clusters = by_witness(matrix, paid._replace(witness=witness))
    # The first of several equal records is among the nearest of each of them, so no center is suppressed.
    clusters = Clusters(clusters.labels, order[clusters.centers, 0])
    nearest, opening = order[clusters.centers, :r], np.zeros(len(matrix))
    return of_at_least(lambda center, some: matrix[center, some], nearest, opening, clusters, r)


def improved_kept(matrix: Floats, clusters: Clusters, r: int, allowed: int) -> Clusters:
    """Return cheaper groups: records are regrouped, and up to `allowed` suppressed, as long as the cost falls."""
    opening = np.zeros(len(matrix))
    while True:
        better = _fewer(matrix, _regrouped(matrix, clusters, r), r, allowed)
        if not cost_of(matrix, opening, better) < cost_of(matrix, opening, clusters):
            return _with_free(matrix, clusters)
        clusters = better


def _with_free(matrix: Floats, clusters: Clusters) -> Clusters:
    """Return the groups with suppressed records added to groups of radius 0 whose center they equal, at no cost."""
    free, left_out = np.flatnonzero(radii_of(matrix, clusters) == 0), np.flatnonzero(clusters.labels < 0)
    labels = clusters.labels.copy()
    if len(free) and len(left_out):
        equal = matrix[np.ix_(left_out, clusters.centers[free])] == 0
        labels[left_out] = np.where(equal.any(axis=1), free[equal.argmax(axis=1)], -1)
    return Clusters(labels, clusters.centers)


def _regrouped(matrix: Floats, clusters: Clusters, r: int) -> Clusters:
    """Return cheaper groups of the same kept records, around kept records."""
    kept = np.flatnonzero(clusters.labels >= 0)
    inner = Clusters(clusters.labels[kept], np.searchsorted(kept, clusters.centers))
    inner = improved(np.ascontiguousarray(matrix[np.ix_(kept, kept)]), np.zeros(len(kept)), inner, r)
    labels = np.full(len(matrix), -1, dtype=np.int64)
    labels[kept] = inner.labels
    return Clusters(labels, kept[inner.centers])


def _fewer(matrix: Floats, clusters: Clusters, r: int, allowed: int) -> Clusters:
    """Suppress more records, one by one, as long as some are allowed and that lowers the cost."""
    clusters = Clusters(clusters.labels.copy(), clusters.centers)
    while np.count_nonzero(clusters.labels < 0) < allowed:
        costliest = _costliest(matrix, clusters, r)
        if costliest < 0:
            break
        clusters.labels[costliest] = -1
    return clusters


def _costliest(matrix: Floats, clusters: Clusters, r: int) -> int:
    """Return the record whose suppression saves most; -1 if none saves anything.

    Centers and members of groups with only r records are not considered.
    """
    kept = np.flatnonzero(clusters.labels >= 0)
    group = clusters.labels[kept]
    away = matrix[clusters.centers[group], kept]
    far_first = np.lexsort((-away, group))
    sizes = clusters.sizes
    starts = np.cumsum(sizes) - sizes
    farthest, radii = kept[far_first[starts]], away[far_first[starts]]
    second = away[far_first[np.minimum(starts + 1, len(kept) - 1)]]
    gain = sizes * radii - (sizes - 1) * second
    gain[(sizes <= r) | np.isin(farthest, clusters.centers)] = -np.inf
    best = int(np.argmax(gain))
    return int(farthest[best]) if gain[best] > LEAST_GAIN * float(sizes @ radii) else -1
