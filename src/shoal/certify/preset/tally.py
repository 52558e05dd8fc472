"""The different cells of every released column with their numbers, counted once, also for a table read in parts."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

Tally = dict[str, pl.DataFrame]
"""For every column its different texts (`cell`) and how often each occurs (`n`); missing cells are left out."""


def tally_of(parts: Iterable[pl.DataFrame]) -> tuple[Tally, int]:
    """Return the different cells of a table that is given whole or in parts, and its number of rows."""
    found: Tally = {}
    n_rows = 0
    for part in parts:
        n_rows += part.height
        for column in part.get_columns():
            counted = (
                column.cast(pl.String)
                .alias("cell")
                .to_frame()
                .drop_nulls()
                .group_by("cell")
                .agg(n=pl.len().cast(pl.Int64))
            )
            before = found.get(column.name)
            if before is not None:
                counted = pl.concat([before, counted]).group_by("cell").agg(pl.col("n").sum())
            found[column.name] = counted
    return found, n_rows
