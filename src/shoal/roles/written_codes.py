"""Codes that reading a CSV file made numbers with decimals: NACE 10.2 and 10.20, ICD-9 250.00, numbers of users.

As numbers, 10.2 and 10.20 are the same, and a range or a mean of them says nothing. The text of the file is taken
where the name of the column says the classification and the texts have its form, and where the name says that it is
the number or id of something.
"""

from __future__ import annotations

import polars as pl

from shoal.roles.classifications import CLASSIFICATIONS, classify
from shoal.roles.distinct_values import some_of
from shoal.roles.number_names import MEASURED
from shoal.roles.recognize import says, share, words
from shoal.roles.survey import FEW_CODES, NUMBERED, OFTEN_DIFFERENT
from shoal.tables.table import Table

LONG = 12  # characters of numbers with decimals that are codes under a heading that says so: nothing is measured so
SAMPLE = 1_000  # how many different texts are checked for their form


def values_of(table: Table, name: str) -> pl.Series:
    """Return a column of a table as it was read, or as it was written if its decimals are those of codes."""
    values = table.frame[name]
    if not values.dtype.is_float() or name not in table.texts.columns:
        return values
    heading = words(name)
    numbered = says(NUMBERED, heading) and not says(MEASURED, heading)
    if not numbered and not any(says(entry.known, heading) for entry in CLASSIFICATIONS):
        return values
    written = table.texts[name].cast(pl.String)
    different = written.str.strip_chars().drop_nulls().unique()
    different = different.filter(different != "")
    long = numbered and len(different) >= FEW_CODES and share(different.str.len_chars() >= LONG) >= 0.9
    if long or (numbered and len(different) >= OFTEN_DIFFERENT * len(written.drop_nulls())):
        return written
    found = classify(heading, some_of(different, SAMPLE).to_list(), numbers=False)
    return written if found is not None and found.by_name else values
