"""Comparison of published cells with what an attacker knows: which cells fit a value, and how far apart they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from shoal.measure.column_views import View
from shoal.measure.equivalence_classes import Bools, Floats, Ints

Singles = npt.NDArray[np.float32]


class PublishedCells(Protocol):
    """One quasi-identifier: values of the attacked records, and the published cell of every equivalence class."""

    def compare(self, some: slice) -> tuple[Bools, Singles]:
        """Return for some of the records (rows) and every class (columns) whether the cell may hold the value, and a
        distance.

        The distance is 0 if the value is published exactly, and 1 if they have nothing in common or the cell is
        hidden.
        """
        ...

    def fits(self, some: slice) -> Bools:
        """Return the first part of `compare` alone."""
        ...

    def holds(self, one: int, originals: Ints) -> Bools:
        """Return whether the cell of one class may hold the value of each of the given records."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class NumberCells:
    """Ranges, or points where low = high = value; a NaN value that is not hidden is a published missing value.

    A missing value also fits a range that says "or missing", and is half as far from it as from a number.
    """

    x: Floats
    low: Floats
    high: Floats
    value: Floats
    hidden: Bools
    or_missing: Bools
    span: float

    def fits(self, some: slice) -> Bools:
        x, missing = self.x[some, None], np.isnan(self.x[some])
        inside: Bools = (x >= self.low) & (x <= self.high)
        inside[missing] = np.isnan(self.value) | self.or_missing
        inside[:, self.hidden] = True
        return inside

    def compare(self, some: slice) -> tuple[Bools, Singles]:
        x, missing, no_value = self.x[some, None], np.isnan(self.x[some]), np.isnan(self.value)
        inside = self.fits(some)
        apart = np.minimum(np.abs(x - self.value) / (self.span or 1.0), 1.0)
        apart[:, no_value] = 1.0
        apart[missing] = np.where(no_value, 0.0, np.where(self.or_missing, 0.5, 1.0))
        apart[:, self.hidden] = 1.0
        return inside, apart.astype(np.float32)

    def holds(self, one: int, originals: Ints) -> Bools:
        x = self.x[originals]
        if self.hidden[one]:
            return np.ones(len(x), dtype=bool)
        if np.isnan(self.value[one]):
            return np.isnan(x)
        inside: Bools = (x >= self.low[one]) & (x <= self.high[one])
        return inside | np.isnan(x) if self.or_missing[one] else inside


@dataclass(frozen=True, slots=True, eq=False)
class LabelCells:
    """The cell of every class, and the codes below `n_labels` of every cell; a hidden cell fits all codes and lists
    none.
    """

    codes: Ints
    cell: Ints
    start: Ints
    members: Ints
    hidden: Bools
    n_labels: int
    missing: int = -1
    """The code of a missing value, -1 if there is none."""

    def fits(self, some: slice) -> Bools:
        wanted, place = np.unique(self.codes[some], return_inverse=True)
        row = np.full(self.n_labels + 1, -1)  # the last entry is for values that no cell contains
        row[wanted] = np.arange(len(wanted))
        named = row[self.members]
        found = np.zeros((len(wanted), len(self.hidden)), dtype=bool)
        of_cell = np.repeat(np.arange(len(self.hidden)), np.diff(self.start))
        found[named[named >= 0], of_cell[named >= 0]] = True
        found[:, self.hidden] = True
        return found[:, self.cell][place]

    def compare(self, some: slice) -> tuple[Bools, Singles]:
        inside = self.fits(some)
        sizes = np.where(self.hidden, self.n_labels, np.diff(self.start))
        share = (1.0 / np.maximum(sizes, 1))[self.cell].astype(np.float32)
        return inside, np.where(inside, 1 - share, np.float32(1))

    def holds(self, one: int, originals: Ints) -> Bools:
        cell = self.cell[one]
        if self.hidden[cell]:
            return np.ones(len(originals), dtype=bool)
        named = np.zeros(self.n_labels + 1, dtype=bool)
        named[self.members[self.start[cell] : self.start[cell + 1]]] = True
        return named[self.codes[originals]]


def cells_of(seen: tuple[View, ...], attacked: Ints, groups: Ints) -> Mapping[str, PublishedCells]:
    """Return the cells of a release whose groups are known; `groups` has one group of every class."""
    return {view.column.name: _cells(view, attacked, groups) for view in seen}


def _cells(view: View, attacked: Ints, groups: Ints) -> PublishedCells:
    """Return the cells of one quasi-identifier for the attacked records and one group of every class."""
    if view.labels is None:
        assert view.numbers is not None
        numbers = view.numbers
        low, high, value = (part[groups] for part in (numbers.low, numbers.high, numbers.value))
        hidden, or_missing = numbers.hidden[groups], numbers.or_missing[groups]
        return NumberCells(numbers.x[attacked], low, high, value, hidden, or_missing, numbers.span)
    labels = view.labels
    nothing = np.zeros(len(labels.sizes), dtype=bool)
    return LabelCells(
        labels.codes[attacked],
        labels.cell[groups],
        labels.start,
        labels.members,
        nothing,
        len(labels.domain),
        labels.domain.index(None) if None in labels.domain else -1,
    )
