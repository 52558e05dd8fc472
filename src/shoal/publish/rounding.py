"""Rounding the ends of ranges outwards: to multiples of a number, or for dates to the start of a period.

The exact end of a range is the value of some member, such as the oldest person's age; a rounded end need not be. A
range whose ends are already multiples is not changed.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import polars as pl

from shoal.policy import Period
from shoal.tables.periods import TRUNCATED, begin_of
from shoal.tables.text import text_of

EXACT = 700
"""Decimal digits of precision; the quotient of any two floating-point numbers has fewer before its point."""


def outwards(low: pl.Series, high: pl.Series, step: float | Period) -> tuple[pl.Series, pl.Series]:
    """Return lower ends rounded down and upper ends rounded up to multiples of `step`; missing stays missing."""
    if isinstance(step, str):
        return begin_of(low, step), _next(high, step)
    return _multiple(low, step, ROUND_FLOOR), _multiple(high, step, ROUND_CEILING)


def _multiple(values: pl.Series, step: float, rounding: str) -> pl.Series:
    """Return the values rounded to multiples of `step`, computed in decimals, in a type that can hold the result."""
    unit = Decimal(repr(float(step))).normalize()
    with localcontext(prec=EXACT, rounding=rounding):
        found = [
            None if text is None else (Decimal(text) / unit).to_integral_value(rounding) * unit
            for text in text_of(values).to_list()
        ]
    if values.dtype.is_float():
        # conversion to the nearest float keeps the order, so the end stays outside the values
        return pl.Series(values.name, [None if one is None else float(one) for one in found], dtype=values.dtype)
    if values.dtype.is_integer():
        whole = [None if one is None else int(one) for one in found]
        room = pl.Int64 if all(one is None or -(2**63) <= one < 2**63 for one in whole) else pl.Int128
        return pl.Series(values.name, whole, dtype=room)
    exponent = unit.as_tuple().exponent
    digits = max(getattr(values.dtype, "scale", 0), -exponent if isinstance(exponent, int) else 0, 0)
    return pl.Series(values.name, found, dtype=pl.Decimal(38, digits))


def _next(values: pl.Series, period: Period) -> pl.Series:
    """Return the first start of a period at or after each value."""
    begin = begin_of(values, period)
    after = begin.dt.offset_by("10y" if period == "decade" else TRUNCATED[period])
    return pl.select(pl.when(begin == values).then(begin).otherwise(after)).to_series().alias(values.name)
