"""Codes of a classification that reading a CSV file made numbers with decimals: NACE 10.2 and 10.20, ICD-9 250.00.

As numbers, 10.2 and 10.20 are the same, and a range or a mean of them says nothing. The text of the file is taken
where the name of the column says the classification and the texts have its form.
"""

from __future__ import annotations

import polars as pl

from shoal.roles.classifications import classify
from shoal.roles.recognize import words
from shoal.tables.table import Table

SAMPLE = 1_000  # how many different texts are checked for their form, spread evenly over the sorted texts


def values_of(table: Table, name: str) -> pl.Series:
    """Return a column of a table as it was read, or as it was written if its decimals are those of codes."""
    values = table.frame[name]
    if not values.dtype.is_float() or name not in table.texts.columns:
        return values
    written = table.texts[name].cast(pl.String)
    different = written.str.strip_chars().drop_nulls().unique().sort()
    different = different.filter(different != "")
    texts = different.gather_every(len(different) // SAMPLE + 1).to_list()
    found = classify(words(name), texts, numbers=False)
    return written if found is not None and found.by_name else values
