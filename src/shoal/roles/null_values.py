"""Reading cells as missing if the policy lists them under `null_values` of their column.

A cell is missing if its text without surrounding blanks, its number or its date is in the list. A column of a CSV
file then gets the type of the remaining cells: `34, k.A., 51` becomes a column of whole numbers.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import polars as pl

from shoal.policy import Policy
from shoal.roles.kinds import is_text
from shoal.tables.infer import infer
from shoal.tables.table import Table
from shoal.tables.text import text_of


def without_null_values(table: Table, policy: Policy) -> Table:
    """Return the table with null in every cell that the policy lists as missing; the policy need not be resolved yet.

    A column with the role other is published as it was read, so its cells are not changed.
    """
    for name in table.columns:
        column = policy.columns.get(name)
        if column is not None and column.null_values and column.role != "other":
            table = _without(table, name, column.null_values)
    return table


def without_codes(values: pl.Series, codes: tuple[str, ...], texts: pl.Series | None = None) -> pl.Series:
    """Return the column with null in place of every cell that is one of `codes`; `texts` are its cells as read."""
    return pl.select(pl.when(~is_missing(values, codes, texts)).then(values).alias(values.name)).to_series()


def is_missing(values: pl.Series, codes: tuple[str, ...], texts: pl.Series | None = None) -> pl.Series:
    """Return whether each cell is missing or one of `codes`.

    A text is compared without the blanks around it, and numbers and dates also by value: 999.0 is the code 999. The
    text 00999 is not, because in a column of texts it may be the code of something else.
    """
    bare = [code.strip() for code in codes]
    written = (text_of(values) if texts is None else texts).str.strip_chars()
    found = values.is_null() | written.is_in(bare).fill_null(False)
    if values.dtype.is_numeric():
        numbers = [number for code in bare if (number := _number(code)) is not None]
        return found | values.cast(pl.Float64).is_in(numbers).fill_null(False)
    if isinstance(values.dtype, pl.Date | pl.Datetime):
        moments = [moment for code in bare if (moment := _moment(code)) is not None]
        at = values.cast(pl.Datetime("us"))
        return found | at.is_in(pl.Series(moments, dtype=pl.Datetime("us")).implode()).fill_null(False)
    return found


def retyped(values: pl.Series, table: Table) -> pl.Series:
    """Return a text column of a CSV file converted to the type that all its cells have; other columns unchanged."""
    dialect = table.origin.dialect
    if dialect is None or not is_text(values.dtype):
        return values
    return infer(values.to_frame(), dialect.separator, dialect.decimal)[0].to_series()


def _without(table: Table, name: str, codes: tuple[str, ...]) -> Table:
    """Return the table in which cells of one column that are among `codes` are null."""
    texts = table.texts[name] if name in table.texts.columns else None
    values = without_codes(table.frame[name], codes, texts)
    if texts is not None:
        kept = pl.select(pl.when(values.is_not_null()).then(texts).alias(name)).to_series()
        return replace(table, frame=table.frame.with_columns(values), texts=table.texts.with_columns(kept))
    typed = retyped(values, table)
    if typed.dtype == values.dtype:
        return replace(table, frame=table.frame.with_columns(values))
    again = without_codes(typed, codes)  # once the cells are numbers, 999.0 is found to be the code 999
    kept = pl.select(pl.when(again.is_not_null()).then(values).alias(name)).to_series()
    schema = dict(table.origin.schema) | {name: again.dtype}
    return replace(
        table,
        frame=table.frame.with_columns(again),
        texts=pl.DataFrame([*table.texts.get_columns(), kept]),
        origin=replace(table.origin, schema=schema),
    )


def _number(code: str) -> float | None:
    try:
        return float(code.replace(",", "."))
    except ValueError:
        return None


def _moment(code: str) -> datetime | None:
    """Return a code that is an ISO date or time as a `datetime`; None for any other code."""
    try:
        return datetime.combine(date.fromisoformat(code), datetime.min.time())
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(code).replace(tzinfo=None)
    except ValueError:
        return None
