"""Reading released numbers that are written in the format of their column: they are measured with a decimal point."""

from __future__ import annotations

import re

import polars as pl

from shoal.certify.multiset import parse as read_multiset
from shoal.policy import Policy
from shoal.policy.number_format import NumberFormat
from shoal.publish.notation import write_multiset
from shoal.tables.number_text import read_numbers
from shoal.tables.recoded import AT_LEAST, AT_MOST
from shoal.tables.text import text_of

_MARK = rf"(^|\[|, |; )(?:{AT_LEAST}|{AT_MOST})"
_RANGE = {between: re.compile(rf"\[(.+?){between}(.+)([\])])( or missing)?") for between in (", ", "; ")}


def plain_numbers(released: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the released table with the numbers of every column that has a format in digits and a decimal point.

    The marks of a top and a bottom are removed: the original table is recoded in the same way before it is compared.
    """
    released = _without_marks(released, policy)
    there = set(released.columns)
    columns = []
    for name, column in policy.columns.items():
        form = column.number
        if form is not None and column.role in ("quasi", "sensitive"):
            parts = [part for part in (name, f"{name}_min", f"{name}_max") if part in there]
            columns += [_plain(released[part], form) for part in parts if released[part].dtype == pl.String]
    return released.with_columns(columns)


def _without_marks(released: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the released table without what is written before a top or a bottom, where numbers are compared."""
    limited = [
        part
        for name, column in policy.columns.items()
        if column.role in ("quasi", "sensitive") and (column.top is not None or column.bottom is not None)
        for part in (name, f"{name}_min", f"{name}_max")
    ]
    texts = [one for one in limited if one in released.columns and released[one].dtype == pl.String]
    return released.with_columns(pl.col(texts).str.replace_all(_MARK, "$1")) if texts else released


def _plain(cells: pl.Series, form: NumberFormat) -> pl.Series:
    distinct = cells.unique().drop_nulls()
    texts = pl.Series([_cell(text, form) for text in distinct.to_list()], dtype=pl.String)
    return cells.replace_strict(distinct, texts, default=None, return_dtype=pl.String).alias(cells.name)


def _cell(text: str, form: NumberFormat) -> str:
    """Return a cell with plain numbers; one that is neither a number nor a range or multiset of them unchanged."""
    bare = text.removesuffix(" or missing")
    if (alone := _number(bare, form)) is not None:
        return alone + text[len(bare) :]
    if found := _RANGE[form.between_ends].fullmatch(text):
        ends = [_number(end, form) for end in found.groups()[:2]]
        return text if None in ends else f"[{ends[0]}, {ends[1]}{found[3]}{found[4] or ''}"
    held = read_multiset(text)
    if not held:
        return text
    values = {label: None if label is None else _number(label, form) for label in held}
    if any(label is not None and value is None for label, value in values.items()):
        return text
    return write_multiset((values[label], count) for label, count in held.items())


def _number(text: str, form: NumberFormat) -> str | None:
    found: str | None = text_of(read_numbers(pl.Series([text]), form))[0]
    return found
