"""Checks that every table passes before Shoal works on it: column names, types, and the range of dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl
import polars.selectors as cs

from shoal.errors import SchemaError

_PLAIN = (pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Null)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The first of January of the year 1 and the last day of the year 9999, in days since 1970."""
_PER_DAY = {"ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""The number of milliseconds, microseconds and nanoseconds in a day."""
_NESTED_HINT = "turn it into columns of plain values, or leave it out."


def check_names(names: Sequence[str | None]) -> list[str]:
    """Return the names if they are distinct and not empty, and each stands for one column in a polars expression.

    Otherwise raise a `SchemaError`. (polars takes "*" and names of the form "^...$" for patterns.) A name with a NUL
    character is refused too: some programs would cut it off there, and others read it whole.
    """
    if not names:
        raise SchemaError("the table has no columns.", "a table needs at least one column.")
    unnamed = [place for place, name in enumerate(names, start=1) if not name]
    if unnamed:
        raise SchemaError(
            f"{counted(len(unnamed), 'column')} without a name; the first is column number {unnamed[0]}.",
            "name it, or remove it: it is often a row number written by another program.",
        )
    named = [name for name in names if name]
    cut = [place for place, name in enumerate(named, start=1) if "\0" in name]
    if cut:  # Arrow hands over names as texts that end at the first NUL
        raise SchemaError(
            f"{counted(len(cut), 'column')} with a NUL character in the name; the first is column number {cut[0]}.",
            "rename it; names are text, and no program shows such a character.",
        )
    twice = [name for name, times in Counter(named).items() if times > 1]
    if twice:
        raise SchemaError(f"column names used more than once: {listed(twice)}.", "give each column its own name.")
    patterns = [name for name in named if name == "*" or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise SchemaError(f"column names that polars reads as patterns: {listed(patterns)}.", "rename them.")
    return named


def checked(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the frame with types that Shoal supports, and notes for the user about what was changed.

    A column of an unsupported type, or with infinite numbers, raises a `SchemaError` that names it. NaN becomes null.
    -0.0 becomes 0.0: the two are one number, and their different spellings must not separate records.
    """
    check_names(frame.columns)
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype.is_temporal() or dtype in _PLAIN):
            raise refused(
                name, f"values of type {dtype.base_type()}"
            )  # the full type would show fields or categories
    check_times(frame)
    floats = frame.select(cs.float())
    infinite = _counts(floats.select(pl.all().is_infinite().sum()))
    for name, count in infinite.items():
        raise SchemaError(
            f"column {name!r} holds {counted(count, 'infinite number')}.",
            "replace them by a number or by a missing value.",
        )
    nan = _counts(floats.select(pl.all().is_nan().sum()))
    notes = tuple(f"column {name!r}: {count} NaN taken as missing." for name, count in nan.items())
    # a column without any value becomes text, and so do integers of 128 bits, which NumPy cannot hold
    as_text = [name for name, dtype in frame.schema.items() if str(dtype) in ("Null", "Int128", "UInt128")]
    plain = [pl.when(pl.col(name) == 0).then(0.0).otherwise(pl.col(name)).alias(name) for name in floats.columns]
    return frame.with_columns(plain).with_columns(cs.float().fill_nan(None), pl.col(as_text).cast(pl.String)), notes


def check_times(frame: pl.DataFrame) -> None:
    """Raise a `SchemaError` where a date is outside the years 1 to 9999 or a time is outside one day.

    Python's own dates end there, so that libraries fail when they write such values.
    """
    for column in frame.select(cs.date() | cs.datetime() | cs.time()).get_columns():
        dtype = column.dtype
        unit = dtype.time_unit if isinstance(dtype, pl.Datetime) else None
        per_day = 1 if unit is None else _PER_DAY[unit]
        # 64-bit nanoseconds only reach from 1677 to 2262, so their limits are those of the integer type
        low, high = max(_FIRST_DAY * per_day, -(2**63)), min((_LAST_DAY + 1) * per_day - 1, 2**63 - 1)
        if dtype == pl.Time:
            low, high = 0, _PER_DAY["ns"] - 1
        outside = int((~column.to_physical().cast(pl.Int64).is_between(low, high)).sum())
        if outside:
            what = "time" if dtype == pl.Time else "date"
            raise SchemaError(
                f"column {column.name!r} holds {counted(outside, what)} that no calendar has.",
                "replace them by a missing value: dates lie in the years 1 to 9999.",
            )


def refused(name: str, kind: str) -> SchemaError:
    """Return the error for a column whose values are of a type that Shoal does not support."""
    return SchemaError(f"column {name!r} holds {kind}, which cannot be anonymized.", _NESTED_HINT)


def listed(names: Sequence[str]) -> str:
    """Return the first ten names as a text, and how many more there are."""
    return ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _counts(row: pl.DataFrame) -> dict[str, int]:
    """Return the counts that are not 0, by column, from a frame of one row of counts."""
    return {name: count for name, count in row.row(0, named=True).items() if count} if row.width else {}


def counted(number: int, noun: str) -> str:
    """Return the number followed by its noun, which is in the plural unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
