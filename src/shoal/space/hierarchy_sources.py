"""Building hierarchies from their sources: a file, widths for numbers, periods for dates, masking for codes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import pairwise
from pathlib import Path

import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Hierarchy, Period
from shoal.space.hierarchy import ROOT, Tree, tree_of_levels
from shoal.space.zip_areas import zip_levels
from shoal.tables.text import text_of

EXACT = 700
"""Decimal digits of precision; the quotient of any two floating-point numbers has fewer before its point."""
FINEST_FIRST: tuple[Period, ...] = ("day", "week", "month", "quarter", "year", "decade")


def build_tree(values: pl.Series, source: Hierarchy, *, strays: bool = False, least_level: int = 0) -> Tree:
    """Return the tree of a column's values. Every value is in it, or a `SchemaError` is raised.

    With `strays`, a value that a file does not have becomes a leaf of its own below the root. With `least_level`, the
    nodes of that level are the leaves, and every value has one of them in its place.
    """
    name, missing = values.name, values.null_count() > 0
    present = values.drop_nulls().unique().sort()
    if source.file is not None:
        levels = _file_levels(name, values, source.file, strays=strays)
    elif source.widths is not None:
        levels = _width_levels(name, present, source.widths)
    elif source.periods is not None:
        levels = _period_levels(name, present, source.periods)
    elif source.areas is not None:
        levels = zip_levels(text_of(present).to_list())
    else:
        levels = _prefix_levels(text_of(present).to_list(), source.cuts)
    whole = tree_of_levels(name, levels, missing=missing)
    if not least_level:
        return whole
    if least_level >= len(levels):
        raise SchemaError(
            f"column {name}: its least_level is {least_level}, and its hierarchy has levels up to {len(levels) - 1}.",
            "give a lower least_level; 0 are the values themselves.",
        )
    paths = dict.fromkeys(zip(*levels[least_level:], strict=True))
    above = [[path[h] for path in paths] for h in range(len(levels) - least_level)]  # empty where all is missing
    cut = tree_of_levels(name, above, missing=missing)
    return replace(cut, leaf_of=dict(zip(levels[0], levels[least_level], strict=True)))


def names_above(
    values: pl.Series, source: Hierarchy, *, length: int | None = None, least_level: int = 0
) -> dict[str, list[str]]:
    """Return, for every value that the hierarchy has, its text and its names on the levels above, without an added
    root; with `least_level`, only those from that level on.

    `length` is that of the longest code if codes are masked; longer codes are not in the hierarchy.
    """
    name, present = values.name, values.drop_nulls().unique().sort()
    if source.file is not None:
        return {row[0]: row[least_level:] for row in file_rows(name, source.file)}
    if source.prefix and source.areas is None and length is not None:
        present = present.filter(text_of(present).str.len_chars() <= length)
    if source.widths is not None:
        levels = _width_levels(name, present, source.widths)
    elif source.periods is not None:
        levels = _period_levels(name, present, source.periods)
    elif source.areas is not None:
        levels = zip_levels(text_of(present).to_list())
    else:
        levels = _prefix_levels(text_of(present).to_list(), source.cuts, length)
    return {names[0]: list(names[least_level:]) for names in zip(*levels, strict=True)}


def file_rows(name: str, file: Path) -> list[list[str]]:
    """Return the rows of a hierarchy file: one per value, with the value and then the nodes above it."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as failed:
        raise SchemaError(
            f"column {name}: its hierarchy {file.name} cannot be read ({failed.strerror}).",
            "paths in a policy are relative to the policy's own folder.",
        ) from None
    except UnicodeDecodeError:
        raise SchemaError(f"column {name}: its hierarchy {file.name} is not UTF-8 text.") from None
    numbered = rows_of(text)
    if not numbered:
        raise SchemaError(f"column {name}: its hierarchy {file.name} is empty.")
    first, width = numbered[0][0], len(numbered[0][1])
    for number, row in numbered:
        if len(row) != width:
            raise SchemaError(
                f"column {name}: line {number} of its hierarchy {file.name} has {len(row)} cells, "
                f"line {first} has {width}."
            )
    return [row for _, row in numbered]


