"""The smallest sum of size x radius, with opening costs, by trying everything.

A distance table holds exact numbers (integers or fractions). Each group takes the record of the whole table, in the
group or not, at which it is cheapest; where centers may be anywhere, a radius is half a diameter (see `radius`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from tests.oracles.groupings import groupings, kept
from tests.oracles.programs import _Rows
from tests.oracles.radius import Table, diameter

Costs = Sequence[int | Fraction]


def cell_cost(distance: Table, opening: Costs, block: Sequence[int], center: int) -> Fraction:
    """Records x radius, and the opening of the center."""
    return Fraction(len(block) * max(distance[center][i] for i in block) + opening[center])


def best_cellular_cost(distance: Table, opening: Costs, r: int = 1, *, max_dropped: int = 0) -> Fraction:
    """Over all groupings of all but `max_dropped` records into blocks of at least r, each around its best record."""
    records = range(len(distance))

    @cache
    def price(block: tuple[int, ...]) -> Fraction:
        return min(cell_cost(distance, opening, block, center) for center in records)

    return min(
        sum(map(price, blocks), Fraction(0)) for rows in kept(records, max_dropped) for blocks in groupings(rows, r)
    )


def best_cellular_cost_anywhere(distance: Table, r: int, *, max_dropped: int = 0) -> Fraction:
    """The same without opening costs and with centers in any space that contains the records."""

    @cache
    def price(block: tuple[int, ...]) -> Fraction:
        return len(block) * diameter(distance, block) / 2

    return min(
        sum(map(price, blocks), Fraction(0))
        for rows in kept(range(len(distance)), max_dropped)
        for blocks in groupings(rows, r)
    )


def cellular_program(distance: Table, opening: Costs, r: int = 1) -> Fraction:
    """As `best_cellular_cost`, by the paper's integer program over clusters (center, radius) with sizes."""
    n = len(distance)
    clusters = [(v, d) for v in range(n) for d in sorted(set(distance[v]))]
    edges = [(i, c) for c, (v, d) in enumerate(clusters) for i in range(n) if distance[v][i] <= d]
    m = len(edges)
    rows = _Rows(m + len(clusters))
    for i in range(n):
        own = [e for e, (j, _) in enumerate(edges) if j == i]
        rows.add([(e, -1) for e in own], upper=-1)
        rows.add([(e, 1) for e in own], upper=1)  # in two groups a record would count for the size of both
    for e, (_, c) in enumerate(edges):
        rows.add([(e, 1), (m + c, -1)], upper=0)
    for c in range(len(clusters)):
        rows.add([(m + c, r)] + [(e, -1) for e, (_, b) in enumerate(edges) if b == c], upper=0)
    prices = [Fraction(clusters[c][1]) for _, c in edges] + [Fraction(opening[v]) for v, _ in clusters]
    chosen = rows.solve(np.array([float(price) for price in prices]))
    assert chosen is not None
    return sum((prices[e] for e in chosen), Fraction(0))
