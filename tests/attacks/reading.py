"""A public release as an attacker reads it: classes of rows that look alike, who fits them, what they hold.

Plain numpy and Python on the published frame; nothing here is shared with the code that measures or verifies. What a
published cell may stand for: `[a, b]` and `[a, b)` ranges, `{a, b}` sets, `*` anything, `12***` a masked code, a node
of a hierarchy or a class of labels (by `leaves`), else the value itself.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.policy import Policy
from tests.api.oracle import OR_MISSING, parse_labels, parse_multiset

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Leaves = Mapping[str, frozenset[str]]
EPOCH = dt.datetime(1970, 1, 1)
PEOPLE = "people"


@dataclass(frozen=True, eq=False)
class Seen:
    """One release: the public frame, the roles and order of its columns, and what nodes of hierarchies stand for."""

    frame: pl.DataFrame
    policy: Policy
    leaves: Mapping[str, Leaves] = field(default_factory=dict)

    @property
    def centers(self) -> bool:
        return PEOPLE in self.frame.columns and PEOPLE not in self.policy.columns

    @property
    def quasi(self) -> list[str]:
        """The published columns of the quasi-identifiers."""
        return [part for name in self.policy.quasi for part in self.parts(name)]

    def parts(self, name: str) -> list[str]:
        if name in self.frame.columns:
            return [name]
        ends, missing = [f"{name}_min", f"{name}_max"], f"{name}_missing"
        return [*ends, missing] if missing in self.frame.columns else ends

    def classes(self) -> Classes:
        """Rows published alike in every quasi-identifier are a class."""
        published = {name: texts(self.frame[name]) for name in self.frame.columns}
        of_row = numbers([published[name] for name in self.quasi], len(self.frame))
        first = np.unique(of_row, return_index=True)[1]
        cells = {name: [published[name][row] for row in first] for name in self.quasi}
        together = [(name,) for name in self.policy.sensitive] if self.centers else [tuple(self.policy.sensitive)]
        held = {names: [Counter[Any]() for _ in first] for names in together if names}
        people = np.zeros(len(first), dtype=np.int64)
        if self.centers:
            np.add.at(people, of_row, self.frame[PEOPLE].cast(pl.Int64).to_numpy())
            for (name,), counts in held.items():
                for row, cell in zip(of_row, published[name], strict=True):
                    counts[row].update({(label,): n for label, n in parse_multiset(cell or "").items()})
            return Classes(self, of_row, cells, people, held)
        who = published[self.policy.person] if self.policy.person else list(range(len(of_row)))
        np.add.at(people, [group for group, _ in set(zip(of_row.tolist(), who, strict=True))], 1)
        for names, counts in held.items():
            values = zip(*(published[name] for name in names), strict=True)
            for group, _, value in set(zip(of_row.tolist(), who, values, strict=True)):
                counts[group][value] += 1
        return Classes(self, of_row, cells, people, held)


@dataclass(frozen=True, eq=False)
class Classes:
    """`held[columns][i]` counts the people of class i by what they hold in the sensitive columns together."""

    seen: Seen
    of_row: Ints
    cells: Mapping[str, list[str | None]]
    people: Ints
    held: Mapping[tuple[str, ...], list[Counter[Any]]]

    def fitting(self, persons: pl.DataFrame, known: Sequence[str] | None = None) -> Bools:
        """persons × classes: whether the class may hold the person, by the quasi-identifiers that are known."""
        fit = np.ones((len(persons), len(self.people)), dtype=bool)
        for name in known if known is not None else self.seen.policy.quasi:
            fit &= self._fits(name, persons[name])
        return fit

    def candidates(self, persons: pl.DataFrame, known: Sequence[str] | None = None) -> Bools:
        """The fitting classes; of those whom none fits, the nearest ones (aggregates publish no limits)."""
        fit = self.fitting(persons, known)
        lost = np.flatnonzero(~fit.any(axis=1))
        if len(lost):
            apart = self.distances(persons[lost], known)
            fit[lost] = apart <= apart.min(axis=1, keepdims=True) + 1e-9
        return fit

    def distances(self, persons: pl.DataFrame, known: Sequence[str] | None = None) -> Floats:
        """persons × classes: summed over columns, |x - middle of the cell| / range, or 1 where labels differ."""
        total = np.zeros((len(persons), len(self.people)))
        for name in known if known is not None else self.seen.policy.quasi:
            x = as_numbers(persons[name])
            if x is None:
                total += ~self._fits(name, persons[name])
                continue
            middle = self._middles(name)
            span = np.nanmax(x, initial=-np.inf) - np.nanmin(x, initial=np.inf)
            apart = np.abs(x[:, None] - middle) / (span if np.isfinite(span) and span > 0 else 1.0)
            missing = np.isnan(x)[:, None] & np.isnan(middle)
            total += np.where(missing, 0.0, np.minimum(np.nan_to_num(apart, nan=1.0), 1.0))
        return total

    def _middles(self, name: str) -> Floats:
        ends = []
        for cells in zip(*(self.cells[part] for part in self.seen.parts(name)[:2]), strict=True):
            cells = [None if cell is None else cell.removesuffix(OR_MISSING) for cell in cells]
            pair = parse_labels(cells[0].replace(")", "]")) if cells[0] and cells[0][0] == "[" else [*cells, *cells]
            ends.append([number_of(pair[0]), number_of(pair[-1])])
        return np.mean(np.array(ends), axis=1)

    def _fits(self, name: str, values: pl.Series) -> Bools:
        parts = self.seen.parts(name)
        order = self.seen.policy.columns[name].order
        leaves = self.seen.leaves.get(name, {})
        told = texts(values)
        distinct = {value: place for place, value in enumerate(dict.fromkeys(told))}
        first = [told.index(value) for value in distinct]
        one_each = Known(list(distinct), as_numbers(values[first]), order)
        cells = list(zip(*(self.cells[part] for part in parts), strict=True))
        kinds = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
        may = np.stack([one_each.within(cell, leaves) for cell in kinds], axis=1)
        return may[[distinct[value] for value in told]][:, [kinds[cell] for cell in cells]]


@dataclass(frozen=True, eq=False)
class Known:
    """Different values that an attacker knows, as text and (numbers, dates) as numbers."""

    texts: list[str | None]
    numbers: Floats | None
    order: Sequence[str] | None

    def within(self, cell: tuple[str | None, ...], leaves: Leaves) -> Bools:
        """Which of the values a published cell (or both ends of a range) may stand for."""
        missing = np.array([text is None for text in self.texts])
        if len(cell) > 1:
            if cell[0] is None or cell[1] is None:
                return missing
            inside = self._between(cell[0], cell[1], half_open=False)
            return inside | missing if cell[2:] and str(cell[2]).lower() == "true" else inside
        (text,) = cell
        if text is not None and text.endswith(OR_MISSING) and text not in self.texts:
            return missing | self.within((text.removesuffix(OR_MISSING),), leaves)
        if text is None:
            return missing
        if text == "*":
            return np.ones(len(self.texts), dtype=bool)
        if text.startswith("[") and text[-1] in ")]" and text not in self.texts:
            low, high = parse_labels(text[:-1] + "]")
            return self._between(str(low), str(high), half_open=text.endswith(")"))
        listed = parse_labels(text) if text.startswith("{") and text.endswith("}") else [text]
        meant: set[str | None] = set()
        for label in listed:
            meant |= leaves.get(label, frozenset({label})) if label is not None else {None}
        found = np.array([value in meant for value in self.texts])
        if len(listed) == 1 and text.endswith("*") and text not in leaves:
            stem = text.rstrip("*")
            found |= np.array([value is not None and value.startswith(stem) for value in self.texts])
        if len(listed) == 1 and self.numbers is not None:
            found |= self.numbers == number_of(text)
        return found

    def _between(self, low: str, high: str, *, half_open: bool) -> Bools:
        if self.order is not None:
            place = {label: rank for rank, label in enumerate(self.order)}
            ranks = np.array([place.get(text or "", -1) for text in self.texts])
            return (ranks >= place[low]) & (ranks <= place[high])
        assert self.numbers is not None, "a range of values that have no order"
        a, b = number_of(low), number_of(high)
        return (self.numbers >= a) & ((self.numbers < b) if half_open else (self.numbers <= b))


def texts(values: pl.Series) -> list[str | None]:
    """Every value as it is written."""
    if values.dtype.is_temporal():
        return [None if value is None else value.isoformat() for value in values.to_list()]
    return [None if value is None else str(value) for value in values.to_list()]


def as_numbers(values: pl.Series) -> Floats | None:
    """Numbers, or days since 1970; NaN where missing; None for text."""
    if not (values.dtype.is_numeric() or values.dtype.is_temporal()):
        return None
    return np.array([number_of(None if value is None else str(value)) for value in values.to_list()])


def number_of(text: str | None) -> float:
    """A number, or a day as days since 1970; NaN for anything else."""
    if text is None:
        return np.nan
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return (dt.datetime.fromisoformat(text) - EPOCH) / dt.timedelta(days=1)
    except ValueError:
        return np.nan


def numbers(columns: Sequence[Sequence[Any]], n_rows: int) -> Ints:
    """Rows that are equal in every column get the same number."""
    found: dict[tuple[Any, ...], int] = {}
    rows = zip(*columns, strict=True) if columns else [()] * n_rows
    return np.array([found.setdefault(row, len(found)) for row in rows], dtype=np.int64)


def leaves_of_file(text: str) -> dict[str, frozenset[str]]:
    """What every node of a hierarchy stands for; one line per value, `value,node,node above, ...`."""
    found: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        leaf, *nodes = line.split(";" if ";" in line else ",")
        for node in (leaf, *nodes):
            found.setdefault(node, set()).add(leaf)
    return {node: frozenset(below) for node, below in found.items()}
