"""A release and the people who are attacked: those of the table and those of the control, with all their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.questions.columns import Column, Units
from shoal.measure.singling import together

PAIRS_AT_ONCE = 2_000_000  # pairs of person and released row whose distances are held at a time, for every column


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """The published columns, and the people: rows 0 to `n` - 1 are of the table, the others of the control.

    `who` numbers the person of every row.
    """

    columns: tuple[Column, ...]
    n: int
    who: Ints

    def people(self, *, control: bool, most: int, chance: np.random.Generator) -> Ints:
        """Return at most so many rows of the table or of the control, drawn at random, each of another person."""
        side = np.arange(self.n, len(self.who)) if control else np.arange(self.n)
        mixed = chance.permutation(side)
        _, first = np.unique(self.who[mixed], return_index=True)
        return mixed[np.sort(first)][:most]


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The different released rows in some columns: the cell of each in every column, and how many rows have it."""

    columns: tuple[Column, ...]
    cells: tuple[Ints, ...]
    times: Floats
    of_row: Ints

    def blocks(self, people: Ints) -> Iterator[tuple[Ints, list[Units]]]:
        """Yield some of the people at a time, with their distances from every profile, a matrix for each column."""
        step = max(2, PAIRS_AT_ONCE // max(len(self.times) * max(len(self.columns), 1), 1))
        for begin in range(0, len(people), step):
            some = people[begin : begin + step]
            parts = zip(self.columns, self.cells, strict=True)
            yield some, [np.take(column.apart(some), cells, axis=1) for column, cells in parts]


def profiles(columns: Sequence[Column]) -> Profiles:
    """Return the different released rows in these columns."""
    keys = together([column.of_row for column in columns])
    _, first, of_row, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return Profiles(
        columns=tuple(columns),
        cells=tuple(column.of_row[first] for column in columns),
        times=times.astype(np.float64),
        of_row=of_row.reshape(-1).astype(np.int64),
    )
