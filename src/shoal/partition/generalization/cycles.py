"""Groups of two or three rows with different values: a lightest cover by cycles, cut into pairs and triples.

Problem     split n records into groups in which no sensitive value has more than half of the rows (l = 2), minimizing
            the sum over records and columns of what the group's common value costs.
Guarantee   cost <= 8/3 x optimum for any columns: theorem CYCLES-1, docs/proofs/residue.md. The weight of the cycles
            is a lower bound on the optimum.
Complexity  an assignment of n rows to n rows: O(n^3) time at worst, O(n^2) memory. Deterministic, and it does not
            depend on the order of rows.

Notes
-----
Every row is assigned to a row of another value, and every row to one: the cheapest assignment is a cover by cycles in
which neighbors have different values. Around an odd cycle, some three rows in turn have three different values.
These become a triple, and the others pairs; an even cycle is cut into pairs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from shoal.errors import ParameterError
from shoal.partition.generalization.forest import added_up, cost_of_groups, generalization_cost, rounded_down
from shoal.partition.generalization.residue import check_eligible, codes_of
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Floats, Labels, Partition
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

RATIO = Fraction(8, 3)
MOST_ROWS = 3_000
"""Most rows that are assigned: matrices of 72 MB each and a few seconds."""
GRID = 38
"""Distances are rounded to multiples of 2^-38 of a power of two above them: sums of MOST_ROWS of them are exact."""


@guarantee(objective="generalization", ratio=RATIO, theorem="CYCLES-1")
@checked
def cycles(points: npt.ArrayLike | Space, values: npt.ArrayLike) -> Partition:
    """Return pairs and triples of different values that cost at most 8/3 of the least generalization with l = 2.

    The optimum is over all groups in which no value has more than half of the rows: theorem CYCLES-1,
    docs/proofs/residue.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    values : array of shape (n,)
        The sensitive value of every record, of any type.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs; `lower_bound` holds for
        every grouping in which no value has more than half of the rows of a group.

    Raises
    ------
    ParameterError
        If the points are not finite numbers, or there are more than 3,000 records.
    InfeasibleError
        If there are fewer than 2 records, or a value has more than half of them.

    Examples
    --------
    >>> from shoal.partition import cycles
    >>> found = cycles([["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"]], ["flu", "asthma", "flu", "asthma"])
    >>> found.labels.tolist(), found.cost, found.theorem
    ([0, 0, 1, 1], 2.0, 'CYCLES-1')
    """
    space = added_up(points, 2)
    codes = codes_of(values, len(space))
    check_eligible(codes, 2)
    if len(space) > MOST_ROWS:
        raise ParameterError(
            f"cycles are found among up to {MOST_ROWS:,} records; there are {len(space):,}.",
            "take residue, which takes any number of records.",
        )
    order = np.lexsort((codes, *space.coordinates.T[::-1]))
    own, values_of = space.take(order), codes[order]
    distance = _distances(own)
    # All numbers are multiples of the smallest one, so no finer grid is needed.
    unit = max(math.ldexp(1.0, math.frexp(float(distance.max()))[1] - GRID), math.ulp(0.0))
    asked = np.rint(distance / unit)
    off = 0.0 if np.array_equal(asked * unit, distance) else unit
    asked[values_of[:, None] == values_of[None, :]] = np.inf
    _, assigned = linear_sum_assignment(asked)
    weight = math.fsum(distance[np.arange(len(own)), assigned])
    labels = np.empty(len(own), dtype=np.int64)
    groups = [group for cycle in _cycles(assigned) for group in _cut(own, cycle, values_of, distance)]
    for number, group in enumerate(groups):
        labels[order[group]] = number
    cost = generalization_cost(space, labels)
    # The lightest cover weighs at most `off` for each row less than this one, which is lightest by rounded distances.
    bound = rounded_down(max(0.0, weight - len(own) * off), len(space.axes))
    proved = cost <= float(RATIO) * bound or weight == 0.0
    return Partition(
        labels=number_groups(labels),
        method="cycles",
        objective="generalization",
        cost=cost,
        lower_bound=min(bound, cost),
        ratio_proved=RATIO if proved else None,
        theorem="CYCLES-1" if proved else None,
    )


def _distances(space: Space) -> Floats:
    """Return the distances of all pairs of records."""
    different, _, point_of = space.distinct()
    metric = Neighbors(different)
    table = np.stack([metric.distances_from(one) for one in range(len(different))])
    return np.ascontiguousarray(table[point_of][:, point_of])


def _cycles(assigned: Labels) -> list[list[int]]:
    """Return the cycles of a permutation."""
    seen = np.zeros(len(assigned), dtype=np.bool_)
    found = []
    for first in range(len(assigned)):
        cycle, row = [], first
        while not seen[row]:
            seen[row] = True
            cycle.append(row)
            row = int(assigned[row])
        if cycle:
            found.append(cycle)
    return found


def _cut(space: Space, cycle: list[int], values: Labels, distance: Floats) -> list[list[int]]:
    """Return a cycle as pairs and at most one triple of different values, at the lowest cost of all such cuts."""
    length = len(cycle)
    ring = np.array(cycle)
    step = distance[ring, np.roll(ring, -1)]  # from every row to the next one
    if length % 2 == 0:
        first = int(step[1::2].sum() < step[::2].sum())
        return [[cycle[i], cycle[(i + 1) % length]] for i in range(first, length, 2)]
    before, after = np.roll(ring, 1), np.roll(ring, -1)
    middle = np.flatnonzero(values[before] != values[after])
    triples = np.stack([before, ring, after], axis=1)[middle]
    cost = 3 * cost_of_groups(space, triples.ravel(), 3 * np.arange(len(middle)))
    twice = np.concatenate([step, step])
    sums = np.zeros(2 * length + 2)  # of every second step from here on
    for i in range(2 * length - 1, -1, -1):
        sums[i] = twice[i] + sums[i + 2]
    # the pairs are the steps from middle + 2, middle + 4, ..., middle + length - 3
    cost += 2 * (sums[middle + 2] - sums[middle + length - 1])
    best = int(middle[np.argmin(cost)])
    around = [cycle[(best + i) % length] for i in range(-1, length - 1)]
    return [around[:3], *(around[i : i + 2] for i in range(3, length, 2))]
