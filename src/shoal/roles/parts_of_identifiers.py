"""Columns that repeat what an identifier of the same table says: `last` beside `name`, a family's number, a parent's.

A heading such as `last` or `FID` says little, and family names in lower case look like labels. But a column whose
cells are words of the name in the same row is a part of that name, one whose codes are the beginning of the person's
code numbers a family, and one whose values are the codes of other rows points at the people in those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from shoal.roles.column_profile import ColumnProfile
from shoal.roles.distinct_values import some_of
from shoal.roles.kinds import is_text

SHARE = 0.8
"""The least share of the cells, or of the different values, that must be a part or a reference."""
FEWEST = 5
"""The fewest different values: one value in every row, such as a country, may be a word of some names by chance."""
_CODE = r"(?:\pL.*\d|\d.*\pL)"
"""A code of letters and digits. Digits alone, such as a year, are part of many codes by chance."""
_SHORTEST = 4
ROWS, MOST_VALUES = 10_000, 1_000
"""How many rows, and how many different values, are compared at most: more would not change what they are."""


def without_parts(columns: list[ColumnProfile], frame: pl.DataFrame) -> list[ColumnProfile]:
    """Return the columns; parts of names, parts of codes and references to codes are proposed as identifiers.

    At most `ROWS` rows are looked at, chosen by a hash of their identifier, so that their order decides nothing.
    """
    named = [one.name for one in columns if one.what == "name of a person" and is_text(frame[one.name].dtype)]
    coded = [
        one.name
        for one in columns
        if one.role in ("identifier", "person") and one.name not in named and one.distinct >= FEWEST
    ]
    if not named and not coded:
        return columns
    of_rows = max((one for one in columns if one.name in (*named, *coded)), key=lambda one: one.distinct).name
    some = frame
    if len(frame) > 2 * ROWS:
        some = frame.filter(frame[of_rows].hash() % (len(frame) // ROWS) == 0)
    shapes = {name: _shapes(some[name]) for name in coded if is_text(some[name].dtype)}
    return [_judged(column, named, shapes, coded, some, frame) if _is_open(column) else column for column in columns]


def _is_open(column: ColumnProfile) -> bool:
    return column.role == "quasi" and column.distinct >= FEWEST and column.type in ("text", "whole number")


def _judged(
    column: ColumnProfile,
    named: list[str],
    shapes: Mapping[str, pl.Series],
    coded: list[str],
    some: pl.DataFrame,
    frame: pl.DataFrame,
) -> ColumnProfile:
    """Return the column as an identifier if it repeats one of the identifiers; otherwise as it is."""
    values = some[column.name]
    text = is_text(values.dtype)
    for name in named if text else []:
        if found := _inside(_words(column.name), _words(name), 3, some):
            return _removed(column, "name of a person", "A", f"{found} are part of the name in {name!r}")
    different = some_of(values.drop_nulls().unique(), MOST_VALUES)
    own_shapes = _shapes(different) if text else None
    is_coded = text and bool(values.cast(pl.String).str.contains(_CODE).any())
    for name in coded:
        if is_coded and is_text(some[name].dtype):
            code = pl.col(column.name).cast(pl.String).str.strip_chars()
            some_codes = some.filter(code.str.contains(_CODE))
            if found := _inside(code, pl.col(name).cast(pl.String), _SHORTEST, some_codes):
                return _removed(column, "part of a code", "R", f"{found} are part of the code in {name!r}")
        alike = own_shapes is None or (name in shapes and bool(own_shapes.is_in(shapes[name].implode()).any()))
        if alike and values.dtype == frame[name].dtype and _refers(different, frame[name]):
            return _removed(column, "reference to another row", "R", f"its values are codes in {name!r}")
    return column


def _inside(part: pl.Expr, whole: pl.Expr, shortest: int, some: pl.DataFrame) -> str:
    """Return how many cells are inside the cell of the other column, in words; empty if too few are."""
    both = some.lazy().filter(whole.is_not_null() & (part.str.len_chars() >= shortest))
    inside = whole.str.contains(part, literal=True)
    n_inside, n_cells = both.select(inside.sum().alias("inside"), pl.len().alias("cells")).collect().row(0)
    enough = n_cells >= FEWEST and n_inside >= SHARE * n_cells
    return f"{n_inside} of {n_cells} cells that were compared" if enough else ""


def _refers(different: pl.Series, codes: pl.Series) -> bool:
    """Return whether nearly all different values are among the codes of an identifier."""
    if different.dtype.is_numeric() and (not len(codes) or codes.is_null().all() or codes.min() < 10_000):  # type: ignore[operator]
        return False  # years, ages and codes of few digits are among the numbers of the rows by chance
    known = int(different.is_in(codes.drop_nulls().implode()).sum())
    return known >= max(FEWEST, SHARE * len(different))


def _shapes(texts: pl.Series) -> pl.Series:
    """Return what codes look like, with every digit written as 9 and every letter as A, each form once."""
    some = texts.drop_nulls().cast(pl.String).unique()
    return some.str.replace_all(r"\d", "9").str.replace_all(r"\pL", "A").unique()


def _removed(column: ColumnProfile, what: str, letter: str, why: str) -> ColumnProfile:
    reason = f"{what} (HIPAA Safe Harbor {letter}): {why}"
    return replace(
        column,
        role="identifier",
        kind=None,
        what=what,
        safe_harbor=letter,
        reason=reason,
        questions=(),
        prefix=False,
        cuts=(),
        order=(),
    )


def _words(name: str) -> pl.Expr:
    """Return the words of a column in lower case with a blank around each."""
    text = pl.col(name).cast(pl.String).str.to_lowercase().str.replace_all(r"[^\pL'’\-]+", " ").str.strip_chars()
    return pl.concat_str(pl.lit(" "), text, pl.lit(" "))
