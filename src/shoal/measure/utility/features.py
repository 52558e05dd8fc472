"""Original and released columns as analysts use them.

A range enters as its middle, a set of labels as equal shares of its members, and a node as its leaves; in tables of
counts a range is spread evenly over the classes that it covers. A hidden cell enters as the rest of the released
column does on average. A missing number enters regressions as the mean, and a missing label is a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.questions.columns import Column, LabelColumn, NumberColumn

MOST_LEVELS = 12  # labels that are distinguished in tables and models; the others are one level
MOST_PRODUCTS = 10  # columns whose products are features of the propensity score
CLASSES = 4  # classes of a column of numbers in tables: its quarters


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """One column in levels: that of every person, and the shares of the levels in every published cell.

    The first `n` people are those of the table.
    """

    name: str
    people: Ints
    n: int
    cells: Floats
    of_row: Ints

    @property
    def original(self) -> Ints:
        """The levels of the people of the table."""
        return self.people[: self.n]

    @property
    def width(self) -> int:
        return int(self.cells.shape[1])

    def original_shares(self) -> sparse.csr_array:
        n = len(self.original)
        return sparse.csr_array((np.ones(n), (np.arange(n), self.original)), shape=(n, self.width))


def levels(column: Column, n: int) -> Levels:
    """Return a column in levels; the first `n` people are those of the table."""
    if isinstance(column, LabelColumn):
        return _label_levels(column, n)
    assert isinstance(column, NumberColumn)
    return _number_levels(column, n)


def _label_levels(column: LabelColumn, n: int) -> Levels:
    size = column.n_labels + 1  # the last code stands for values that no cell has
    counts = np.bincount(column.codes[:n], minlength=size)
    slot = np.empty(size, dtype=np.int64)
    slot[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(size), MOST_LEVELS)
    width = min(size, MOST_LEVELS + 1)
    sizes = np.diff(column.start)
    of_entry = np.repeat(np.arange(len(sizes)), sizes)
    cells = np.zeros((len(sizes), width))
    np.add.at(cells, (of_entry, slot[column.members]), 1.0 / np.maximum(sizes, 1)[of_entry])
    unread = (cells.sum(axis=1) == 0) & ~column.hidden  # a label that no original has
    cells[unread, slot[column.n_labels]] = 1.0
    return Levels(column.name, slot[column.codes], n, _filled(cells, column.hidden, column.of_row), column.of_row)


def _number_levels(column: NumberColumn, n: int) -> Levels:
    x = column.x[:n]
    known = x[~np.isnan(x)]
    cuts = np.unique(np.quantile(known, np.arange(1, CLASSES) / CLASSES)) if len(known) else np.zeros(0)
    missing = len(cuts) + 1
    everybody = column.x
    original = np.where(np.isnan(everybody), missing, np.searchsorted(cuts, everybody, side="left")).astype(np.int64)
    cells = np.zeros((len(column.low), missing + 1))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    for cell, (low, high) in enumerate(zip(column.low.tolist(), column.high.tolist(), strict=True)):
        if np.isnan(low):
            cells[cell, missing] = 1.0
        elif high > low:
            cells[cell, :missing] = np.diff(np.clip(ends, low, high)) / (high - low)
        else:
            cells[cell, int(np.searchsorted(cuts, low, side="left"))] = 1.0
        if column.or_missing[cell]:
            cells[cell] /= 2
            cells[cell, missing] += 0.5
    return Levels(column.name, original, n, _filled(cells, column.hidden, column.of_row), column.of_row)


def _filled(cells: Floats, hidden: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], of_row: Ints) -> Floats:
    """Return the cells with the mean of all others in place of hidden ones."""
    times = np.bincount(of_row, minlength=len(cells)) * ~hidden
    mean = times @ cells / times.sum() if times.sum() else np.full(cells.shape[1], 1.0 / max(cells.shape[1], 1))
    return np.where(hidden[:, None], mean, cells)


def middles(column: NumberColumn) -> Floats:
    """Return the number that stands for every cell; NaN for a missing or hidden one."""
    return np.where(column.hidden, np.nan, (column.low + column.high) / 2)


def design(
    columns: list[Column], n: int, originals: Ints, rows: Ints, *, products: bool = False
) -> tuple[Floats, Floats]:
    """Return features of people and released rows: numbers standardized with their squares, indicators of labels.

    The most frequent level of a label has no indicator, and neither has a level that no row has in either table.
    `products` adds the product of any two of the first columns, of a label that of its most frequent level.
    """
    ours: list[Floats] = []
    theirs: list[Floats] = []
    leading: list[tuple[Floats, Floats]] = []
    for column in columns:
        if isinstance(column, NumberColumn):
            one, other = column.x[originals], middles(column)[column.of_row[rows]]
            middle, spread = _center(column.x[:n])
            a, b = (_standard(part, middle, spread) for part in (one, other))
            ours += [a, a**2]
            theirs += [b, b**2]
            leading.append((a, b))
        else:
            level = levels(column, n)
            a, b = np.eye(level.width)[level.people[originals]], level.cells[level.of_row[rows]]
            counts = np.bincount(level.original, minlength=level.width)
            kept = np.argsort(-counts, kind="stable")[1:]
            kept = kept[(counts + level.cells.sum(axis=0))[kept] > 0]
            ours += list(a[:, kept].T)
            theirs += list(b[:, kept].T)
            usual = int(counts.argmax())
            leading.append((a[:, usual] - 0.5, b[:, usual] - 0.5))
    if products:
        for (a, b), (c, d) in combinations(leading[:MOST_PRODUCTS], 2):
            ours.append(a * c)
            theirs.append(b * d)
    return np.column_stack([np.ones(len(originals)), *ours]), np.column_stack([np.ones(len(rows)), *theirs])


def _center(values: Floats) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.mean()), float(known.std()) or 1.0) if len(known) else (0.0, 1.0)


def _standard(values: Floats, middle: float, spread: float) -> Floats:
    known = values[~np.isnan(values)]
    filled = np.where(np.isnan(values), known.mean() if len(known) else middle, values)
    return np.clip((filled - middle) / spread, -10.0, 10.0)  # squares of far numbers would leave no digits
