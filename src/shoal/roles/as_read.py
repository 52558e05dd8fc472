"""Columns that are published as they are, or compared as labels, in the texts that a CSV file has for them.

Reading makes numbers and dates of texts: 250.00 becomes 250, 1.10 becomes 1.1, an offset moves a day. That is right
where a range or a distance is taken, and wrong where the cell itself is published. So the text is kept where the type
alone would not write it again.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.policy import Column, Policy
from shoal.tables.table import Table
from shoal.tables.text import as_written


def labeled(table: Table, policy: Policy) -> Table:
    """The table with text where `policy`, not yet resolved, publishes or compares a column by its text.

    A sensitive column that is measured keeps both: its numbers in `frame`, its cells as read in `texts`.
    """
    decimal = table.origin.dialect.decimal if table.origin.dialect is not None else "."
    labels, both = [], []
    for text in table.texts.get_columns():
        column = policy.columns.get(text.name)
        if column is None or column.role in ("identifier", "person") or _typed_only(column):
            continue
        if as_written(table.frame.select(text.name), decimal).to_series().equals(text, null_equal=True):
            continue
        if column.role == "other" or not _measured(column):
            labels.append(text)
        else:
            both.append(text)
    return replace(table, frame=table.frame.with_columns(labels), texts=pl.DataFrame(both))


def compared(table: Table, policy: Policy) -> pl.DataFrame:
    """The table in which l and t compare sensitive values: numbers and dates for bins and where their order counts,
    the texts that are published elsewhere.
    """
    by_value = [name for name in policy.sensitive if _by_value(name, policy)]
    return table.frame.with_columns(table.texts.drop(by_value, strict=False).get_columns())


def _by_value(name: str, policy: Policy) -> bool:
    column, closeness = policy.columns[name], policy.closeness_of(name)
    ordered = closeness is not None and closeness.distance == "ordered" and column.order is None
    return column.bins is not None or ordered


def _typed_only(column: Column) -> bool:
    """A quasi-identifier is published as a number or date, or as a label: never as both."""
    return column.role == "quasi" and _measured(column)


def _measured(column: Column) -> bool:
    """Whether the type that was found decides how cells are compared: nothing says that they are labels."""
    source = column.hierarchy
    if column.classes is not None or column.order is not None or column.map is not None:
        return False
    if source is not None and column.kind in (None, "hierarchy"):
        return source.widths is not None or source.periods is not None
    return column.kind not in ("label", "region")
