"""Values that only one person in the whole table has: counting them, and merging them into one label.

A published set of labels shows every label in it. If only one person has a label, which may be a note, a name or a
number, then the set reveals that this person is among the k people who share it.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.policy import Policy
from shoal.tables.table import Table
from shoal.tables.text import text_of

MERGED = "other"
MERGED_LABEL = rf"^{MERGED}(?: \(merged\))*$"
"""Matches the label of merged values, also where it is longer because the table has one that is called so."""


def people_of_values(frame: pl.DataFrame, name: str, person: str | None) -> pl.DataFrame:
    """Return the different values of a column as text, and how many people have each; missing is not counted."""
    cells = pl.DataFrame({"value": text_of(frame[name])})
    cells = cells.with_columns(person=pl.int_range(pl.len()) if person is None else frame[person])
    present = cells.filter(pl.col("value").str.strip_chars() != "")
    counted = pl.len() if person is None else pl.col("person").n_unique()
    return present.group_by("value").agg(people=counted)


def rare_values(frame: pl.DataFrame, name: str, person: str | None) -> pl.Series:
    """Return the values of a column that only one person has, as text."""
    return people_of_values(frame, name, person).filter(pl.col("people") == 1)["value"]


def with_merged_values(table: Table, policy: Policy) -> tuple[Table, list[str]]:
    """Return the table with rare labels merged into one, and a sentence for every column that was changed.

    Columns with publish_rare = "merged" are changed. Labels that fewer than k people have are merged, and then the
    next rarest ones until at least k people have the merged label.
    """
    columns, notes = [], []
    for name in policy.quasi:
        if policy.columns[name].publish_rare != "merged":
            continue
        held = people_of_values(table.frame, name, policy.person).sort("people", "value")
        below = held.filter(
            (pl.col("people") < policy.k) | (pl.col("people").cum_sum() - pl.col("people") < policy.k)
        )
        if not (held["people"] < policy.k).any():
            continue
        text = text_of(table.frame[name])
        merged = text.is_in(below["value"].implode()).fill_null(value=False)
        label = MERGED
        while label in held["value"] and label not in below["value"]:
            label += " (merged)"
        columns.append(pl.select(pl.when(merged).then(pl.lit(label)).otherwise(text).alias(name)).to_series())
        whom = "each" if (below["people"] < policy.k).all() else "the rarest"
        notes.append(
            f"column {name!r}: {below.height} of {held.height} values, in {int(merged.sum())} cells, are published "
            f"as {label!r}, because fewer than {policy.k} people have {whom} of them. What this loses is not part of "
            "the loss."
        )
    texts = table.texts.drop([one.name for one in columns], strict=False)
    return replace(table, frame=table.frame.with_columns(columns), texts=texts), notes
