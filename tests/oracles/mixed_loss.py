"""What groups lose on mixed columns, in fractions: squared error, distance to the best value, records unlike it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from tests.oracles.groupings import groupings

Distance = Callable[[int, int], Fraction]
Loss = Callable[[Sequence[int]], Fraction]
"""Of the values of one column in one group."""


def mean_loss(values: Sequence[int]) -> Fraction:
    mean = Fraction(sum(values), len(values))
    return sum(((value - mean) ** 2 for value in values), Fraction(0))


def center_loss(distance: Distance) -> Loss:
    """The least sum of distances to one of the values."""
    return lambda values: min(sum((distance(x, c) for x in values), Fraction(0)) for c in values)


def mixed_loss(rows: Sequence[Sequence[int]], columns: Sequence[Loss], blocks: Sequence[Sequence[int]]) -> Fraction:
    return sum((_of_block(rows, columns, block) for block in blocks), Fraction(0))


def best_mixed_loss(rows: Sequence[Sequence[int]], columns: Sequence[Loss], k: int) -> Fraction:
    """The optimum over all groupings into blocks of at least `k`."""
    price = cache(lambda block: _of_block(rows, columns, block))
    return min(sum(map(price, blocks)) for blocks in groupings(range(len(rows)), k))


def _of_block(rows: Sequence[Sequence[int]], columns: Sequence[Loss], block: Sequence[int]) -> Fraction:
    return sum((loss([rows[i][j] for i in block]) for j, loss in enumerate(columns)), Fraction(0))
