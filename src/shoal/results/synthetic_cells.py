"""What a released cell leaves open, as something to draw from: steps of a grid, or a list of labels.

Everything is read from the text of the released cells, as any reader could, so that what is drawn depends on the
release alone. Numbers are drawn with as many decimals as the ends of the column's ranges have, dates by the day.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.codebook.kinds import HIDDEN, OR_MISSING, RANGE
from shoal.policy import Column
from shoal.publish.date_cells import in_format
from shoal.tables.text import as_written

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MOST_DECIMALS = 15
"""A double has no more decimal digits than these."""
EXACT = 2.0**53
"""Below this all whole numbers are doubles."""
ROUNDS = 25
"""How often the frequencies of labels are estimated anew. They change little after a few rounds; rare labels of large
sets would go to 0 after very many."""
_SECOND = 1_000_000
_DIGITS = Context(prec=2000)
_TRUNCATED = {"year": "1y", "quarter": "1q", "month": "1mo", "hour": "1h", "minute": "1m"}


_FLAGS = ("may_be_missing", "is_missing", "hidden")


@dataclass(frozen=True, slots=True, eq=False)
class Cells(ABC):
    """The cells of one quasi-identifier, row by row: whether a value may be missing, must be, or may be anything."""

    name: str
    may_be_missing: Bools
    is_missing: Bools
    hidden: Bools
    """Cells that are `*`: they say nothing, so the cell of another row is drawn in their place."""
    by_row: ClassVar[tuple[str, ...]] = ()
    """What else has an element for every row."""

    @abstractmethod
    def draw(self, u: Floats, rows: Ints) -> pl.Series:
        """Return a value for each row from the cell of `rows` at the same place; `u` is uniform in [0, 1)."""

    def of_rows(self, rows: Ints) -> Self:
        """Return the cells at these places, in this order; some may be taken several times."""
        return replace(self, **{part: getattr(self, part)[rows] for part in (*_FLAGS, *self.by_row)})


@dataclass(frozen=True, slots=True, eq=False)
class GridCells(Cells):
    """Numbers, dates or places of an order: every cell is a range of whole numbers of steps, ends included."""

    by_row: ClassVar[tuple[str, ...]] = ("low", "high")
    low: Ints
    high: Ints
    kind: Literal["number", "day", "moment", "label"]
    decimals: int = 0
    ticks: int = 1
    """Of moments: the microseconds of a step."""
    zone: str | None = None
    labels: tuple[str, ...] = ()
    turn: int = 0
    """Of longitudes in ranges across the date line: the steps of a whole turn, 0 if there is none."""

    @property
    def middle(self) -> Floats:
        """The middle of each range; NaN if the value is missing or hidden."""
        center = (self.low + self.high) / 2
        center[self.is_missing | self.hidden] = np.nan
        return center

    def draw(self, u: Floats, rows: Ints) -> pl.Series:
        low = self.low[rows]
        width = (self.high[rows] - low + 1).astype(np.float64)
        steps = low + np.minimum(np.floor(u * width), width - 1).astype(np.int64)
        if self.kind == "label":
            return pl.Series(self.name, np.array(self.labels, dtype=object)[steps].tolist(), dtype=pl.String)
        if self.kind == "day":
            return pl.Series(self.name, steps).cast(pl.Int32).cast(pl.Date)
        if self.kind == "moment":
            moments = pl.Series(self.name, steps * self.ticks).cast(pl.Datetime("us"))
            return moments if self.zone is None else moments.dt.replace_time_zone(self.zone)
        steps = np.where(steps > self.turn // 2, steps - self.turn, steps) if self.turn else steps
        if not self.decimals:
            return pl.Series(self.name, steps)
        return pl.Series(self.name, steps / 10**self.decimals)


@dataclass(frozen=True, slots=True, eq=False)
class WideCells(Cells):
    """Numbers too large or too fine for steps of 64 bits: every cell is a range of whole numbers of any size."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    decimals: int

    def of_rows(self, rows: Ints) -> Self:
        found: dict[str, Any] = {part: getattr(self, part)[rows] for part in _FLAGS}
        for part, ends in (("low", self.low), ("high", self.high)):
            found[part] = tuple(ends[row] for row in rows.tolist())
        return replace(self, **found)

    @property
    def middle(self) -> Floats:
        """The middle of each range; NaN if the value is missing or hidden."""
        center = np.array(
            [float(Decimal(a + b).scaleb(-self.decimals) / 2) for a, b in zip(self.low, self.high, strict=True)]
        )
        center[self.is_missing | self.hidden] = np.nan
        return center

    def draw(self, u: Floats, rows: Ints) -> pl.Series:
        found = []
        for part, row in zip((u * 2.0**53).astype(np.int64).tolist(), rows.tolist(), strict=True):
            steps = self.low[row] + (part * (self.high[row] - self.low[row] + 1) >> 53)
            found.append(f"{Decimal(steps).scaleb(-self.decimals, _DIGITS):f}")
        return pl.Series(self.name, found, dtype=pl.String)


