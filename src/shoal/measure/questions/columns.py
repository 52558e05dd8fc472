"""Published columns as attackers use them: which people a cell covers, how far a value is from it, and what it says.

Distances are Gower's, in whole parts of `UNIT` so that sums of them tie exactly: for plain values |x - v| over the
range of the column, or 0 and 1 for labels; for a cell that leaves several values open the mean distance to them. In a
column with ranges, a range that does not cover the value is at distance 1, however near it is, because it says that
the value is another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.measure.equivalence_classes import Bools, Floats, Ints, numbered
from shoal.measure.published_cells import LabelCells, NumberCells, PublishedCells

if TYPE_CHECKING:
    from scipy import sparse

Units = npt.NDArray[np.int32]
UNIT = 1 << 16  # the distance 1; thousands of columns can be added in 32 bits
TOLERANCE = 0.05  # a guess of a number is right within this share of the true number
DAYS = 30.0  # a guess of a date is right within so many days


class Column(Protocol):
    """One published column, for all people: first those of the table, then those of the control."""

    @property
    def name(self) -> str: ...
    @property
    def of_row(self) -> Ints:
        """The cell of every released row."""
        ...

    @property
    def plain(self) -> bool:
        """Whether cells are single numbers, which attackers may also take for limits."""
        ...

    def covers(self, cell: int, people: Ints, *, beyond: bool = False) -> Bools:
        """Return whether a cell may stand for the value of each person; `beyond` takes a plain number as a limit."""
        ...

    def apart(self, people: Ints) -> Units:
        """Return the distance of the values of some people (rows) from every cell (columns)."""
        ...

    def guess(self, cells: Ints, times: Floats) -> float:
        """Return the best guess of the value from cells that occur so many times; NaN if they say nothing."""
        ...

    def known(self, people: Ints) -> Bools:
        """Return whether the value of each person is not missing."""
        ...

    def right(self, guesses: Floats, people: Ints) -> Bools:
        """Return whether the guess about each person is right."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Numbers, or dates in days: `x` of all people, and the limits of every cell."""

    name: str
    x: Floats
    low: Floats
    high: Floats
    hidden: Bools
    or_missing: Bools
    of_row: Ints
    least: float
    most: float
    middle: float
    """The median of the released values: a plain number above it is taken as a lower limit, others as an upper."""
    plain: bool
    dates: bool

    def covers(self, cell: int, people: Ints, *, beyond: bool = False) -> Bools:
        x = self.x[people]
        if self.hidden[cell]:
            return np.ones(len(x), dtype=bool)
        low, high = self.low[cell], self.high[cell]
        if np.isnan(low):
            return np.isnan(x)
        inside: Bools = (x >= low) & (x <= high)
        if beyond and self.plain:
            inside = x >= low if low > self.middle else x <= low
        return inside | np.isnan(x) if self.or_missing[cell] else inside

    def apart(self, people: Ints) -> Units:
        x = self.x[people][:, None]
        span = self.most - self.least or 1.0
        low, high = (
            np.where(self.hidden, end, limit) for end, limit in ((self.least, self.low), (self.most, self.high))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            width = high - low
            inside = (x >= low) & (x <= high)
            within = np.where(width > 0, ((x - low) ** 2 + (high - x) ** 2) / (2 * width), 0.0) / span
            outside = np.abs(x - (low + high) / 2) / span if self.plain else 1.0
            found = np.where(inside, within, outside)
        found = np.where(self.or_missing, (1 + found) / 2, found)
        found = np.where(np.isnan(low), 1.0, found)
        missing = np.where(np.isnan(low), 0.0, np.where(self.or_missing, 0.5, 1.0))
        found = np.where(np.isnan(x), missing, found)
        return np.asarray(np.rint(np.clip(found, 0.0, 1.0) * UNIT), dtype=np.int32)

    def guess(self, cells: Ints, times: Floats) -> float:
        values = (self.low[cells] + self.high[cells]) / 2
        values, times = (part[~(np.isnan(values) | self.hidden[cells])] for part in (values, times))
        if len(values) == 0:
            return float("nan")
        order = np.argsort(values, kind="stable")
        values, total = values[order], np.concatenate([[0.0], np.cumsum(times[order])])
        reach = self._reach(values)
        covered = total[np.searchsorted(values, values + reach, "right")]
        covered = covered - total[np.searchsorted(values, values - reach, "left")]
        return float(values[int(np.argmax(covered))])

    def _reach(self, values: Floats) -> Floats:
        return np.full(len(values), DAYS) if self.dates else TOLERANCE * np.abs(values)

    def known(self, people: Ints) -> Bools:
        return ~np.isnan(self.x[people])

    def right(self, guesses: Floats, people: Ints) -> Bools:
        x = self.x[people]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(guesses - x) <= self._reach(x))


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """Labels: the code of every person, the codes of every cell, and the cells that have each code."""

    name: str
    codes: Ints
    start: Ints
    members: Ints
    hidden: Bools
    of_row: Ints
    n_labels: int
    missing: int
    cells_start: Ints
    cells: Ints
    """The cells with code c are ``cells[cells_start[c]:cells_start[c + 1]]``."""
    plain: bool = False

    @property
    def _inside(self) -> Units:
        """The distance of a covered label from every cell."""
        sizes = np.where(self.hidden, max(self.n_labels, 1), np.maximum(np.diff(self.start), 1))
        return (UNIT - np.rint(UNIT / sizes)).astype(np.int32)

    def covers(self, cell: int, people: Ints, *, beyond: bool = False) -> Bools:
        if self.hidden[cell]:
            return np.ones(len(people), dtype=bool)
        members = self.members[self.start[cell] : self.start[cell + 1]]
        codes = self.codes[people]
        if len(members) == 1:
            return np.asarray(codes == members[0])
        named = np.zeros(self.n_labels + 1, dtype=bool)
        named[members] = True
        return named[codes]

    def apart(self, people: Ints) -> Units:
        inside = self._inside
        codes, place = np.unique(self.codes[people], return_inverse=True)
        found = np.full((len(codes), len(self.hidden)), UNIT, dtype=np.int32)
        found[:, self.hidden] = inside[self.hidden]
        for row, code in enumerate(codes.tolist()):
            if code < self.n_labels:
                holding = self.cells[self.cells_start[code] : self.cells_start[code + 1]]
                found[row, holding] = inside[holding]
        return found[place]

    def weights(self) -> sparse.csr_array:
        """Return how much every cell (rows) says for every label (columns): 1 / s for each of s; missing is none."""
        from scipy import sparse

        sizes = np.where(self.hidden, 0, np.diff(self.start))
        of_entry = np.repeat(np.arange(len(sizes)), np.diff(self.start))
        said = (self.members != self.missing) & ~self.hidden[of_entry]
        each = 1.0 / np.maximum(sizes, 1)[of_entry[said]]
        shape = (len(sizes), max(self.n_labels, 1))
        return sparse.csr_array((each, (of_entry[said], self.members[said])), shape=shape)

    def guess(self, cells: Ints, times: Floats) -> float:
        found: Floats = times @ self.weights()[cells]
        return float(likeliest(found[None, :])[0])

    def known(self, people: Ints) -> Bools:
        return np.asarray(self.codes[people] != self.missing)

    def right(self, guesses: Floats, people: Ints) -> Bools:
        return np.asarray(guesses == self.codes[people])


