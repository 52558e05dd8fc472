"""Writing published dates in the format of their column.

Groups, plans and measures have dates as dates, or as texts of ISO 8601; only the released table has them as the owner
of the table writes them. Two different cells stay different: what is published is as coarse as the format.
"""

from __future__ import annotations

import json
import re

import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Column
from shoal.policy.date_format import DateFormat
from shoal.publish.limits import with_limits
from shoal.publish.number_cells import in_number_format
from shoal.tables.date_text import read_dates, write_dates
from shoal.tables.recoded import AT_LEAST, AT_MOST

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = re.compile(rf"{_DAY}T[0-9:.]+(?:[+-][0-9]{{2}}:[0-9]{{2}})?")
_DATE = re.compile(rf"{_DAY}(?!T)")
_STAMP = "%Y-%m-%dT%H:%M:%S%.f"
_MISREAD = re.compile(r'[,\[\]"]')


def in_format(published: pl.DataFrame, column: Column) -> pl.DataFrame:
    """Return the cells of the groups as they are released: with dates or numbers in the column's format, and tops and
    bottoms marked.
    """
    published = with_limits(published, column)
    if column.number is not None:
        return pl.DataFrame([in_number_format(one, column.number) for one in published.get_columns()])
    form = column.date_format
    return published if form is None else pl.DataFrame([_cells(one, form) for one in published.get_columns()])


def _cells(cells: pl.Series, form: DateFormat) -> pl.Series:
    """Return dates in the format; of a text, every date in it: both ends of a range."""
    if cells.dtype.is_temporal():
        return _written(cells, form)
    if cells.dtype != pl.String:
        return cells
    token = _MOMENT if form.has_time else _DATE
    distinct = cells.unique().drop_nulls()
    found = pl.Series(sorted({one for text in distinct.to_list() for one in token.findall(text)}), dtype=pl.String)
    spelled = dict(zip(found.to_list(), _written(_read(found, form), form).cast(pl.String).to_list(), strict=True))

    def respelled(text: str) -> str:
        alone = token.fullmatch(text.removeprefix(AT_LEAST).removeprefix(AT_MOST)) is not None
        return token.sub(lambda one: spelled[one[0]] if alone else _end(spelled[one[0]]), text)

    texts = [respelled(text) for text in distinct.to_list()]
    return cells.replace_strict(distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String)


def _end(text: str) -> str:
    """Return an end of a range; as a JSON string if it has a comma, by which ends are separated."""
    return json.dumps(text, ensure_ascii=False) if _MISREAD.search(text) else text


def _read(texts: pl.Series, form: DateFormat) -> pl.Series:
    if not form.has_time:
        return texts.str.to_date("%Y-%m-%d")
    stamp = _STAMP + "%:z" if "z" in form.directives else _STAMP
    return texts.str.to_datetime(stamp, time_unit="us")


def _written(dates: pl.Series, form: DateFormat) -> pl.Series:
    """Return dates in the format, after checking that they are read back as the same dates.

    Rounded ends of ranges may lie outside of the hundred years that two digits stand for.
    """
    written = write_dates(dates, form)
    if not read_dates(written, form).cast(dates.dtype).equals(dates, null_equal=True):
        raise SchemaError(
            f"column {dates.name}: rounded ends of its ranges cannot be written in its format.",
            "choose another first_year, or a shorter period for round_ranges.",
        )
    return written
