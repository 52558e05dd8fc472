"""Groups of at least r with records left out: rising duals for guesses of the largest radius."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.cellular_cost.groups import Cells, cost_of, radii_of, sum_rounded_down
from shoal.partition.cellular_cost.improve import LEAST_GAIN, improved
from shoal.partition.cellular_cost.primal_dual import Paid, by_witness, of_at_least, pay
from shoal.partition.result import Floats, Labels


class Guessed(NamedTuple):
    """The cheapest groups of all guesses, and a bound that holds whatever the largest radius of the optimum is.

    `slack` is how much of what the proof allows was left at the guess where it was least; below 0 it does not hold.
    """

    cells: Cells
    cost: float
    bound: float
    slack: float


def by_guesses(matrix: Floats, order: Labels, need: Floats, r: int, allowed: int, lowered: float) -> Guessed:
    """At most `allowed` records have the label -1. The duals that make the bound are lowered by the factor `lowered`.

    The optimum's largest radius lies between two guesses; each is twice the distance that follows the one before.
    Where r times that distance is above the cost, no larger guess is needed.
    """
    n, opening, distances = len(matrix), np.zeros(len(matrix)), np.unique(matrix)
    least = largest = float(np.sort(need)[n - allowed - 1])
    cells = Cells(np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64))  # all in one group
    cost, bound, slack = cost_of(matrix, opening, cells), math.inf, math.inf
    while r * least < cost:
        paid = pay(matrix, order, opening, r, largest=largest, n_spared=allowed)
        duals = np.sort(paid.alpha)[: n - allowed]
        tried = _without_spared(matrix, order, paid, r, allowed)
        its_cost = cost_of(matrix, opening, tried)
        if its_cost < cost:
            cells, cost = tried, its_cost
        bound = min(bound, max(sum_rounded_down(duals * lowered) / 2, math.nextafter(r * least, 0.0)))
        slack = min(slack, 18 * (float(duals.sum()) + r * float(paid.radii[-1])) * (1 + 1e-9) - its_cost)
        following = int(np.searchsorted(distances, largest, side="right"))
        if following == len(distances):
            return Guessed(cells, cost, bound, slack)
        least = float(distances[following])
        largest = 2 * least
    return Guessed(cells, cost, min(bound, math.nextafter(r * least, 0.0)), slack)


def _without_spared(matrix: Floats, order: Labels, paid: Paid, r: int, allowed: int) -> Cells:
    """Exactly `allowed` records are spared: those whose duals still rose at the end, then the last to stop.

    What a center shares may bring some of them back.
    """
    witness = paid.witness.copy()
    witness[np.lexsort((-witness, witness >= 0))[:allowed]] = -1
    cells = by_witness(matrix, paid._replace(witness=witness))
    # Of equal records the first is among the nearest of each of them, so no center is left out.
    cells = Cells(cells.labels, order[cells.centers, 0])
    nearest, opening = order[cells.centers, :r], np.zeros(len(matrix))
    return of_at_least(lambda center, some: matrix[center, some], nearest, opening, cells, r)


def improved_kept(matrix: Floats, cells: Cells, r: int, allowed: int) -> Cells:
    """The kept records in cheaper groups, and as many more left out as are allowed, as long as the cost falls."""
    opening = np.zeros(len(matrix))
    while True:
        better = _fewer(matrix, _regrouped(matrix, cells, r), r, allowed)
        if not cost_of(matrix, opening, better) < cost_of(matrix, opening, cells):
            return _with_free(matrix, cells)
        cells = better


def _with_free(matrix: Floats, cells: Cells) -> Cells:
    """Records that were left out and equal the center of a group of radius 0 come back: nothing was saved by them."""
    free, left_out = np.flatnonzero(radii_of(matrix, cells) == 0), np.flatnonzero(cells.labels < 0)
    labels = cells.labels.copy()
    if len(free) and len(left_out):
        equal = matrix[np.ix_(left_out, cells.centers[free])] == 0
        labels[left_out] = np.where(equal.any(axis=1), free[equal.argmax(axis=1)], -1)
    return Cells(labels, cells.centers)


def _regrouped(matrix: Floats, cells: Cells, r: int) -> Cells:
    """The kept records in cheaper groups, around kept records."""
    kept = np.flatnonzero(cells.labels >= 0)
    inner = Cells(cells.labels[kept], np.searchsorted(kept, cells.centers))
    inner = improved(np.ascontiguousarray(matrix[np.ix_(kept, kept)]), np.zeros(len(kept)), inner, r)
    labels = np.full(len(matrix), -1, dtype=np.int64)
    labels[kept] = inner.labels
    return Cells(labels, kept[inner.centers])


def _fewer(matrix: Floats, cells: Cells, r: int, allowed: int) -> Cells:
    """More records left out, one by one, while some are allowed and that saves something."""
    cells = Cells(cells.labels.copy(), cells.centers)
    while np.count_nonzero(cells.labels < 0) < allowed:
        left_out = _dearest(matrix, cells, r)
        if left_out < 0:
            break
        cells.labels[left_out] = -1
    return cells


def _dearest(matrix: Floats, cells: Cells, r: int) -> int:
    """The record that is no center and without which its group, of more than r, saves most; -1 where none does."""
    kept = np.flatnonzero(cells.labels >= 0)
    group = cells.labels[kept]
    away = matrix[cells.centers[group], kept]
    far_first = np.lexsort((-away, group))
    sizes = cells.sizes
    starts = np.cumsum(sizes) - sizes
    farthest, radii = kept[far_first[starts]], away[far_first[starts]]
    second = away[far_first[np.minimum(starts + 1, len(kept) - 1)]]
    gain = sizes * radii - (sizes - 1) * second
    gain[(sizes <= r) | np.isin(farthest, cells.centers)] = -np.inf
    best = int(np.argmax(gain))
    return int(farthest[best]) if gain[best] > LEAST_GAIN * float(sizes @ radii) else -1
