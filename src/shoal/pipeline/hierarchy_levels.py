"""Counting, for each level of a hierarchy, the classes of a column and the rows in the smallest of them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.policy import Hierarchy
from shoal.space.hierarchy_sources import names_above
from shoal.tables.text import text_of


@dataclass(frozen=True, slots=True)
class Level:
    """One level: 0 has the values themselves."""

    level: int
    classes: int
    smallest: int
    """Rows in the smallest class."""
    rows_below_k: int
    """Rows in classes of fewer than k rows."""


def levels_of(values: pl.Series, source: Hierarchy, *, k: int) -> list[Level]:
    """Return every level of the hierarchy from the values up; missing values are not counted."""
    present = values.drop_nulls()
    paths = names_above(present, source)
    texts = text_of(present)
    found = []
    for level in range(max((len(path) for path in paths.values()), default=0)):
        above = {value: path[min(level, len(path) - 1)] for value, path in paths.items()}
        counted = texts.replace_strict(above, default=None).drop_nulls().value_counts()["count"]
        small = counted.filter(counted < k)
        found.append(Level(level, len(counted), min(counted.to_list(), default=0), int(small.sum())))
    return found
