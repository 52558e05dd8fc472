"""Removing data that is in a frame's memory but not among its cells.

Guarantee   No buffer of the result holds a value that is not a cell of the frame.

Arrow memory keeps more than its cells: the number under a null, the long texts of rows that were filtered out, the
categories that no row has anymore. They would get into a file, a pickle or a pyarrow table, and the original data
with them.
"""

from __future__ import annotations

import io

import polars as pl


def only_visible(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the same frame in newly allocated memory that holds only its cells."""
    if not frame.height or not frame.width:
        return only_used_categories(frame).clear()
    parquet = io.BytesIO()  # Parquet writes the cells that are not null and nothing else
    only_used_categories(frame).write_parquet(parquet, compression="uncompressed", statistics=False)
    parquet.seek(0)
    return pl.read_parquet(parquet)


def only_used_categories(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with Enum columns reduced to the categories that occur, in their order."""
    shrunk = []
    for column in frame.get_columns():
        if isinstance(column.dtype, pl.Enum):
            used = set(column.unique().cast(pl.String))
            kept = pl.Enum([category for category in column.dtype.categories if category in used])
            shrunk.append(column.cast(pl.String).cast(kept))
    return frame.with_columns(shrunk)
