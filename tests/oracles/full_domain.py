"""Every choice of levels of a full-domain recoding, one after the other, in exact numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

Paths = Sequence[Sequence[object]]
"""`paths[value]` lists the nodes from the value itself up to the root; all have one length."""
Rows = Sequence[Sequence[int]]
Chosen = tuple[int, ...]


def all_levels(columns: Sequence[Paths]) -> Iterator[Chosen]:
    return product(*(range(len(paths[0])) for paths in columns))


def groups_at(rows: Rows, columns: Sequence[Paths], levels: Chosen) -> list[list[int]]:
    """Rows whose nodes agree."""
    found = defaultdict(list)
    for i, row in enumerate(rows):
        found[tuple(paths[value][h] for paths, value, h in zip(columns, row, levels, strict=True))].append(i)
    return list(found.values())


def entry_loss(paths: Paths, value: int, level: int, loss: str) -> Fraction:
    """ncp: leaves below the node over all leaves, a value itself nothing; levels: level over all levels."""
    if loss == "levels":
        return Fraction(level, len(paths[0]) - 1)
    if level == 0:
        return Fraction(0)
    return Fraction(sum(path[level] == paths[value][level] for path in paths), len(paths))


def loss_at(rows: Rows, columns: Sequence[Paths], levels: Chosen, gone: set[int], loss: str) -> Fraction:
    """A suppressed row loses what the roots lose."""
    return sum(
        (
            entry_loss(paths, row[j], len(paths[0]) - 1 if i in gone else levels[j], loss)
            for i, row in enumerate(rows)
            for j, paths in enumerate(columns)
        ),
        Fraction(0),
    )


def best_full_domain(
    rows: Rows, columns: Sequence[Paths], holds: Callable[[list[int]], bool], *, budget: int, loss: str
) -> tuple[Fraction, list[Chosen]]:
    """The least loss over the whole lattice, and all choices that have it; groups that do not hold are suppressed."""
    found: dict[Chosen, Fraction] = {}
    for levels in all_levels(columns):
        gone = {i for group in groups_at(rows, columns, levels) if not holds(group) for i in group}
        if len(gone) <= budget:
            found[levels] = loss_at(rows, columns, levels, gone, loss)
    least = min(found.values())
    return least, sorted(levels for levels, value in found.items() if value == least)


def best_with_any_groups_left_out(
    rows: Rows,
    columns: Sequence[Paths],
    holds: Callable[[list[int], list[int]], bool],
    *,
    budget: int,
    loss: str,
) -> Fraction | None:
    """The least loss over the whole lattice and over all sets of groups that are left out; None if nothing holds.

    `holds(group, released)` says whether a group meets what is asked beside these released rows. At least one is.
    """
    least: Fraction | None = None
    for levels in all_levels(columns):
        groups = groups_at(rows, columns, levels)
        for kept in product((True, False), repeat=len(groups)):
            released = [i for group, stays in zip(groups, kept, strict=True) if stays for i in group]
            if not released or len(rows) - len(released) > budget:
                continue
            if all(holds(group, released) for group, stays in zip(groups, kept, strict=True) if stays):
                lost = loss_at(rows, columns, levels, set(range(len(rows))) - set(released), loss)
                least = lost if least is None else min(least, lost)
    return least
