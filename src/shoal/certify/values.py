"""Sensitive texts of a release as the values that l and t speak of: themselves, bins, or places in an order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.policy import Column

Ints = npt.NDArray[np.int64]


class UnreadableError(Exception):
    """Some texts are no values of their column; `texts` are they."""

    def __init__(self, texts: pl.Series, expected: str) -> None:
        super().__init__(expected)
        self.texts, self.expected = texts, expected


def values_of(texts: pl.Series, column: Column, *, ordered: bool) -> pl.DataFrame:
    """`text` and `value` for the distinct texts of a column, a missing one last; values ascend where it matters.

    A cut point of `bins` belongs to the bin above it. -0.0 is 0.0. Without bins or an order, ordered values are
    numbers, or dates and times as ISO writes them.
    """
    distinct = texts.unique().drop_nulls().sort()
    if column.bins is not None:
        inside = np.searchsorted(np.asarray(column.bins), _numbers(distinct).to_numpy(), side="right")
        value = pl.Series(inside)
    elif column.order is not None:
        value = distinct.replace_strict(column.order, range(len(column.order)), default=None, return_dtype=pl.Int64)
        if value.null_count():
            raise UnreadableError(distinct.filter(value.is_null()), "in its order")
    elif ordered:
        value = (_numbers(distinct) if not _dates(distinct) else distinct).rank("dense")
    else:
        value = distinct.replace("-0.0", "0.0").rank("dense")
    value = value.cast(pl.Int64)
    highest = value.max()
    missing = (int(highest) if isinstance(highest, int) else 0) + 1
    return pl.DataFrame({"text": distinct, "value": value}, schema_overrides={"text": pl.String}).vstack(
        pl.DataFrame({"text": [None], "value": [missing]}, schema={"text": pl.String, "value": pl.Int64})
    )


def _dates(distinct: pl.Series) -> bool:
    """ISO dates, moments and times: their texts sort as they do."""
    return bool(len(distinct)) and bool(distinct.str.contains(r"^(\d{4}-\d{2}-\d{2}(T|$)|\d{2}:\d{2}:)").all())


def _numbers(distinct: pl.Series) -> pl.Series:
    """Whole numbers exactly; a decimal comma is allowed."""
    with_point = distinct.str.replace(",", ".", literal=True)
    for number in (distinct.cast(pl.Int64, strict=False), with_point.cast(pl.Float64, strict=False)):
        if not number.null_count():
            return number
    raise UnreadableError(distinct.filter(number.is_null()), "a number")
