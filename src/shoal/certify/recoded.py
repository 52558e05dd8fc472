"""Check that a released table has recoded values only: none beyond a top or bottom, none unrounded, no merged label.

A top-coded cell reads `>=90`, alone or as the upper end of a range, as in `[60, >=90]`; a bottom-coded cell reads
`<=18`. In means, and if numbers are published for programs (ranges = "columns"), the number has no such mark, and
must not lie beyond the limit. No code is shared with the modules that recode.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext

import polars as pl

from shoal.certify.date_cells import reader_of
from shoal.certify.findings import Failure
from shoal.certify.multiset import parse as read_multiset
from shoal.certify.number_cells import read_number
from shoal.certify.rounded import is_on
from shoal.policy import Column, Policy

_MARK = re.compile(r"(^|\[|, |; )(?:>=|<=)")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_END = rf"(?:>=|<=)?(?:{_QUOTED}|[^\[\]\"]+?)"
_RANGE = re.compile(rf"\[({_END})[,;] ({_END})\]")
_LISTED = re.compile(rf"\s*({_QUOTED}|[^,]+?)\s*(?:,|$)")
_OR_MISSING, _HIDDEN = " or missing", "*"
_POINTS = ("aggregate", "centers")
Reader = Callable[[str], str | None]


def check_recoded(frame: pl.DataFrame, policy: Policy, form: str) -> tuple[pl.DataFrame, list[Failure]]:
    """Return the frame without the marks of top and bottom, and a failure for every column that is not recoded.

    The marks are removed from quasi-identifiers. A column fails if some cells are not recoded as the policy states.
    """
    failures = []
    for name, column in policy.columns.items():
        parts = [part for part in (name, f"{name}_min", f"{name}_max") if part in frame.columns]
        parts = parts[:1] if name in parts else parts
        if not (column.is_recoded and parts) or column.role in ("identifier", "person"):
            continue
        wrong = 0
        judge = _judge(column, policy, form)
        for part in parts:
            # Without the alias, a column called count would clash.
            counts = frame[part].cast(pl.String).alias("cell").value_counts().rows()
            wrong += sum(times for cell, times in counts if cell is not None and not judge(cell))
        if wrong:
            message = f"column {name}: {wrong} cells are not recoded as the policy states"
            failures.append(Failure(check="recoding", column=name, message=message, records=wrong))
    return without_marks(frame, policy), failures


def without_marks(frame: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the frame with quasi-identifiers without the marks of top and bottom."""
    limited = [name for name in policy.quasi if _has_limits(policy.columns[name])]
    there = [part for name in limited for part in (name, f"{name}_min", f"{name}_max") if part in frame.columns]
    return frame.with_columns(pl.Series(part, unmarked(frame[part])) for part in there)


def unmarked(texts: pl.Series) -> pl.Series:
    """Return texts of numbers, dates and ranges without the marks of top and bottom."""
    distinct = texts.unique().drop_nulls()
    plain = pl.Series([_MARK.sub(r"\1", text) for text in distinct.to_list()], dtype=pl.String)
    return texts.replace_strict(distinct, plain, default=None, return_dtype=pl.String)


def _has_limits(column: Column) -> bool:
    return column.top is not None or column.bottom is not None


def _judge(column: Column, policy: Policy, form: str) -> Callable[[str], bool]:
    """Return a function that says whether a cell of the column is recoded as stated."""
    listed = form == "centers" and column.role != "quasi"
    if column.merge is not None:
        return lambda cell: not any(_is_merged(label, column) for label in _labels(cell, column, listed=listed))
    read = _reader(column)
    points = column.role == "quasi" and form in _POINTS
    # ranges = "columns" makes numbers of the ends of ranges; a column with stars is always one of texts
    texts = policy.ranges == "brackets" or (column.role == "quasi" and form == "suppress")
    marked = texts and not points
    return lambda cell: all(
        _is_sound(end, column, read, marked=marked, rounded=not points) for end in _ends(cell, listed=listed)
    )