@dataclass(frozen=True, slots=True, eq=False)
class LabelCells(Cells):
    """Labels: the codes of row i are those of its different cell `cell[i]`, drawn by the estimated frequencies."""

    by_row: ClassVar[tuple[str, ...]] = ("cell",)
    labels: tuple[str, ...]
    cell: Ints
    start: Ints
    members: Ints

    def draw(self, u: Floats, rows: Ints) -> pl.Series:
        share = frequencies(len(self.labels), self.cell[~(self.is_missing | self.hidden)], self.start, self.members)
        cell = self.cell[rows]
        codes = np.zeros(len(rows), dtype=np.int64)
        for one in np.unique(cell).tolist():
            inside = self.members[self.start[one] : self.start[one + 1]]
            if len(inside):
                at = np.flatnonzero(cell == one) if len(inside) > 1 else cell == one
                below = np.cumsum(share[inside])
                codes[at] = inside[np.searchsorted(below[:-1] / below[-1], u[at], side="right")]
        return pl.Series(self.name, np.array([*self.labels, None], dtype=object)[codes].tolist(), dtype=pl.String)


def frequencies(n_labels: int, cell: Ints, start: Ints, members: Ints) -> Floats:
    """Return the estimated frequency of each label, given sets of labels one of which is true: all above 0.

    This is the EM algorithm from equal frequencies: every row counts for the labels of its set in proportion to what
    they had. A label that is in a released set was there at least once, so none goes below one row.
    """
    times = np.bincount(cell, minlength=len(start) - 1).astype(np.float64)
    sizes = np.diff(start)
    of_cell = np.repeat(np.arange(len(sizes)), sizes)
    share = np.full(n_labels, 1.0 / max(n_labels, 1))
    least = 1.0 / max(times.sum(), 1.0)
    for _ in range(ROUNDS):
        total = np.bincount(of_cell, weights=share[members], minlength=len(sizes))
        counted = np.bincount(members, weights=(times / np.maximum(total, least))[of_cell] * share[members],
                              minlength=n_labels)  # fmt: skip
        share = np.maximum(counted * least, least)
    return share


def label_cells(name: str, labels: pl.Series, missing: pl.Series) -> LabelCells:
    """Return the cells of lists of labels, as `shoal.read_release` has them; a list is null if a cell is hidden."""
    texts = pl.Series([None if one is None else tuple(one) for one in labels.to_list()], dtype=pl.Object)
    distinct: dict[object, int] = {}
    cell = np.array([distinct.setdefault(one, len(distinct)) for one in texts.to_list()], dtype=np.int64)
    known = sorted({label for one in distinct for label in (one or ())})  # type: ignore[attr-defined]
    place = {label: code for code, label in enumerate(known)}
    sets = [np.array([place[label] for label in (one or ())], dtype=np.int64) for one in distinct]  # type: ignore[attr-defined]
    empty = np.array([one is not None and not len(one) for one in texts.to_list()], dtype=bool)
    return LabelCells(
        name=name,
        may_be_missing=_flags(missing),
        is_missing=empty,
        hidden=labels.is_null().to_numpy(),
        labels=tuple(known),
        cell=cell,
        start=np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64),
        members=np.concatenate([np.zeros(0, dtype=np.int64), *sets]),
    )


