"""Recoding numbers and dates before groups are made: values are rounded first, then limited by a top and a bottom.

Guarantee   A recoded value lies between bottom and top, and is a limit, a multiple of the step or the beginning of a
            period. Every value at or above the top becomes the top, so that nothing else is known of it; the same
            holds for the bottom. Missing values stay missing.
"""

from __future__ import annotations

from datetime import date
from decimal import ROUND_FLOOR, Decimal, localcontext

import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Column, Kind
from shoal.tables.periods import begin_of
from shoal.tables.text import text_of

_EXACT = 700  # decimal digits: more than the quotient of any two floating-point numbers has before its point


def check_limits(values: pl.Series, kind: Kind, column: Column) -> None:
    """Raise a `SchemaError` unless top, bottom and round fit the kind of the column and the type of its cells."""
    settings = {"top": column.top, "bottom": column.bottom, "round": column.round}
    for name, setting in settings.items():
        if setting is None:
            continue
        if kind not in ("number", "date"):
            raise SchemaError(
                f"column {values.name!r}: {name} is for numbers and dates; it is published as {kind}.",
                f"leave {name} out, give the column's kind, or merge labels (merge).",
            )
        if (kind == "date") != isinstance(setting, str | date):
            fits = ("a day, such as 1999-12-31", "a period, such as month") if kind == "date" else ("a number",) * 2
            raise SchemaError(
                f"column {values.name!r}: {name} does not fit its kind, {kind}.", f"give {fits[name == 'round']}."
            )
        if isinstance(setting, float) and values.dtype.is_integer() and setting != int(setting):
            raise SchemaError(
                f"column {values.name!r}: its cells are whole numbers, and {name} is not.", "give a whole number."
            )


def rounded(values: pl.Series, column: Column) -> pl.Series:
    """Return numbers rounded to the nearest multiple of the step, halves up, or dates to the start of a period."""
    values = _roomy(values, column)
    step = column.round
    if step is None:
        return values
    if isinstance(step, str):
        return begin_of(values, step)
    distinct = values.unique().drop_nulls()
    unit = Decimal(repr(step))
    with localcontext(prec=_EXACT):
        nearest = [
            (Decimal(text) / unit + Decimal("0.5")).to_integral_value(ROUND_FLOOR) * unit
            for text in text_of(distinct).to_list()
        ]
    if values.dtype.is_integer():
        room = pl.Int64 if all(-(2**63) <= one < 2**63 for one in nearest) else pl.Int128
        found = pl.Series([int(one) for one in nearest], dtype=room)
    else:
        found = pl.Series([float(one) for one in nearest], dtype=pl.Float64)
    return values.replace_strict(distinct, found, default=None, return_dtype=found.dtype).alias(values.name)


def limited(values: pl.Series, column: Column) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Return the values limited to bottom and top, and two masks: which are at the top, and which at the bottom."""
    if values.dtype.is_integer() and not _in_int64(column):
        values = values.cast(pl.Int128)  # rounded values may have a narrower type than the limits need
    cell = pl.lit(values)
    top, bottom = (_limit(limit, values.dtype) for limit in (column.top, column.bottom))
    at_top = (cell >= top) if top is not None else cell.is_null() & False
    at_bottom = (cell <= bottom) if bottom is not None else cell.is_null() & False
    new = cell
    if top is not None:
        new = pl.when(at_top).then(top).otherwise(new)
    if bottom is not None:
        new = pl.when(at_bottom).then(bottom).otherwise(new)
    found = pl.select(
        new.cast(values.dtype).alias(values.name), at_top.fill_null(value=False).alias("top"),
        at_bottom.fill_null(value=False).alias("bottom"),
    )  # fmt: skip
    return _in_64_bits(found[values.name]), found.to_series(1), found.to_series(2)


def _roomy(values: pl.Series, column: Column) -> pl.Series:
    """Return numbers in a type that can hold every limit that they may become; dates and times unchanged."""
    if values.dtype.is_integer():
        large = values.dtype in (pl.UInt64, pl.Int128) or not _in_int64(column)
        return values.cast(pl.Int128 if large else pl.Int64)
    return values.cast(pl.Float64) if values.dtype.is_numeric() else values


def _in_int64(column: Column) -> bool:
    """Return whether the limits of a column of whole numbers are signed numbers of 64 bits."""
    limits = [_whole(limit) for limit in (column.top, column.bottom) if isinstance(limit, float)]
    return all(-(2**63) <= one < 2**63 for one in limits)


def _in_64_bits(values: pl.Series) -> pl.Series:
    """Return whole numbers in a type of 64 bits, which is all that files and later steps hold."""
    if values.dtype != pl.Int128:
        return values
    for dtype in (pl.Int64, pl.UInt64):
        narrow = values.cast(dtype, strict=False)
        if narrow.null_count() == values.null_count():
            return narrow
    raise SchemaError(
        f"column {values.name!r}: recoding makes whole numbers of more than 64 bits.",
        "choose a top, a bottom and a step for round nearer to the values, or leave them out.",
    )


def _whole(limit: float) -> int:
    """Return the whole number that a limit is written as; from 2**53 it can differ from the double itself."""
    return int(Decimal(repr(limit)))


def _limit(limit: float | date | None, dtype: pl.DataType) -> pl.Expr | None:
    """Return a limit as a value of the column's type."""
    if limit is None:
        return None
    if not isinstance(limit, date):
        if not dtype.is_integer():
            return pl.lit(limit)
        room = pl.Int128 if dtype == pl.Int128 else pl.Int64
        return pl.lit(max(-(2**126), min(_whole(limit), 2**126)), dtype=room)  # beyond 64 bits all are refused alike
    if not isinstance(dtype, pl.Datetime):
        return pl.lit(limit)
    moment = pl.lit(limit).cast(pl.Datetime(dtype.time_unit))
    return moment if dtype.time_zone is None else moment.dt.replace_time_zone(dtype.time_zone)
