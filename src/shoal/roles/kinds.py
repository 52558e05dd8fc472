"""The kind of a column (number, date, label ...): which kinds fit its type, and reading text as numbers or dates.

Text is read as numbers if every cell is a finite number, and as dates by the format that the policy states; without
one, if every cell is an ISO 8601 date or time in one form. Nothing is guessed: `03/04/2020` has two readings, and
stays text unless the policy says which is meant.
"""

from __future__ import annotations

import polars as pl

from shoal.policy import Column, Kind
from shoal.policy.date_format import DateFormat
from shoal.tables.date_text import read_dates

ISO_DATE = "%Y-%m-%d"
ISO_TIMES = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M")


def type_of(dtype: pl.DataType) -> str:
    """Return the type of a column in words for the user."""
    if dtype.is_integer():
        return "whole number"
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, pl.Date):
        return "date"
    if isinstance(dtype, pl.Datetime):
        return "date and time"
    if isinstance(dtype, pl.Boolean):
        return "true or false"
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return "text"
    if isinstance(dtype, pl.Null):
        return "empty"
    return str(dtype.base_type()).lower()


def kind_of(dtype: pl.DataType) -> Kind | None:
    """Return the kind that columns of a type have by default; None for a type without a distance."""
    kinds: dict[str, Kind] = {
        "whole number": "number",
        "number": "number",
        "date": "date",
        "date and time": "date",
        "true or false": "label",
        "text": "label",
        "empty": "label",
    }
    return kinds.get(type_of(dtype))


def is_text(dtype: pl.DataType) -> bool:
    return type_of(dtype) == "text"


def measured_as(column: Column) -> Kind | None:
    """Return how cells are read: as numbers for a hierarchy of widths, as dates for one of periods, else by kind."""
    source = column.hierarchy
    if column.kind == "hierarchy" and source is not None and source.widths is not None:
        return "number"
    if column.kind == "hierarchy" and source is not None and source.periods is not None:
        return "date"
    return column.kind


def as_kind(values: pl.Series, kind: Kind | None, form: DateFormat | None = None) -> pl.Series:
    """Return text as numbers or dates, with a missing value for cells that are neither; other columns unchanged.

    With the format of a column of dates, whole numbers are read as dates too.
    """
    if kind == "date" and form is not None:
        return read_dates(values, form)
    if kind not in ("number", "place", "date") or not is_text(values.dtype):
        return values
    text = values.cast(pl.String).str.strip_chars()
    if kind != "date":
        numbers = text.cast(pl.Float64, strict=False)
        return pl.select(pl.when(numbers.is_finite()).then(numbers).alias(values.name)).to_series()
    readings = [text.str.to_date(ISO_DATE, strict=False)]
    readings += [text.str.to_datetime(stamp, strict=False, time_unit="us") for stamp in ISO_TIMES]
    return min(readings, key=pl.Series.null_count)


def misfits(values: pl.Series, kind: Kind, form: DateFormat | None = None) -> int:
    """Return how many cells of a column are not of `kind`; missing cells do not count.

    In a column of dates with a format, blank cells are missing.
    """
    blank = 0
    if kind == "date" and form is not None and is_text(values.dtype):
        blank = int((values.cast(pl.String).str.strip_chars() == "").sum())
    return as_kind(values, kind, form).null_count() - values.null_count() - blank
