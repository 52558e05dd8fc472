"""The same optima by integer programming, for instances that enumeration cannot reach.

The solver works in floating point, so it only chooses: what it chose is read back as groups and priced exactly by
the caller's table, and every threshold that it calls infeasible is an integer program with 0/1 coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import coo_array

from tests.oracles.radius import Table


def record_radius_program(
    distance: Table, r: int, *, max_groups: int | None = None, max_dropped: int = 0
) -> Fraction | None:
    """As `radius.best_record_radius`: the smallest distance at which groups around records exist."""

    def feasible(threshold: Fraction) -> bool:
        near = [(p, c) for p in range(n) for c in range(n) if distance[p][c] <= threshold]
        m = len(near)
        # Variables: x[p, c] for near pairs, then y[c]: whether c is a center.
        rows = _Rows(m + n)
        for p in range(n):
            rows.add([(e, 1) for e, (q, _) in enumerate(near) if q == p], upper=1)
        for e, (_, c) in enumerate(near):
            rows.add([(e, 1), (m + c, -1)], upper=0)
        for c in range(n):
            rows.add([(m + c, r)] + [(e, -1) for e, (_, d) in enumerate(near) if d == c], upper=0)
        rows.add([(e, -1) for e in range(m)], upper=max_dropped - n)
        if max_groups is not None:
            rows.add([(m + c, 1) for c in range(n)], upper=max_groups)
        return rows.solve(np.zeros(m + n)) is not None

    n = len(distance)
    return _smallest(_values(distance), feasible)


def diameter_program(
    distance: Table, r: int, *, max_groups: int | None = None, max_dropped: int = 0
) -> Fraction | None:
    """As `radius.best_diameter`. A group is named by its first member, so that no grouping is met twice."""

    def feasible(threshold: Fraction) -> bool:
        at = {(p, g): e for e, (g, p) in enumerate(combinations(range(n), 2))}
        own = len(at)
        at |= {(g, g): own + g for g in range(n)}
        rows = _Rows(len(at))
        for p in range(n):
            rows.add([(at[p, g], 1) for g in range(p + 1)], upper=1)
        for g in range(n):
            members = [at[p, g] for p in range(g + 1, n)]
            rows.add([(at[g, g], r - 1)] + [(e, -1) for e in members], upper=0)
            for e in members:
                rows.add([(e, 1), (at[g, g], -1)], upper=0)
            for p, q in combinations(range(g, n), 2):
                if distance[p][q] > threshold:
                    rows.add([(at[p, g], 1), (at[q, g], 1)], upper=1)
        rows.add([(e, -1) for e in at.values()], upper=max_dropped - n)
        if max_groups is not None:
            rows.add([(at[g, g], 1) for g in range(n)], upper=max_groups)
        return rows.solve(np.zeros(len(at))) is not None

    n = len(distance)
    return _smallest(_values(distance), feasible)


def cheapest_blocks(price: Callable[[tuple[int, ...]], Fraction], n: int, k: int, *, largest: int) -> Fraction:
    """The cheapest split of n rows into blocks of `k` to `largest` rows, where prices of blocks add up.

    For squared error and generalization an optimum with blocks below 2k exists, so `largest = 2k - 1` is enough.
    """
    blocks = [block for size in range(k, min(largest, n) + 1) for block in combinations(range(n), size)]
    prices = [Fraction(price(block)) for block in blocks]
    scale = lcm(*(p.denominator for p in prices))
    rows = _Rows(len(blocks))
    for i in range(n):
        rows.add([(e, 1) for e, block in enumerate(blocks) if i in block], upper=1)
        rows.add([(e, -1) for e, block in enumerate(blocks) if i in block], upper=-1)
    chosen = rows.solve(np.array([float(p * scale) for p in prices]))
    assert chosen is not None
    return sum((prices[e] for e in chosen), Fraction(0))


class _Rows:
    """A 0/1 program written row by row: sums of (variable, coefficient) that are at most `upper`."""

    def __init__(self, n_variables: int) -> None:
        self.n_variables = n_variables
        self.entries: list[tuple[int, int, int]] = []
        self.upper: list[int] = []

    def add(self, terms: Sequence[tuple[int, int]], *, upper: int) -> None:
        self.entries += [(len(self.upper), variable, coefficient) for variable, coefficient in terms]
        self.upper.append(upper)

    def solve(self, cost: np.ndarray) -> list[int] | None:
        """The variables that are 1 in an optimum, or None where nothing is feasible."""
        row, variable, coefficient = zip(*self.entries, strict=True)
        shape = (len(self.upper), self.n_variables)
        matrix = coo_array((coefficient, (row, variable)), shape=shape, dtype=float).tocsr()
        answer = milp(
            cost,
            constraints=LinearConstraint(matrix, ub=np.array(self.upper, dtype=float)),
            integrality=np.ones(self.n_variables),
            bounds=(0, 1),
            options={"mip_rel_gap": 0.0},
        )
        if answer.status == 2:
            return None
        assert answer.status == 0, answer.message
        return np.flatnonzero(answer.x > 0.5).tolist()


def _values(distance: Table) -> list[Fraction]:
    return sorted({Fraction(value) for row in distance for value in row})


def _smallest(values: Sequence[Fraction], feasible: Callable[[Fraction], bool]) -> Fraction | None:
    """The first of the sorted `values` at which `feasible` turns true."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if feasible(values[middle]) else (middle + 1, high)
    return values[low] if low < len(values) else None
