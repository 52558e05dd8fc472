"""Groups of different colors, by trying everything; optima around members and around centers anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from tests.oracles.radius import Table, diameter


def colorful(rows: Sequence[int], colors: Sequence[int], l: int) -> Iterator[list[tuple[int, ...]]]:  # noqa: E741
    """Every split of `rows` into blocks of at least `l` without a color twice."""
    if not rows:
        yield []
        return
    first, others = rows[0], rows[1:]
    for size in range(l - 1, len(rows)):
        for mates in combinations(others, size):
            block = (first, *mates)
            if len({colors[i] for i in block}) == len(block):
                left = [i for i in others if i not in mates]
                yield from ([block, *rest] for rest in colorful(left, colors, l))


def member_radius(distance: Table, block: Sequence[int]) -> Fraction:
    """Distance from the best member to the farthest one."""
    return Fraction(min(max(distance[center][i] for i in block) for center in block))


def fewest_left_out(colors: Sequence[int], l: int) -> int | None:  # noqa: E741
    """The fewest records without which the others split; None where nothing is left. By trying every choice."""
    n = len(colors)
    for dropped in range(n - l + 1):
        for gone in combinations(range(n), dropped):
            if next(colorful([i for i in range(n) if i not in gone], colors, l), None) is not None:
                return dropped
    return None


def best_diverse(
    distance: Table,
    colors: Sequence[int],
    l: int,  # noqa: E741
    dropped: int = 0,
) -> tuple[Fraction, Fraction] | None:
    """Smallest largest radius around members, and smallest largest diameter, without the best `dropped` records.

    None where no grouping exists.
    """
    n = len(colors)
    radii, diameters = [], []
    for gone in combinations(range(n), dropped):
        for blocks in colorful([i for i in range(n) if i not in gone], colors, l):
            radii.append(max(member_radius(distance, block) for block in blocks))
            diameters.append(max(diameter(distance, block) for block in blocks))
    return (min(radii), min(diameters)) if radii else None
