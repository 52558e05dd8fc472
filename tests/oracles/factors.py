"""Lightest factors of small complete graphs, by trying all of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

Table = Sequence[Sequence[int | Fraction]]


def lightest_one_two_factor(distance: Table) -> Fraction:
    """Every vertex of degree 1 or 2: its edges are tried vertex by vertex."""
    return _lightest(distance, least=1)


def lightest_two_factor(distance: Table) -> Fraction | None:
    """Every vertex of degree 2; None where there is none."""
    return _lightest(distance, least=2)


def _lightest(distance: Table, *, least: int) -> Fraction | None:
    n = len(distance)

    @cache
    def from_here(vertex: int, degrees: tuple[int, ...]) -> Fraction | None:
        """Of vertices from `vertex` on, all earlier ones being done; `degrees` of those that are not."""
        if vertex == n:
            return Fraction(0)
        best = None
        own, rest = degrees[0], degrees[1:]
        open_ones = [i for i, degree in enumerate(rest) if degree < 2]
        for more in range(max(0, least - own), 3 - own):
            for chosen in combinations(open_ones, more):
                after = tuple(degree + (i in chosen) for i, degree in enumerate(rest))
                later = from_here(vertex + 1, after)
                if later is not None:
                    cost = later + sum(Fraction(distance[vertex][vertex + 1 + i]) for i in chosen)
                    best = cost if best is None else min(best, cost)
        return best

    return from_here(0, (0,) * n)
