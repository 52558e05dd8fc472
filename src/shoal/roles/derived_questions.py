"""Questions of the profile about sensitive columns that follow from others, or whose values mostly occur once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from shoal.roles.column_profile import ColumnProfile
from shoal.roles.derived_columns import FEWEST, advice, derived, unique_advice
from shoal.roles.kinds import as_kind

MOSTLY = 0.5  # a sensitive column is asked about if at least this share of its rows have a value that occurs once


def with_derived(columns: Sequence[ColumnProfile], frame: pl.DataFrame) -> list[ColumnProfile]:
    """Return the profiles with a question for each column that would identify people if published unchanged."""
    raw = [column.name for column in columns if column.role in ("sensitive", "weight", "other")]
    known = [column.name for column in columns if column.role == "quasi"]
    if not raw:
        return list(columns)
    dated = [column for column in columns if column.kind == "date" and column.name in (*raw, *known)]
    found = derived(frame, raw, known, {column.name: partial(_as_dates, column) for column in dated})
    asked = []
    for column in columns:
        question: tuple[str, ...]
        if column.name in found:
            question = (_of_it(column.name, advice(column.name, found[column.name])),)
        elif column.role == "sensitive" and column.unique_share > MOSTLY and frame.height >= FEWEST:
            number = frame[column.name].dtype.is_numeric() or column.number is not None
            dates = column.kind == "date" or frame[column.name].dtype in (pl.Date, pl.Datetime)
            said = unique_advice(column.name, column.unique_rows, frame.height, date=dates, number=number)
            question = (_of_it(column.name, said),)
        else:
            question = ()
        asked.append(replace(column, questions=(*column.questions, *question)))
    return asked


def _of_it(name: str, sentence: str) -> str:
    """Return a sentence about a column that stands after the column's name."""
    return sentence.replace(f"column {name}", "it", 1)


def _as_dates(column: ColumnProfile, values: pl.Series) -> pl.Series:
    return as_kind(values, "date", column.dates.form if column.dates is not None else None).alias(column.name)
