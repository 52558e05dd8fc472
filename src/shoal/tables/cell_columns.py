"""The cells of a sheet as columns with types: numbers, dates, times, or texts where a column holds several kinds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import polars as pl

from shoal.tables.text import text_of
from shoal.tables.xlsx_cells import Value

_KINDS: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("text", str),
    ("bool", bool),  # before numbers, which Python takes them for
    ("number", (int, float)),
    ("datetime", datetime),  # before dates, for the same reason
    ("date", date),
    ("time", time),
    ("duration", timedelta),
)
_TYPES: dict[frozenset[str], Any] = {
    frozenset({"bool"}): pl.Boolean,
    frozenset({"date"}): pl.Date,
    frozenset({"datetime"}): pl.Datetime("us"),
    frozenset({"date", "datetime"}): pl.Datetime("us"),
    frozenset({"time"}): pl.Time,
    frozenset({"duration"}): pl.Duration("us"),
    frozenset({"time", "duration"}): pl.Duration("us"),
}


def kinds_of(values: Sequence[Value | None]) -> frozenset[str]:
    """Return the kinds of values in a column, such as "text" and "number"."""
    return frozenset(_kind(value) for value in {type(value): value for value in values}.values() if value is not None)


def column(name: str, values: Sequence[Value | None]) -> pl.Series:
    """Return cells as one column: with the type that all of them have, else as text."""
    kinds = kinds_of(values)
    if kinds == {"number"}:
        whole = all(isinstance(value, int) for value in values if value is not None)
        return pl.Series(name, values, pl.Int64 if whole else pl.Float64, strict=False)
    if kinds in _TYPES:
        return pl.Series(name, [_fitting(value, kinds) for value in values], _TYPES[kinds])
    if kinds <= {"text"}:
        return pl.Series(name, values, pl.String)
    return pl.Series(name, as_texts(values), pl.String)


def as_texts(values: Sequence[Value | None]) -> list[str | None]:
    """Return cells of several kinds as texts, each as it would be written in a column of its kind."""
    texts: list[str | None] = [value if isinstance(value, str) else None for value in values]
    for kind, _ in _KINDS[1:]:
        places = [place for place, value in enumerate(values) if value is not None and _kind(value) == kind]
        if kind == "number":
            whole = [place for place in places if isinstance(values[place], int)]
            _fill(texts, values, whole)
            places = [place for place in places if not isinstance(values[place], int)]
        _fill(texts, values, places)
    return texts


def _fill(texts: list[str | None], values: Sequence[Value | None], places: list[int]) -> None:
    if places:
        written = text_of(pl.Series([values[place] for place in places]))
        for place, text in zip(places, written, strict=True):
            texts[place] = text


def _kind(value: Value) -> str:
    return next(kind for kind, types in _KINDS if isinstance(value, types))


def _fitting(value: Value | None, kinds: frozenset[str]) -> Value | None:
    """Return a date as its midnight, and a time as the duration since midnight, where a column holds both."""
    if "datetime" in kinds and isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    if "duration" in kinds and isinstance(value, time):
        return datetime.combine(date.min, value) - datetime.min
    return value
