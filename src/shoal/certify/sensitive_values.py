"""Map the sensitive texts of a released table to the values that l-diversity and t-closeness count.

A value is the text itself, the bin that its number falls into, or its position in an order.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.spelling import meanings
from shoal.policy import Column

Ints = npt.NDArray[np.int64]


class UnreadableError(Exception):
    """Some texts, listed in `texts`, are not valid values of their column; `expected` says what they should be."""

    def __init__(self, texts: pl.Series, expected: str) -> None:
        super().__init__(expected)
        self.texts, self.expected = texts, expected


def values_of(texts: pl.Series, column: Column, *, ordered: bool, leaves: bool = False) -> pl.DataFrame:
    """Return a frame with every distinct text of a column and the integer that is its value; null is the last row.

    Texts that state the same number or instant have one value, and blank texts and NaN count as missing (see
    `shoal.certify.spelling`). This stops a table that looks diverse because one value is spelled in several ways. The
    exceptions are a column with an order in the policy, whose texts must be those listed, and the `leaves` of a
    hierarchy: there every text is a value of its own. With `bins`, the value is the number of the bin, and a cut
    point belongs to the bin above it. With `ordered`, values ascend; without bins or an order in the policy, the
    texts must then be numbers, or dates and times in ISO format. An UnreadableError lists texts that are not.
    """
    distinct = texts.unique().drop_nulls().sort()
    if column.order is not None and column.bins is None:
        value = distinct.replace_strict(column.order, range(len(column.order)), default=None, return_dtype=pl.Int64)
        if value.null_count():
            raise UnreadableError(distinct.filter(value.is_null()), "in its order")
    elif leaves:
        value = distinct.rank("dense")
    else:
        meant = meanings(distinct)
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
    """Return whether all texts are ISO dates or times, so that sorting their keys as text sorts them by time."""
    there = meant.filter(~pl.col("missing"))["bare"]
    return bool(len(there)) and bool(there.str.contains(r"^(\d{4}-\d{2}-\d{2}([T ]|$)|\d{2}:\d{2}:)").all())


def _in_order(meant: pl.DataFrame, distinct: pl.Series) -> pl.Series:
    """Return the rank of every number.

    Where two different numbers are equal as floats, since they differ only after about sixteen digits, all numbers
    are ranked by their exact decimal values.
    """
    numbers, there = pl.Series(_numbers(meant, distinct)), pl.Series(~meant["missing"])
    if numbers.filter(there).n_unique() == meant["key"].filter(there).n_unique():
        return numbers.rank("dense")
    texts = meant["bare"].str.replace(",", ".", literal=True).to_list()
    try:
        exact = [Decimal(text) if is_there else None for text, is_there in zip(texts, there, strict=True)]
    except InvalidOperation:  # the exponent is beyond what Decimal can hold
        raise UnreadableError(distinct.filter(there), "a number") from None
    place = {number: rank for rank, number in enumerate(sorted({one for one in exact if one is not None}), start=1)}
    return pl.Series([None if one is None else place[one] for one in exact], dtype=pl.UInt32)


def _numbers(meant: pl.DataFrame, distinct: pl.Series) -> npt.NDArray[Any]:
    """Return all texts as numbers: as integers if all are whole, else as floats.

    Missing texts become 0, and the caller replaces them. An UnreadableError lists texts that are not finite numbers.
    """
    there = pl.Series(~meant["missing"])
    whole = meant["bare"].cast(pl.Int64, strict=False)
    number = whole if not (whole.is_null() & there).any() else meant["number"]
    bad = (number.is_null() | number.cast(pl.Float64).is_infinite()) & there
    if bad.any():
        raise UnreadableError(distinct.filter(bad), "a number")
    return pl.select(pl.when(there).then(number).otherwise(0)).to_series().to_numpy()