def likeliest(weights: Floats) -> Floats:
    """Return for every row the column with the largest weight, the first of several; NaN if all are 0."""
    # weights are sums of fractions in another order for each row, and equal ones must stay equal
    rounded = np.round(weights, 9)
    return np.where(rounded.any(axis=1), rounded.argmax(axis=1), np.nan)


def column_of(name: str, cells: PublishedCells, of_row: Ints, *, dates: bool) -> Column:
    """Return a column from its `cells` of classes; `of_row` is the class of every released row."""
    if isinstance(cells, NumberCells):
        return _numbers(name, cells, of_row, dates)
    assert isinstance(cells, LabelCells)
    entries = np.argsort(cells.members, kind="stable")
    of_entry = np.repeat(np.arange(len(cells.hidden)), np.diff(cells.start))
    return LabelColumn(
        name=name,
        codes=cells.codes,
        start=cells.start,
        members=cells.members,
        hidden=cells.hidden,
        of_row=cells.cell[of_row],
        n_labels=cells.n_labels,
        missing=cells.missing,
        cells_start=np.searchsorted(cells.members[entries], np.arange(cells.n_labels + 1)).astype(np.int64),
        cells=of_entry[entries],
    )


def _numbers(name: str, cells: NumberCells, of_row: Ints, dates: bool) -> NumberColumn:
    limited = {"low": cells.low, "high": cells.high, "hidden": cells.hidden, "or_missing": cells.or_missing}
    of_class = numbered(pl.DataFrame(limited), len(cells.low))
    _, first = np.unique(of_class, return_index=True)
    low, high = cells.low[first], cells.high[first]
    hidden, or_missing = cells.hidden[first], cells.or_missing[first]
    limits = np.concatenate([cells.x, low[~hidden], high[~hidden]])
    limits = limits[np.isfinite(limits)]
    rows = of_class[of_row]
    seen = ((low + high) / 2)[rows]
    seen = seen[np.isfinite(seen)]
    return NumberColumn(
        name=name,
        x=cells.x,
        low=low,
        high=high,
        hidden=hidden,
        or_missing=or_missing,
        of_row=rows,
        least=float(limits.min()) if len(limits) else 0.0,
        most=float(limits.max()) if len(limits) else 0.0,
        middle=float(np.median(seen)) if len(seen) else 0.0,
        plain=not (bool(hidden.any() or (low < high).any())),
        dates=dates,
    )
