"""Keeping the original text of cells in a CSV file for columns that are published unchanged or compared as labels.

Reading turns texts into numbers and dates: 250.00 becomes 250, 1.10 becomes 1.1, a time zone may move a date by a
day. That is right where a range or a distance is computed, and wrong where the cell itself is published. So the text
is kept wherever writing the number or date would give another text.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.policy import Column, Policy
from shoal.tables.table import Table
from shoal.tables.text import as_written


def labeled(table: Table, policy: Policy) -> Table:
    """Return the table with the original text of every column that is published or compared as text.

    `policy` need not be resolved yet. A sensitive column that is compared by value has both: its numbers in `frame`,
    and its cells as they were read in `texts`.
    """
    decimal = table.origin.dialect.decimal if table.origin.dialect is not None else "."
    labels, both = [], []
    for text in table.texts.get_columns():
        column = policy.columns.get(text.name)
        if column is None or column.role in ("identifier", "person") or _typed_only(column):
            continue
        if as_written(table.frame.select(text.name), decimal).to_series().equals(text, null_equal=True):
            continue
        if not _is_ranked(column) and (column.role == "other" or not is_measured(column)):
            labels.append(text)
        else:
            both.append(text)
    return replace(table, frame=table.frame.with_columns(labels), texts=pl.DataFrame(both))


def _is_ranked(column: Column) -> bool:
    """Return whether a perturbation needs the numbers or dates themselves, and not only their texts."""
    return column.perturb is not None and column.perturb.method != "pram" and column.order is None


def compared(table: Table, policy: Policy) -> pl.DataFrame:
    """Return the frame in which l-diversity and t-closeness compare sensitive values.

    Numbers or dates are compared in a column that has bins, a top, a bottom, the ordered distance or a date format.
    In any other column the published texts are compared.
    """
    by_value = [name for name in policy.sensitive if _by_value(name, policy)]
    return table.frame.with_columns(table.texts.drop(by_value, strict=False).get_columns())


def _by_value(name: str, policy: Policy) -> bool:
    """Return whether a sensitive column is compared by its numbers or dates rather than by its published texts."""
    column = policy.columns[name]
    ordered = policy.distance_of(name) == "ordered" and column.order is None
    limited = column.top is not None or column.bottom is not None  # its published texts are not all numbers: `>=90`
    return column.bins is not None or column.format is not None or column.number is not None or ordered or limited


def _typed_only(column: Column) -> bool:
    """Return whether the original text is never needed: the column is a quasi-identifier and not a label."""
    return column.role == "quasi" and is_measured(column)


def is_measured(column: Column) -> bool:
    """Return whether cells are compared as numbers or dates, which they are unless the policy makes them labels."""
    source = column.hierarchy
    if any(labels is not None for labels in (column.classes, column.order, column.map, column.merge)):
        return False
    if source is not None and column.kind in (None, "hierarchy"):
        return source.widths is not None or source.periods is not None
    return column.kind not in ("label", "region")
