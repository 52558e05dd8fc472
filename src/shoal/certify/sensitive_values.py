"""Sensitive texts of a release as the values that l and t speak of: themselves, bins, or places in an order."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.spelling import said
from shoal.policy import Column

Ints = npt.NDArray[np.int64]


class UnreadableError(Exception):
    """Some texts are no values of their column; `texts` are they."""

    def __init__(self, texts: pl.Series, expected: str) -> None:
        super().__init__(expected)
        self.texts, self.expected = texts, expected


def values_of(texts: pl.Series, column: Column, *, ordered: bool, leaves: bool = False) -> pl.DataFrame:
    """`text` and `value` for the distinct texts of a column, a missing one last; values ascend where it matters.

    Texts that say the same number or instant have one value, and what is blank or NaN is missing: see
    `shoal.certify.spelling`. With an order, or as `leaves` of a hierarchy, texts are what is listed there. A cut
    point of `bins` belongs to the bin above it. Without bins or an order, ordered values are numbers, or dates and
    times as ISO writes them.
    """
    distinct = texts.unique().drop_nulls().sort()
    if column.order is not None and column.bins is None:
        value = distinct.replace_strict(column.order, range(len(column.order)), default=None, return_dtype=pl.Int64)
        if value.null_count():
            raise UnreadableError(distinct.filter(value.is_null()), "in its order")
    elif leaves:
        value = distinct.rank("dense")
    else:
        meant = said(distinct)
        there = pl.Series(~meant["missing"])
        if column.bins is not None:
            found = pl.Series(np.searchsorted(np.asarray(column.bins), _numbers(meant, distinct), side="right"))
        elif ordered:
            found = meant["key"].rank("dense") if _are_dates(meant) else _in_order(meant, distinct)
        else:
            found = meant["key"].rank("dense")
        value = pl.select(pl.when(there).then(found)).to_series()
    value = value.cast(pl.Int64)
    highest = value.max()
    missing = (int(highest) if isinstance(highest, int) else 0) + 1
    return pl.DataFrame(
        {"text": distinct, "value": value.fill_null(missing)}, schema_overrides={"text": pl.String}
    ).vstack(pl.DataFrame({"text": [None], "value": [missing]}, schema={"text": pl.String, "value": pl.Int64}))


def _are_dates(meant: pl.DataFrame) -> bool:
    """ISO dates, moments and times: their texts, or those of their instants, sort as they do."""
    there = meant.filter(~pl.col("missing"))["bare"]
    return bool(len(there)) and bool(there.str.contains(r"^(\d{4}-\d{2}-\d{2}([T ]|$)|\d{2}:\d{2}:)").all())


def _in_order(meant: pl.DataFrame, distinct: pl.Series) -> pl.Series:
    """The place of every number among all: two numbers that one float stands for are still two."""
    numbers, there = pl.Series(_numbers(meant, distinct)), pl.Series(~meant["missing"])
    if numbers.filter(there).n_unique() == meant["key"].filter(there).n_unique():
        return numbers.rank("dense")
    texts = meant["bare"].str.replace(",", ".", literal=True).to_list()
    try:
        exact = [Decimal(text) if is_there else None for text, is_there in zip(texts, there, strict=True)]
    except InvalidOperation:  # an exponent without end
        raise UnreadableError(distinct.filter(there), "a number") from None
    place = {number: rank for rank, number in enumerate(sorted({one for one in exact if one is not None}), start=1)}
    return pl.Series([None if one is None else place[one] for one in exact], dtype=pl.UInt32)


def _numbers(meant: pl.DataFrame, distinct: pl.Series) -> npt.NDArray[Any]:
    """Whole numbers exactly; what is missing stands for 0 and is set apart by the caller."""
    there = pl.Series(~meant["missing"])
    whole = meant["bare"].cast(pl.Int64, strict=False)
    number = whole if not (whole.is_null() & there).any() else meant["number"]
    bad = (number.is_null() | number.cast(pl.Float64).is_infinite()) & there
    if bad.any():
        raise UnreadableError(distinct.filter(bad), "a number")
    return pl.select(pl.when(there).then(number).otherwise(0)).to_series().to_numpy()
