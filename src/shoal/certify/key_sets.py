"""Count how many people share every published combination of the columns of a key set."""

from __future__ import annotations

import polars as pl

from shoal.certify.equivalence_classes import Classes, class_ids
from shoal.certify.released_columns import Columns, published_columns
from shoal.policy import Policy


def key_sets(
    frame: pl.DataFrame, columns: Columns, classes: Classes, policy: Policy, form: str
) -> dict[str, pl.DataFrame]:
    """Return, for every key set of a policy, how many people share the combination that each class has in it.

    The result has the columns class and measure. A table that was read in parts has its classes in the first rows.
    Where people are numbered in each class, one person may be in several, so that only the largest class counts.
    """
    if not policy.keys:
        return {}
    if form == "centers":
        of_row = list(range(frame.height))
    else:
        of_row = class_ids(frame.select(columns.quasi), frame.height).tolist()
    several = columns.person is not None and columns.numbered == "in classes"
    found = {}
    for name, keys in policy.keys.items():
        parts = [
            part for column in keys.columns for part in published_columns(column, set(frame.columns), policy, form)
        ]
        parts = [part for part in parts if part in columns.quasi]
        cells = frame.select(pl.col(part).alias(f"c{place}") for place, part in enumerate(parts))
        rows = pl.DataFrame({"class": of_row}, schema={"class": pl.Int64})  # also where there are no cells
        of_class = pl.concat([rows, cells], how="horizontal").unique("class")
        counted = of_class.join(classes.people.select(pl.col("class").cast(pl.Int64), "people"), on="class")
        total = pl.col("people").max() if several else pl.col("people").sum()
        shared = counted.select("class", measure=total.over(cells.columns).cast(pl.Float64)) if parts else None
        if shared is None:  # no column of the set is there, which is a failure of its own
            shared = counted.select("class", measure=pl.lit(0.0))
        found[name] = shared
    return found