def rows_of(text: str) -> list[tuple[int, list[str]]]:
    """Return the lines of a hierarchy file with their numbers. The separator is the most frequent one in the first
    line.
    """
    separator = max(";,\t|", key=text.lstrip().partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [(lines.line_num, row) for row in lines if row]


def _file_levels(name: str, values: pl.Series, file: Path, *, strays: bool) -> list[list[str]]:
    """Return the levels in a file; with `strays` values that the file lacks are added below the root."""
    rows = file_rows(name, file)
    known = {row[0] for row in rows}
    cells = text_of(values.drop_nulls())
    absent = cells.filter(~cells.is_in(list(known)))
    if len(absent) and strays:
        tops = {row[-1] for row in rows}
        root = list(tops) if len(tops) == 1 and len(rows[0]) > 1 else []
        rows = rows + [[text] * (len(rows[0]) - len(root)) + root for text in absent.unique().sort().to_list()]
    elif len(absent):
        raise SchemaError(
            f"column {name}: its hierarchy {file.name} lacks {absent.n_unique()} values of the column in its "
            f"first column (level 0); {len(absent)} rows hold them.",
            "add a line for each of them.",
        )
    return [list(level) for level in zip(*rows, strict=True)]


def _width_levels(name: str, present: pl.Series, widths: tuple[float, ...]) -> list[list[str]]:
    """Return the names of intervals [a, b) of each width, one level per width; each width is a multiple of the one
    before.

    It computes in decimals, as numbers are written: in binary, 0.3 is less than three times 0.1.
    """
    _require(name, "widths", "numbers", fits=present.is_empty() or present.dtype.is_numeric())
    sizes = [Decimal(repr(float(width))) for width in widths]
    levels = [text_of(present).to_list()]
    with localcontext(prec=EXACT):
        for fine, coarse in pairwise(sizes):
            if coarse <= fine or coarse % fine:
                raise SchemaError(
                    f"column {name}: widths must grow, each a multiple of the one before: "
                    f"not {_plain(fine)}, {_plain(coarse)}.",
                    "such as widths = [5, 10, 20].",
                )
        numbers = [Decimal(text) for text in levels[0]]
        for size in sizes:
            # `//` rounds toward 0, but intervals of negative numbers begin below them
            places = [number // size - (number % size < 0) for number in numbers]
            written = {place: f"[{_plain(place * size)}, {_plain((place + 1) * size)})" for place in set(places)}
            levels.append([written[place] for place in places])
    return levels


def _require(name: str, what: str, cells: str, *, fits: bool) -> None:
    """Raise a `SchemaError` unless the column's cells are of the type that the hierarchy needs."""
    if not fits:
        raise SchemaError(
            f"column {name}: a hierarchy of {what} needs {cells}, but its cells are not {cells}.",
            "give a hierarchy of labels: a file, or prefix = true.",
        )


def _plain(number: Decimal) -> str:
    """Return the number with all its digits, without an exponent or trailing zeros."""
    return f"{number:f}".rstrip("0").rstrip(".") if number % 1 else f"{int(number)}"


def _period_levels(name: str, present: pl.Series, periods: tuple[Period, ...]) -> list[list[str]]:
    """Return the names of days, weeks, months, quarters, years or decades, one level per period.

    Weeks do not nest in months, so no period may follow a week.
    """
    _require(name, "periods", "dates", fits=present.is_empty() or present.dtype in (pl.Date, pl.Datetime))
    if list(periods) != sorted(set(periods), key=FINEST_FIRST.index):
        raise SchemaError(f"column {name}: periods must grow, such as month, quarter, year, decade.")
    if "week" in periods and len(periods) > periods.index("week") + 1:
        raise SchemaError(
            f"column {name}: weeks do not nest in months, quarters or years.",
            "let week be the last period, or leave it out.",
        )
    write: dict[Period, Callable[[pl.Series], pl.Series]] = {
        "day": lambda d: d.dt.strftime("%Y-%m-%d"),
        "week": lambda d: d.dt.strftime("%G-W%V"),
        "month": lambda d: d.dt.strftime("%Y-%m"),
        "quarter": lambda d: d.dt.year().cast(pl.String) + "-Q" + d.dt.quarter().cast(pl.String),
        "year": lambda d: d.dt.year().cast(pl.String),
        "decade": lambda d: (d.dt.year() // 10 * 10).cast(pl.String) + "s",
    }
    return [text_of(present).to_list(), *(write[period](present).to_list() for period in periods)]


def _prefix_levels(
    codes: list[str], cuts: tuple[int, ...] | None = None, length: int | None = None
) -> list[list[str]]:
    """Return codes with one more character masked from the right on each level, or with what follows each of `cuts`.

    Positions are counted from the left, so a code that is shorter than others is masked on later levels. A code that
    ends at a cut is the unit that the cut names, so it is in that unit with the codes below: C50 with C50.1. `length`
    is that of the longest code, here or in another table.
    """
    length = length if length is not None else max((len(code) for code in codes), default=0)
    levels = [codes]
    if cuts is not None:
        for kept in (cut for cut in reversed(cuts) if cut < length):
            levels.append([code if len(code) < kept else code[:kept] + ROOT * (length - kept) for code in codes])
        return levels
    for kept in range(length - 1, 0, -1):
        levels.append([code if len(code) <= kept else code[:kept] + ROOT * (length - kept) for code in codes])
    return levels
