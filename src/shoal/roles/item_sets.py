"""Recognizing columns with several items in one cell, such as `E11;I10;J45`, by how their items recur.

Cells of a set have a separator between items that recur from cell to cell, at different places, and in cells of
different sizes. `Smith, John` has two parts in every cell, and 1,5 is a number; neither is a set. Items that cannot
be shown to be categories may name people, and are not recognized either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.roles.distinct_values import DistinctValues
from shoal.roles.shown_categories import shown_to_be_categories
from shoal.tables.text import text_of

SEPARATORS = (";", "|", ",")
FEW_ROWS = 20  # in a table with fewer rows, items hardly recur
SEVERAL = 0.1  # at least this share of the cells has several items
RECURS = 4.0  # every item occurs so often, on average
ALONE = 0.1  # at most this share of the occurrences is of items that occur once
LONGEST = 40  # characters of an item; longer ones are sentences
MOST_CELLS = 20_000  # different cells that are looked at


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A column of sets: what separates items, all different items, and how many cells hold several of them."""

    separator: str
    items: pl.Series
    several: int


def find_set(different: DistinctValues) -> FoundSet | None:
    """Return how a column of texts holds sets of items; None if it does not."""
    values, times = different.values, different.counts[different.missing :]
    cells = pl.DataFrame({"cell": text_of(values).alias("cell"), "times": times}).drop_nulls("cell")
    if int(cells["times"].sum()) < FEW_ROWS:
        return None
    cells = cells.sort("cell").gather_every(max(1, -(-cells.height // MOST_CELLS)))
    for separator in SEPARATORS:
        held = cells.filter(pl.col("cell").str.contains(separator, literal=True))
        if int(held["times"].sum()) >= SEVERAL * int(cells["times"].sum()):
            found = _in_cells(cells, separator)
            if found is not None:
                return found
    return None


def _in_cells(cells: pl.DataFrame, separator: str) -> FoundSet | None:
    """Return the set that the cells hold with this separator; None if their parts are not items of sets."""
    parts = cells.with_row_index("row").with_columns(item=pl.col("cell").str.split(separator))
    parts = parts.explode("item").with_columns(pl.col("item").str.strip_chars())
    parts = parts.with_columns(place=pl.int_range(pl.len()).over("row")).filter(pl.col("item") != "")
    held = parts.group_by("item").agg(times=pl.col("times").sum(), places=pl.col("place").n_unique())
    total = int(held["times"].sum())
    if not total or total < RECURS * held.height:
        return None
    if int(held.filter(pl.col("times") == 1)["times"].sum()) > ALONE * total:
        return None
    sizes = parts.group_by("row").agg(size=pl.len(), times=pl.col("times").first())
    several = int(sizes.filter(pl.col("size") > 1)["times"].sum())
    moved = int(held.filter(pl.col("places") > 1)["times"].sum())
    lengths = held["item"].str.len_chars().to_numpy()
    if sizes["size"].n_unique() < 2 or moved < total / 2 or int(np.max(lengths)) > LONGEST:
        return None
    numeric = held["item"].cast(pl.Float64, strict=False).is_not_null()
    if separator == "," and bool(numeric.any()):
        return None
    if not shown_to_be_categories(held["item"]):
        return None
    return FoundSet(separator, held["item"].sort(), several)
