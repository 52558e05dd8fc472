"""Writing the top and the bottom of a recoded column: `>=90` where a cell stands for 90 or more.

A range whose upper end is the top reads `[60, >=90]`. Only texts are marked: where ends or means are published as
numbers, the number 90 stands for 90 or more, as the certificate and the report say.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation

import polars as pl

from shoal.policy import Column
from shoal.tables.recoded import AT_LEAST, AT_MOST

_END = re.compile(r"[^\[\], ]+(?=[\],]|$| or missing$)")


def with_limits(published: pl.DataFrame, column: Column) -> pl.DataFrame:
    """Return the cells of the groups, in which texts of numbers and dates have their tops and bottoms marked."""
    if column.top is None and column.bottom is None:
        return published
    return pl.DataFrame([_marked(one, column) for one in published.get_columns()])


def _marked(cells: pl.Series, column: Column) -> pl.Series:
    if cells.dtype != pl.String:
        return cells
    distinct = cells.unique().drop_nulls()
    texts = [_END.sub(lambda end: _mark(end[0], column) + end[0], text) for text in distinct.to_list()]
    return cells.replace_strict(distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String)


def _mark(end: str, column: Column) -> str:
    """Return what is written before an end of a range, or before a value alone."""
    if _is(end, column.top):
        return AT_LEAST
    return AT_MOST if _is(end, column.bottom) else ""


def _is(end: str, limit: float | date | None) -> bool:
    """Return whether a text states the limit; a time states a day if it is the midnight at which the day begins."""
    if limit is None:
        return False
    if isinstance(limit, date):
        return (
            re.fullmatch(rf"{limit.isoformat()}(?:T00:00:00(?:\.0+)?(?:[+-][0-9]{{2}}:[0-9]{{2}})?)?", end)
            is not None
        )
    try:
        return Decimal(end) == Decimal(repr(limit))
    except InvalidOperation:
        return False
