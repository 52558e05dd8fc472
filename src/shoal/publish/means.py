"""Means of groups, published in the type of their column.

The mean of whole numbers is rounded to a whole number, that of decimals to as many decimals as the released cells
have, that of dates down to a day, that of times down to the coarsest unit that all released times share. A mean then
looks like the cells it stands for, and its digits say no more about the people of a group than a cell does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.publish.group_values import Floats, Ints

MOST_DECIMALS = 12
"""Cells with more decimals than this have all digits of floating point; their means are not rounded."""
UNITS = ("1d", "1h", "1m", "1s", "1ms")


def exact_means(values: pl.Series, labels: Ints, n_groups: int) -> tuple[Floats, Any]:
    """Return the mean of every group as floating point, NaN for one without values, and what was taken off first.

    Cells are added in the order of their values, so that the last digits depend neither on the order of rows nor on
    threads. Dates and times are counted from the earliest one, because sums of differences lose no digits.
    """
    present = np.flatnonzero(values.is_not_null().to_numpy())
    kept = values[present]
    first: Any = 0
    if values.dtype.is_temporal():
        kept = kept.to_physical().cast(pl.Int64)
        first = kept.min() or 0
        kept -= first
    numbers, groups = kept.cast(pl.Float64).to_numpy(), labels[present]
    order = np.lexsort((numbers, groups))
    cells = np.bincount(groups, minlength=n_groups)
    filled = cells > 0
    starts, sizes = (np.cumsum(cells) - cells)[filled], cells[filled]
    means = np.full(n_groups, np.nan)
    if len(starts):
        with np.errstate(over="ignore"):
            total = np.add.reduceat(numbers[order], starts) / sizes
        parts = np.add.reduceat(numbers[order] / np.repeat(sizes, sizes), starts)
        means[filled] = np.where(np.isfinite(total), total, parts)  # a sum of huge numbers may exceed floating point
    return means, first


def in_type(means: Floats, first: Any, values: pl.Series, low: pl.Series, high: pl.Series) -> pl.Series:
    """Return the means in the type of `values`; each stays between the ends of its group, `low` and `high`."""
    result = pl.Series(means).fill_nan(None)
    dtype = values.dtype
    if dtype.is_temporal():
        moved: pl.Series = result.floor().cast(pl.Int64) + first
        moments = moved.cast(values.to_physical().dtype).cast(dtype)
        unit = _unit(values)
        return moments if unit is None else moments.dt.truncate(unit)
    if dtype.is_float():
        decimals = _decimals(values.cast(pl.Float64))
        rounded = result if decimals is None else result.round(decimals)
        return rounded.cast(dtype)
    rounded = result.round(dtype.scale) if isinstance(dtype, pl.Decimal) else pl.Series(np.rint(means)).fill_nan(None)
    # an end that floating point cannot hold is taken from the cells: the largest whole number would overflow
    table = pl.DataFrame({"mean": rounded, "low": low, "high": high})
    inside = pl.col("mean").cast(dtype, strict=False)
    above, below = pl.col("mean") >= pl.col("high").cast(pl.Float64), pl.col("mean") <= pl.col("low").cast(pl.Float64)
    return table.select(pl.when(above).then("high").when(below).then("low").otherwise(inside)).to_series()


def _unit(values: pl.Series) -> str | None:
    """Return the coarsest unit that all times share; None for dates, and for times finer than a millisecond."""
    if values.dtype == pl.Date:
        return None
    return next((unit for unit in UNITS if (values.dt.truncate(unit) == values).all()), None)


def _decimals(values: pl.Series) -> int | None:
    """Return the number of decimals of the cell that has the most; None if it has more than `MOST_DECIMALS`."""
    present = values.drop_nulls().unique()
    for decimals in range(MOST_DECIMALS + 1):
        present = present.filter(present.round(decimals) != present)
        if present.is_empty():
            return decimals
    return None
