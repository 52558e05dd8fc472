"""The cheapest generalization: every group is published as one row of ranges and hierarchy nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

from tests.oracles.groupings import groupings, kept


@dataclass(frozen=True)
class Ranges:
    """A column of numbers: an entry costs `weight` x (width of its group's range) / `width`."""

    width: int | Fraction
    weight: int | Fraction = 1

    def cost(self, values: Sequence[int | Fraction]) -> Fraction:
        return Fraction(self.weight) * Fraction(max(values) - min(values)) / self.width


@dataclass(frozen=True)
class Tree:
    """A column with a hierarchy: `paths[value]` lists the nodes from the value itself up to the root.

    All paths have one length, L + 1. An entry published at level h costs `weight` x h / L; the level is the
    lowest at which all values of the group have the same node.
    """

    paths: Sequence[Sequence[object]]
    weight: int | Fraction = 1

    def cost(self, values: Sequence[int]) -> Fraction:
        top = len(self.paths[0]) - 1
        level = next(h for h in range(top + 1) if len({self.paths[value][h] for value in values}) == 1)
        return Fraction(self.weight) * Fraction(level, top)

    @classmethod
    def labels(cls, n: int, weight: int | Fraction = 1) -> Tree:
        """Labels without a hierarchy: published as they are, or suppressed."""
        return cls([[value, "any"] for value in range(n)], weight)


@dataclass(frozen=True)
class Sets:
    """A column of labels published as sets: an entry costs `each` per label of its group's set; one label is free."""

    each: int | Fraction

    def cost(self, values: Sequence[int]) -> Fraction:
        n_labels = len(set(values))
        return Fraction(self.each) * n_labels if n_labels > 1 else Fraction(0)


Column = Ranges | Tree | Sets
Rows = Sequence[Sequence[Any]]


def generalization_cost(rows: Rows, columns: Sequence[Column], blocks: Sequence[Sequence[int]]) -> Fraction:
    """Sum over groups, members and columns of the cost of an entry."""
    return sum((_of_block(rows, columns, block) for block in blocks), Fraction(0))


def best_generalization_cost(
    rows: Rows,
    columns: Sequence[Column],
    k: int,
    *,
    row_deletion: int | Fraction | None = None,
    max_deleted: int | None = None,
) -> Fraction:
    """The optimum over all groupings into blocks of at least `k`.

    With `row_deletion` any number of rows, or at most `max_deleted`, may be left out at that price each.
    """
    price = cache(partial(_of_block, rows, columns))
    deletable = 0 if row_deletion is None else len(rows) if max_deleted is None else max_deleted
    return min(
        sum(map(price, blocks), Fraction(row_deletion or 0) * (len(rows) - len(some)))
        for some in kept(range(len(rows)), deletable)
        for blocks in groupings(some, k)
    )


def _of_block(rows: Rows, columns: Sequence[Column], block: Sequence[int]) -> Fraction:
    each = sum((column.cost([rows[i][j] for i in block]) for j, column in enumerate(columns)), Fraction(0))
    return len(block) * each
