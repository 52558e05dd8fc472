"""How values of each type are written as text; the same in a CSV file and when a Parquet file is read back."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

_TIME = "%H:%M:%S%.f"
_MOMENT = f"%Y-%m-%dT{_TIME}"


def text_of(values: pl.Series) -> pl.Series:
    """Return a column as text, so that a value is spelled alike alone, in a set and as a leaf of a hierarchy."""
    return as_written(values.to_frame()).to_series()


def as_written(frame: pl.DataFrame, decimal: str = ".") -> pl.DataFrame:
    """Return every column as text: dates, times and durations in ISO 8601, numbers with the fewest digits that
    identify them.
    """
    numbers = (cs.float() | cs.decimal()).as_expr().cast(pl.String)
    return frame.with_columns(
        numbers if decimal == "." else numbers.str.replace(".", decimal, literal=True),
        cs.datetime(time_zone=None).dt.to_string(_MOMENT),
        cs.datetime(time_zone="*").dt.to_string(_MOMENT + "%:z"),
        cs.time().dt.to_string(_TIME),  # a cast to text would drop fractions of a second
        cs.duration().dt.to_string("iso"),
    ).with_columns((~cs.string()).as_expr().cast(pl.String))
