"""The smallest largest radius, by trying everything.

A distance table holds exact numbers (integers or fractions) in any scale that keeps their order: for Euclidean
points, squared distances. Two kinds of centers:

- *records*: a group's radius is measured from the best record of the whole table, in the group or not;
- *anywhere*: the center may be any point of any metric space that contains the records. In the tight span of the
  records balls that meet pairwise have a point in common, so the best radius of a group is exactly half its
  diameter. No space that contains the records does better; a line and every maximum-norm space do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial

from tests.oracles.groupings import groupings, kept

Table = Sequence[Sequence[int | Fraction]]


def record_radius(distance: Table, block: Sequence[int]) -> Fraction:
    """Distance from the best record to the farthest member of `block`."""
    return Fraction(min(max(distance[center][i] for i in block) for center in range(len(distance))))


def diameter(distance: Table, block: Sequence[int]) -> Fraction:
    """The largest distance inside `block`: twice its radius when the center may be anywhere."""
    return Fraction(max(distance[i][j] for i in block for j in block))


def best_record_radius(
    distance: Table, r: int, *, max_groups: int | None = None, max_dropped: int = 0
) -> Fraction | None:
    """Optimum of r-gather and its kin with records as centers; None where no grouping is feasible."""
    return _best(cache(partial(record_radius, distance)), len(distance), r, max_groups, max_dropped)


def best_diameter(distance: Table, r: int, *, max_groups: int | None = None, max_dropped: int = 0) -> Fraction | None:
    """The smallest largest diameter: twice the optimum with centers anywhere; None where nothing is feasible."""
    return _best(cache(partial(diameter, distance)), len(distance), r, max_groups, max_dropped)


def _best(
    price: Callable[[tuple[int, ...]], Fraction], n: int, r: int, max_groups: int | None, max_dropped: int
) -> Fraction | None:
    return min(
        (
            max(map(price, blocks), default=Fraction(0))
            for rows in kept(range(n), max_dropped)
            for blocks in groupings(rows, r, max_groups)
        ),
        default=None,
    )
