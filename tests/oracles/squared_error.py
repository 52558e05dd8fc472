"""The smallest sum of squared distances to the group means (microaggregation), in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial

from tests.oracles.groupings import groupings

Points = Sequence[Sequence[int | Fraction]]


def squared_error(points: Points, blocks: Sequence[Sequence[int]]) -> Fraction:
    """Sum over blocks, columns and members of (value - mean of the block) squared."""
    return sum((_of_block(points, block) for block in blocks), Fraction(0))


def best_squared_error(points: Points, k: int) -> Fraction:
    """The optimum over all groupings into blocks of at least `k`."""
    price = cache(partial(_of_block, points))
    return min(sum(map(price, blocks)) for blocks in groupings(range(len(points)), k))


def _of_block(points: Points, block: Sequence[int]) -> Fraction:
    total = Fraction(0)
    for column in zip(*(points[i] for i in block), strict=True):
        mean = Fraction(sum(column), len(block))
        total += sum((value - mean) ** 2 for value in column)
    return total