def _ends(cell: str, *, listed: bool) -> Iterable[str]:
    """Return the numbers or dates of a cell with their marks: both ends of a range, or the values of a multiset."""
    if listed:
        values = read_multiset(cell)
        return [cell] if values is None else [value for value in values if value is not None]
    bare = cell.removesuffix(_OR_MISSING)
    if bare == _HIDDEN:
        return []
    found = _RANGE.fullmatch(bare)
    return found.groups() if found else [bare]


def _is_sound(end: str, column: Column, read: Reader, *, marked: bool, rounded: bool) -> bool:
    """Return whether a number or date is within the limits, is marked if it equals a limit, and is rounded."""
    mark, bare = (end[:2], end[2:]) if end[:2] in (">=", "<=") else ("", end)
    plain = read(bare)
    if plain is None:
        return not bare.strip()  # a blank cell is missing
    low, high = (_compared(plain, limit) for limit in (column.bottom, column.top))
    if low < 0 or high > 0:
        return False
    limit = ">=" if high == 0 and column.top is not None else "<=" if low == 0 and column.bottom is not None else ""
    if mark != (limit if marked else ""):
        return False
    return not rounded or column.round is None or bool(limit) or is_on(plain, column.round)


def _compared(plain: str, limit: float | date | None) -> int:
    """Return -1, 0 or 1 if a number or date lies below, at or above a limit; 0 if there is no limit."""
    if limit is None:
        return 0
    if isinstance(limit, date):
        day, rest = plain[:10], plain[10:].lstrip("T ")
        later = re.sub(r"[+-]\d\d:\d\d$", "", rest).strip("0:.") != ""
        return (day > limit.isoformat()) - (day < limit.isoformat()) or int(later)
    with localcontext(prec=700):
        number, other = Decimal(plain), Decimal(repr(limit))
        return (number > other) - (number < other)


def _reader(column: Column) -> Reader:
    """Return a function that converts a text to a plain number or an ISO 8601 date, or to None if it is neither."""
    form, number = column.date_format, column.number
    if form is not None:
        read = reader_of(form)
        return lambda text: read(_label(text))
    if number is not None:
        return lambda text: read_number(text, number)
    dated = isinstance(column.round, str) or isinstance(column.top, date) or isinstance(column.bottom, date)
    return _iso if dated else _plain


def _plain(text: str) -> str | None:
    """Return a number with a decimal point; None if the text is not a number."""
    bare = text.strip().replace(",", ".")
    try:
        return bare if Decimal(bare).is_finite() else None
    except InvalidOperation:
        return None


def _iso(text: str) -> str | None:
    """Return a date or time in ISO 8601; None if the text is neither."""
    bare = text.strip()
    return bare if re.fullmatch(r"\d{4}-\d\d-\d\d(?:[T ][0-9:.]+(?:[+-]\d\d:\d\d)?)?", bare, re.ASCII) else None


def _labels(cell: str, column: Column, *, listed: bool) -> Iterable[str]:
    """Return the labels of a cell: those of a set, both ends of a range of an order, or the label alone."""
    if listed:
        return [label for label in read_multiset(cell) or () if label is not None]
    if column.hierarchy is not None or column.classes is not None:
        return []  # nodes and classes have names of their own, which may be anything
    bare = cell.removesuffix(_OR_MISSING)
    if bare[:1] + bare[-1:] in ("{}", "[]") and len(bare) > 2:
        return [_label(one) for one in _LISTED.findall(bare[1:-1])]
    return [cell, bare]


def _label(text: str) -> str:
    """Return a text without its JSON quotes, where it has them."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _is_merged(label: str, column: Column) -> bool:
    """Return whether a label was merged into another; False under a certificate's policy, which lists none."""
    return any(
        label in values and label != new
        for new, values in (column.merge or {}).items()
        if not isinstance(values, int)
    )
