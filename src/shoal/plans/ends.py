"""Exact comparison of a column's numbers and times with the ends of a plan's ranges.

Whole numbers and decimals are compared as such, floating-point numbers in their own type, and times in nanoseconds,
so that a range that ends at 2^53 does not contain the next whole number.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.publish.group_values import Ints

End = int | float | Decimal
"""An end of a range; all ends of one column are of types that compare exactly with each other."""

DAY = 86_400 * 10**9  # a day in nanoseconds
NANOSECONDS = {"ms": 10**6, "us": 10**3, "ns": 1}
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([+-]\d\d:\d\d)?)?")


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """The different values of a column in ascending order, and the index of every row's value among them.

    A missing value, or NaN, has the index after the last.
    """

    values: list[Any]
    codes: Ints

    @classmethod
    def of(cls, column: pl.Series) -> Exact:
        """Return the different values of a column and the index of every row's value."""
        present = column.is_not_null() & (column.is_not_nan() if column.dtype.is_float() else True)
        rows = np.flatnonzero(present.to_numpy())
        there = column.filter(present)
        if there.dtype.is_temporal():
            there = there.to_physical()
        if there.dtype.is_float() or (there.dtype.is_integer() and there.dtype != pl.Int128):
            different, places = np.unique(there.to_numpy(), return_inverse=True)
            values = different.tolist()
        else:
            cells = there.to_list()
            values = sorted(set(cells))
            place = {value: at for at, value in enumerate(values)}
            places = np.array([place[cell] for cell in cells], dtype=np.int64)
        codes = np.full(len(column), len(values), dtype=np.int64)
        codes[rows] = places.reshape(-1)
        return cls([value * _unit(column.dtype) for value in values], codes)


def end_of(name: str, text: str, dtype: pl.DataType) -> End:
    """Return an end of a range in the form in which it is compared with values of a type.

    Raise a ParameterError if the text is not a finite value of the type.
    """
    if dtype.is_temporal():
        return _nanoseconds(name, text, dtype)
    try:
        # an end is written with the fewest digits that identify it in the column's type, so it is read as that type
        found = float(np.float32(text)) if dtype == pl.Float32 else float(text) if dtype.is_float() else Decimal(text)
    except (ValueError, InvalidOperation):
        raise misfit(name) from None
    if found != found or abs(found) == float("inf"):
        raise misfit(name)
    return found


def _nanoseconds(name: str, text: str, dtype: pl.DataType) -> int:
    """Return nanoseconds since 1970 in UTC, or in local time if the column has no time zone."""
    found = _MOMENT.fullmatch(text)
    zone = getattr(dtype, "time_zone", None)
    timed = isinstance(dtype, pl.Datetime)
    if found is None or (found[2] is not None) != timed or (found[4] is not None) != (zone is not None):
        raise misfit(name)
    try:
        moment = dt.datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00:00'}{found[4] or '+00:00'}")
    except ValueError:
        raise misfit(name) from None
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return since.days * DAY + since.seconds * 10**9 + int((found[3] or "").ljust(9, "0"))


def typed(name: str, texts: list[str | None], dtype: pl.DataType) -> pl.Series:
    """Return ends in the column's type, in a wider type if that cannot represent all of them, or else as text."""
    series = pl.Series(name, texts, dtype=pl.String)
    if dtype.is_temporal():
        return _moments(name, texts, dtype)
    for fitting in (dtype, pl.Int64()) if dtype.is_integer() else (dtype,):
        found = series.cast(fitting, strict=False)
        if _equal(found, series):
            return found
    found = series.cast(pl.Float64, strict=False)
    return found if _equal(found, series) else series


def _equal(found: pl.Series, texts: pl.Series) -> bool:
    """Return whether every end is read back as the same number."""
    pairs = zip(found.cast(pl.String).to_list(), texts.to_list(), strict=True)
    return all(a is b is None or (a is not None and b is not None and Decimal(a) == Decimal(b)) for a, b in pairs)


def _moments(name: str, texts: list[str | None], dtype: pl.DataType) -> pl.Series:
    found = [None if text is None else _nanoseconds(name, text, dtype) for text in texts]
    unit = _unit(dtype)
    if any(at is not None and at % unit for at in found):
        dtype, unit = pl.Datetime("ns", getattr(dtype, "time_zone", None)), 1
    ticks = pl.Series(name, [None if at is None else at // unit for at in found], dtype=pl.Int64)
    return ticks.cast(pl.Int32).cast(dtype) if dtype == pl.Date else ticks.cast(dtype)


def _unit(dtype: pl.DataType) -> int:
    """Return how many comparison units one unit of the type is: nanoseconds for dates and times, else 1."""
    if isinstance(dtype, pl.Datetime):
        return NANOSECONDS[dtype.time_unit]
    return DAY if dtype == pl.Date else 1


def as_float(end: End, dtype: pl.DataType) -> float:
    """Return a number, or days since 1970 for dates and times."""
    return float(end) / DAY if dtype.is_temporal() else float(end)


def misfit(name: str) -> ParameterError:
    """Return the error for cells that do not suit the kind of a column."""
    return ParameterError(
        f"the plan's cells of column {name} do not fit its kind.", "give the plan that was made with this policy."
    )
