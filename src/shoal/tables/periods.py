"""The beginnings of the periods that dates lie in."""

from __future__ import annotations

import polars as pl

from shoal.policy.setting_types import Period

TRUNCATED: dict[Period, str] = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


def begin_of(values: pl.Series, period: Period) -> pl.Series:
    """Return the start of the period that each value is in."""
    if period == "decade":
        years = values.dt.truncate("1y")
        back = pl.Series(["0y" if year is None else f"-{year % 10}y" for year in years.dt.year().to_list()])
        return pl.select(pl.lit(years).dt.offset_by(pl.lit(back))).to_series().alias(values.name)
    return values.dt.truncate(TRUNCATED[period])
