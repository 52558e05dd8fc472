"""The types of released columns, in the words of a Frictionless table schema.

A column of a Parquet or Arrow file has the type that the file states. A column of a CSV file has a type if every cell
can be read as that type. Dates and numbers whose format is in the policy are given with that format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.policy import Column
from shoal.policy.date_format import DateFormat
from shoal.policy.number_format import NumberFormat
from shoal.tables.infer import infer

_PYTHON = frozenset({"Y", "m", "d", "H", "M", "S"})
"""The directives of a date format that every reader of a table schema supports."""
_INTEGER = r"^-?(?:0|[1-9][0-9]*)$"
_NUMBER = r"^-?[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Types:
    """The type of each released column as polars has it, and the decimal sign of a CSV file."""

    schema: Mapping[str, pl.DataType]
    decimal: str = "."
    is_text: bool = False
    """Whether the file is a CSV file, in which every cell is written as text."""


def types_of(frame: pl.DataFrame, schema: Mapping[str, pl.DataType] | None, separator: str) -> Types:
    """Return the types of a released table; `frame` has its cells as text, and `schema` is that of a binary file."""
    if schema is not None:
        return Types(schema)
    typed, decimal, _ = infer(frame, separator, None)
    return Types(dict(typed.schema), decimal, is_text=True)


def field_type(name: str, cells: pl.Series, types: Types, column: Column | None) -> dict[str, Any]:
    """Return the type, with its format if it needs one, of a column whose cells are plain values."""
    if types.is_text and column is not None:
        if column.date_format is not None:
            return _date(column.date_format, cells)
        if column.number is not None:
            return _number(column.number, cells)
    dtype = types.schema[name]
    if dtype.is_integer() and (not types.is_text or _all(cells, _INTEGER)):
        return {"type": "integer"}
    if dtype.is_numeric() and (not types.is_text or _all(cells, _NUMBER)):
        return {"type": "number"} if types.decimal == "." else {"type": "number", "decimalChar": types.decimal}
    if dtype == pl.Boolean:
        return {"type": "boolean"}
    if dtype == pl.Date:
        return {"type": "date"}
    if isinstance(dtype, pl.Datetime):
        return {"type": "datetime", "format": "any"}
    return {"type": "time"} if dtype == pl.Time else {"type": "string"}


def _all(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.drop_nulls().unique().str.contains(pattern).all())


def _date(form: DateFormat, cells: pl.Series) -> dict[str, Any]:
    """Return a type with the format of the dates; text if other readers do not support the format."""
    flags = any(part.flag for part in form.parts)
    if form.is_serial or flags or not form.directives <= _PYTHON or not _all(cells, r"^\S"):
        return {"type": "string"}
    if form.pattern == "%Y-%m":
        return {"type": "yearmonth"}
    return {"type": "datetime" if form.has_time else "date", "format": form.pattern}


def _number(form: NumberFormat, cells: pl.Series) -> dict[str, Any]:
    """Return a type with the decimal sign, the thousands separator, and whether there are units around the numbers.

    It is text if a sign is before a currency or a negative number is in parentheses, which other readers do not
    support.
    """
    point, before, after = re.escape(form.decimal), form.prefix.strip(), form.suffix.strip()
    sign = "" if before else "-?"
    digits = rf"[0-9]+(?:{re.escape(form.thousands)}[0-9]+)*(?:{point}[0-9]+)?"
    if not _all(cells, rf"^{_literal(before)} ?{sign}{digits} ?{_literal(after)}$"):
        return {"type": "string"}
    reported: dict[str, Any] = {"type": "number"}
    if form.decimal != ".":
        reported["decimalChar"] = form.decimal
    if form.thousands:
        reported["groupChar"] = form.thousands
    if before or after:
        reported["bareNumber"] = False
    return reported


def _literal(text: str) -> str:
    """Return a regular expression that matches the text; in brackets no letter, blank or unit has another meaning."""
    return "".join(f"[{one}]" for one in text)
