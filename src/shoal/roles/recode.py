"""Recoding the values of a table before groups are made: labels merged, numbers and dates rounded and limited.

Everything later is computed from the recoded table: groups, k, l and t, the loss and its bound. The loss of recoding
itself is measured here by the same definition: the rows that received one new value count as a group that is
published as the range, or the set of labels, which they had before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Column, Kind, Policy
from shoal.roles.kinds import as_kind, kind_of, misfits
from shoal.roles.limits import check_limits, limited, rounded
from shoal.tables.date_text import read_dates, write_dates
from shoal.tables.number_text import read_numbers, write_numbers
from shoal.tables.recoded import AT_LEAST, AT_MOST, Recoded
from shoal.tables.table import Table
from shoal.tables.text import as_written, text_of


def with_merged_labels(table: Table, policy: Policy) -> tuple[Table, list[str]]:
    """Return the table with labels merged as the policy states, and a sentence on listed values that do not occur.

    `policy` need not be resolved yet. A new label must not be a value that some cells already have, unless that value
    is itself merged into it: two different things would then have one label, which is an error.
    """
    notes: list[str] = []
    for name, column in policy.columns.items():
        if column.merge is None or name not in table.columns:
            continue
        texts = text_of(table.texts[name] if name in table.texts.columns else table.frame[name])
        there = set(texts.unique().drop_nulls().to_list())
        into: dict[str, str] = {}
        for label, values in column.merge.items():
            if isinstance(values, int):
                raise SchemaError(
                    f"column {name!r}: its policy says how many values were merged, and not which.",
                    "a certificate does not list them: give the policy.toml of the private folder.",
                )
            if label in there and label not in values:
                raise SchemaError(
                    f"column {name!r}: a label that merge makes is in {int((texts == label).sum())} cells already.",
                    "choose another label, or list it among the values that are merged.",
                )
            into |= dict.fromkeys(values, label)
        absent = len(into.keys() - there)
        if absent:
            notes.append(f"column {name!r}: {absent} of {len(into)} values to be merged are not in the table.")
        merged = texts.replace(into) if into else texts
        table = replace(
            table,
            frame=table.frame.with_columns(merged.alias(name)),
            texts=table.texts.drop(name, strict=False),
            recoded=(*table.recoded, recoded_labels(texts, merged, name, column.role)),
        )
    return table, notes


def recoded_labels(before: pl.Series, after: pl.Series, name: str, role: str) -> Recoded:
    """Return the facts about labels that were replaced by others."""
    return Recoded(
        name=name,
        role=role,
        merged=int((after != before).sum()),
        lost=_lost_labels(before, after),
        coarse=_coarse(before, after),
    )


def with_limits(table: Table, policy: Policy) -> Table:
    """Return the table with numbers and dates rounded and limited as the resolved `policy` states.

    `texts` gets the published texts of sensitive columns if they differ from the numbers: `>=90` for 90 or more,
    unless the policy asks for numbers that programs can read (ranges = "columns").
    """
    for name, column in policy.columns.items():
        if column.is_recoded and column.merge is None:
            table = _with_limits(table, name, column, marked=policy.ranges == "brackets")
    return table


def _with_limits(table: Table, name: str, column: Column, *, marked: bool) -> Table:
    """Return the table with one column rounded and limited, and the facts about it."""
    before = _read(table.frame[name], column) if column.role == "other" else table.frame[name]
    after = rounded(before, column)
    n_rounded = after.ne_missing(before.cast(after.dtype))
    after, at_top, at_bottom = limited(after, column)
    facts = Recoded(
        name=name,
        role=column.role,
        at_top=int(at_top.sum()),
        at_bottom=int(at_bottom.sum()),
        rounded=int((n_rounded & ~at_top & ~at_bottom).sum()),
        lost=_lost_numbers(before, after),
        coarse=_coarse(before, after),
    )
    frame, texts = table.frame.with_columns(after), table.texts.drop(name, strict=False)
    if column.role != "quasi":
        decimal = table.origin.dialect.decimal if table.origin.dialect is not None else "."
        written = _written(after, column, decimal, at_top, at_bottom, marked=marked)
        if column.role == "other":
            frame = frame.with_columns(written)
        elif written.dtype != after.dtype:
            texts = pl.DataFrame([*texts.get_columns(), written])
    return replace(table, frame=frame, texts=texts, recoded=(*table.recoded, facts))


def _read(cells: pl.Series, column: Column) -> pl.Series:
    """Return a column that is published unchanged as numbers or dates; raise a `SchemaError` if it cannot be read."""
    settings = (column.top, column.bottom, column.round)
    kind: Kind = "number" if any(isinstance(one, float) for one in settings) else "date"
    if column.number is not None:
        found = read_numbers(cells, column.number)
        wrong = found.null_count() - cells.null_count()
    else:
        found = as_kind(cells, kind, column.date_format)
        check_limits(found, kind_of(found.dtype) or "label", column)
        wrong = misfits(cells, kind, column.date_format)
    if wrong:
        raise SchemaError(
            f"column {cells.name!r}: {wrong} of {len(cells)} cells are not {kind}s, and cannot be recoded.",
            "correct those cells or leave them empty, or list what they hold in its null_values.",
        )
    return found


def _written(
    values: pl.Series, column: Column, decimal: str, at_top: pl.Series, at_bottom: pl.Series, *, marked: bool
) -> pl.Series:
    """Return recoded values as published texts; every cell is written again, so that none shows if it was changed."""
    form, marked = column.date_format, marked and (column.top is not None or column.bottom is not None)
    if form is not None:
        texts = write_dates(values, form)
        if not read_dates(texts, form).cast(values.dtype).equals(values, null_equal=True):
            raise SchemaError(
                f"column {values.name!r}: its recoded dates cannot be written in its format.",
                "choose another top or bottom, a shorter period for round, or another first_year.",
            )
    elif column.number is not None:
        texts = write_numbers(values, column.number)
    else:
        texts = as_written(values.to_frame(), decimal).to_series() if marked else values
    if not marked:
        return texts
    cell = pl.lit(texts.cast(pl.String))
    return pl.select(
        pl.when(at_top)
        .then(pl.lit(AT_LEAST) + cell)
        .when(at_bottom)
        .then(pl.lit(AT_MOST) + cell)
        .otherwise(cell)
        .alias(values.name)
    ).to_series()


def _lost_numbers(before: pl.Series, after: pl.Series) -> float:
    """Return the loss of recoding numbers: the mean over all rows of the width of their recoded group.

    The width is that of the original values which became the same, as a share of the whole range.
    """
    numbers = _floats(before)
    wide = pl.DataFrame({"new": after, "old": numbers}).group_by("new").agg(
        low=pl.col("old").min(), high=pl.col("old").max(), cells=pl.len()
    ).drop_nulls()  # fmt: skip
    low, high, cells = (wide[name].to_numpy().astype(np.float64) for name in ("low", "high", "cells"))
    span = float(high.max() - low.min()) if len(low) else 0.0
    if not np.isfinite(span) or span <= 0:
        return 0.0
    return float(((high - low) / span) @ cells / len(before))


def _lost_labels(before: pl.Series, after: pl.Series) -> float:
    """Return the loss of merging labels: the mean over all rows of the share of all labels that became the same.

    A row whose label was merged with no other counts as 0.
    """
    sets = pl.DataFrame({"new": after, "old": before}).drop_nulls().group_by("new").agg(
        labels=pl.col("old").n_unique(), cells=pl.len()
    ).filter(pl.col("labels") > 1)  # fmt: skip
    n_labels = before.n_unique()
    return float((sets["labels"] * sets["cells"]).sum()) / (n_labels * len(before)) if len(before) else 0.0


def _coarse(before: pl.Series, after: pl.Series) -> pl.Series:
    """Return the recoded values that replace more than one original value."""
    cells = pl.DataFrame({"new": after, "old": before}).drop_nulls()
    return cells.group_by("new").agg(pl.col("old").n_unique()).filter(pl.col("old") > 1)["new"]


def _floats(values: pl.Series) -> pl.Series:
    return (values.to_physical() if values.dtype.is_temporal() else values).cast(pl.Float64)
