"""Default hierarchies for columns without one: intervals of round widths for numbers, periods for dates."""

from __future__ import annotations

import math

import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Hierarchy, Period, Policy
from shoal.policy.date_format import DateFormat
from shoal.policy.moving_dates import moving_units

FINEST = 32
"""About how many intervals of the finest width cover the range of a column."""
NUMBERS = ("number", "place")
PERIODS: tuple[Period, ...] = ("month", "quarter", "year", "decade")


def with_levels(policy: Policy, frame: pl.DataFrame) -> Policy:
    """Return the policy with a hierarchy for every quasi-identifier of numbers or dates; labels are not changed."""
    columns = dict(policy.columns)
    for name in policy.quasi:
        column = columns[name]
        source = None
        if column.kind in NUMBERS:
            source = Hierarchy(widths=round_widths(frame[name]))
        elif column.kind == "date":
            periods = periods_of(frame[name], column.date_format)
            if column.relative_to is not None:
                periods = moving_units(periods, column.relative_to)
            source = Hierarchy(periods=periods)
        if source is not None:
            columns[name] = column.model_copy(update={"kind": "hierarchy", "hierarchy": source})
    return policy.model_copy(update={"columns": columns})


def round_widths(values: pl.Series) -> tuple[float, ...]:
    """Return the widths of intervals, one per level: the finest is 1, 2 or 5 times a power of ten, then doubled.

    Doubling ends when one interval could hold all values.
    """
    numbers = values.cast(pl.Float64).drop_nulls()
    low, high = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
    assert isinstance(low, float)
    assert isinstance(high, float)
    span = high / FINEST - low / FINEST
    if not math.isfinite(high - low):
        raise SchemaError.endless_range(values.name)
    least = (
        2.0 if values.dtype.is_integer() else 0.0
    )  # an interval with a single whole number would publish that number
    finest = max(_round_up(span), least) if span > 0 else max(least, 1.0)
    widths = [finest]
    while widths[-1] / FINEST < span:
        widths.append(widths[-1] * 2)
    return tuple(widths)


def _round_up(width: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least `width`."""
    power = math.floor(math.log10(width))
    digit = next(d for d in (1, 2, 5, 10) if d * 10.0**power >= width * (1 - 1e-9))
    return float(f"{digit}e{power}")


def periods_of(values: pl.Series, form: DateFormat | None = None) -> tuple[Period, ...]:
    """Return months, quarters, years and decades; for a column of times also days.

    If the format has no month or day, periods finer than the format are left out.
    """
    if form is not None and form.resolution in ("quarter", "year"):
        return PERIODS[PERIODS.index(form.resolution) :]
    return ("day", *PERIODS) if isinstance(values.dtype, pl.Datetime) else PERIODS
