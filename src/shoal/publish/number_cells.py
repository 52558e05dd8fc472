"""Writing published numbers in the format of their column: alone, as both ends of a range, in intervals of widths."""

from __future__ import annotations

import re

import polars as pl

from shoal.policy.number_format import DECIMAL_COMMA, NumberFormat
from shoal.tables.number_text import write_number, write_numbers

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_END = rf"(?:>=|<=)?{_NUMBER.pattern}"
_RANGE = re.compile(rf"\[({_END}), ({_END})([\])].*)")


def in_number_format(cells: pl.Series, form: NumberFormat) -> pl.Series:
    """Return published cells with every number in the format; a missing or hidden cell is unchanged.

    The ends of ranges are separated by a semicolon where the format has commas: `[48,6; 75,2]`.
    Numbers of a file with decimal commas stay numbers: the file is written with decimal commas.
    """
    if cells.dtype.is_numeric():
        return cells if form == DECIMAL_COMMA else write_numbers(cells, form)
    if cells.dtype != pl.String:
        return cells
    distinct = cells.unique().drop_nulls()
    texts = [_respelled(text, form) for text in distinct.to_list()]
    return cells.replace_strict(distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String)


def _respelled(text: str, form: NumberFormat) -> str:
    """Return a cell with its numbers in the format; the marks of a top or bottom stay before them."""
    if found := _RANGE.fullmatch(text):
        text = f"[{found[1]}{form.between_ends}{found[2]}{found[3]}"
    return _NUMBER.sub(lambda one: write_number(one[0], form), text)
