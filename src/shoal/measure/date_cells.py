"""Reading released dates that are written in the format of their column: they are measured as ISO 8601."""

from __future__ import annotations

import polars as pl

from shoal.certify.multiset import parse as read_multiset
from shoal.measure.notation import read_range, without_missing
from shoal.measure.number_cells import plain_numbers
from shoal.policy import Policy
from shoal.policy.date_format import DateFormat
from shoal.publish.notation import OR_MISSING, write_multiset
from shoal.tables.date_text import read_dates
from shoal.tables.text import text_of


def dates_in_iso(released: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the released table with the dates of every column that has a format in ISO 8601, and numbers plain.

    Cells that are neither dates nor ranges or multisets of them, such as the nodes of a hierarchy, are unchanged.
    """
    released = plain_numbers(released, policy)
    there = set(released.columns)
    columns = []
    for name, column in policy.columns.items():
        form = column.date_format
        if form is not None and column.role in ("quasi", "sensitive"):
            parts = [part for part in (name, f"{name}_min", f"{name}_max") if part in there]
            columns += [_in_iso(released[part], form) for part in parts if not released[part].dtype.is_temporal()]
    return released.with_columns(columns)


def _in_iso(cells: pl.Series, form: DateFormat) -> pl.Series:
    """Return one column with its dates in ISO 8601; every different text is read once."""
    exact = text_of(read_dates(cells, form))
    texts = cells.cast(pl.String)
    rest = texts.filter(exact.is_null()).unique().drop_nulls()
    lists = {text: _parts(text) for text in rest.to_list()}
    words = pl.Series(sorted({word for parts in lists.values() for word in parts}), dtype=pl.String)
    iso = text_of(read_dates(words, form)).to_list()
    spelled = {word: date for word, date in zip(words.to_list(), iso, strict=True) if date is not None}
    written = pl.Series([_written(text, spelled) for text in lists], dtype=pl.String)
    other = texts.replace_strict(rest, written, default=None, return_dtype=pl.String)
    return pl.select(pl.coalesce(exact, other).alias(cells.name)).to_series()


def _parts(text: str) -> list[str]:
    """Return the ends of a range, the date in `date or missing`, or the values of a multiset."""
    stated, or_missing = without_missing(text)
    ends = read_range(stated)
    if ends is None and or_missing:
        return [stated]
    listed = ends if ends is not None else tuple(read_multiset(text) or ())
    return [part for part in listed if part is not None]


def _written(text: str, spelled: dict[str, str]) -> str:
    """Return a range or multiset with its dates spelled in ISO 8601; any other text unchanged."""
    stated, or_missing = without_missing(text)
    ends = read_range(stated)
    if ends is not None and ends[0] in spelled and ends[1] in spelled:
        return f"[{spelled[ends[0]]}, {spelled[ends[1]]}]" + OR_MISSING * or_missing
    if or_missing and stated in spelled:
        return spelled[stated] + OR_MISSING
    held = read_multiset(text) if ends is None else None
    if not held or not all(label is None or label in spelled for label in held):
        return text
    return write_multiset((label if label is None else spelled[label], count) for label, count in held.items())