def order_cells(name: str, low: pl.Series, high: pl.Series, missing: pl.Series, order: Sequence[str]) -> GridCells:
    """Return the cells of values with an order, of which the lowest and the highest are known."""
    place = {label: code for code, label in enumerate(order)}
    ends = [np.array([place.get(one, -1) for one in end.to_list()], dtype=np.int64) for end in (low, high)]
    none = low.is_null().to_numpy()
    hidden = none & missing.is_null().to_numpy()
    return GridCells(name, _flags(missing), none & ~hidden, hidden, ends[0], ends[1], "label", labels=tuple(order))


def interval_cells(
    name: str,
    low: pl.Series,
    high: pl.Series,
    missing: pl.Series,
    opened: pl.Series | None,
    ends: tuple[list[str | None], list[str | None]],
) -> GridCells | WideCells:
    """Return the cells of numbers and dates with both ends; the upper end is excluded where `opened` is true.

    `ends` are both ends as texts with plain numbers: they have the decimals that are drawn.
    """
    none = low.is_null().to_numpy()
    hidden = none & missing.is_null().to_numpy()
    flags: dict[str, Any] = {
        "name": name, "may_be_missing": _flags(missing), "is_missing": none & ~hidden, "hidden": hidden,
    }  # fmt: skip
    if low.dtype == pl.Date:
        days = [end.cast(pl.Int32).cast(pl.Int64).fill_null(0).to_numpy() for end in (low, high)]
        return GridCells(**flags, low=days[0], high=days[1], kind="day")
    if isinstance(low.dtype, pl.Datetime):
        ticks = [end.dt.replace_time_zone(None).cast(pl.Int64).fill_null(0).to_numpy() for end in (low, high)]
        step = _SECOND if not np.any(ticks[0] % _SECOND) else 1
        last = ticks[1] - (ticks[1] - ticks[0]) % step
        zone = low.dtype.time_zone
        return GridCells(**flags, low=ticks[0] // step, high=last // step, kind="moment", ticks=step, zone=zone)
    excluded = np.zeros(len(none), dtype=np.int64) if opened is None else _flags(opened).astype(np.int64)
    exact = [[Decimal(0) if text is None else Decimal(text.replace(",", ".")) for text in end] for end in ends]
    different = {number for end in exact for number in end}
    decimals = max((-int(number.as_tuple().exponent) for number in different), default=0)
    decimals = max(decimals, 0)
    steps = {number: int(number.scaleb(decimals, _DIGITS)) for number in different}
    lows, highs = ([steps[number] for number in end] for end in exact)
    if max(map(abs, steps.values()), default=0) >= EXACT or decimals > MOST_DECIMALS:
        wide = [max(a, b - c) for a, b, c in zip(lows, highs, excluded.tolist(), strict=True)]
        return WideCells(**flags, low=tuple(lows), high=tuple(wide), decimals=decimals)
    first, last = np.array(lows, dtype=np.int64), np.array(highs, dtype=np.int64)
    across = last < first  # only longitudes have such ranges: from the first end over the date line to the last
    turn = 360 * 10**decimals if across.any() else 0
    above = np.where(across, last + turn, np.maximum(last - excluded, first))
    return GridCells(**flags, low=first, high=above, kind="number", decimals=decimals, turn=turn)


def ends_of(cells: pl.Series) -> tuple[list[str | None], list[str | None]]:
    """Return both ends of the texts of ranges; null for a cell that is missing, hidden or no number."""
    read: dict[str | None, tuple[str | None, str | None]] = {None: (None, None), HIDDEN: (None, None)}
    for text in cells.unique().drop_nulls().to_list():
        bare = text.removesuffix(OR_MISSING)
        found = RANGE.fullmatch(bare)
        read.setdefault(text, (found[1], found[2]) if found else (bare, bare))
    pairs = [read[text] for text in cells.to_list()]
    return [low for low, _ in pairs], [high for _, high in pairs]


def _flags(column: pl.Series) -> Bools:
    return column.fill_null(value=False).to_numpy().astype(bool)


def as_released(values: pl.Series, column: Column, *, marked: bool) -> pl.Series:
    """Return drawn values as a release writes them: in the column's format, with tops and bottoms marked."""
    form = column.date_format
    if form is not None and values.dtype.is_temporal() and form.resolution in _TRUNCATED:
        values = values.dt.truncate(_TRUNCATED[form.resolution])
    if marked and (column.top is not None or column.bottom is not None):
        values = as_written(values.to_frame()).to_series()
    return in_format(values.to_frame(), column).to_series()
