"""Columns of lists, read as texts with a separator between the items: they hold sets of items.

A list of texts or whole numbers becomes one text, `E11;I10`. Missing items are left out; a missing list is a missing
cell.
"""

from __future__ import annotations

import polars as pl

from shoal.errors import SchemaError

SEPARATOR = ";"
READ_AS = "column {!r} has lists: read as texts with {} between the items."


def is_list(dtype: pl.DataType) -> bool:
    """Return whether the cells of a column are lists of texts or whole numbers; arrays of one length are vectors."""
    inner = dtype.inner if isinstance(dtype, pl.List) else None
    return inner is not None and (inner in (pl.String, pl.Categorical, pl.Enum) or inner.is_integer())


def lists_as_texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the frame with lists as texts, and the names of these columns.

    A SchemaError is raised if an item contains the separator.
    """
    names = [name for name, dtype in frame.schema.items() if is_list(dtype)]
    columns = [_as_texts(frame[name]) for name in names]
    return frame.with_columns(columns), tuple(names)


def notes_on(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a note for the user on each column of lists."""
    return tuple(READ_AS.format(name, SEPARATOR) for name in names)


def _as_texts(values: pl.Series) -> pl.Series:
    """Return a column of lists as texts."""
    lists = values.cast(pl.List(pl.String))
    odd = int(lists.explode().str.contains(SEPARATOR, literal=True).sum())
    if odd:
        raise SchemaError(
            f"column {values.name!r} has lists, and {odd} of their items contain {SEPARATOR}, which separates items.",
            "replace it in the items, or turn the column into text with another separator.",
        )
    return lists.list.drop_nulls().list.join(SEPARATOR).alias(values.name)
