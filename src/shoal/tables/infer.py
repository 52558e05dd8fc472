"""Types of the columns of a CSV file: numbers, dates and times, where every cell of the column is one.

Guarantee   A column gets a type only if each of its cells has that type; otherwise it stays text. No information is
            lost: codes with leading zeros or a plus sign, and integers beyond 64 bits, stay text.

In a column of numbers or dates an empty quoted cell becomes null, because it can only mean a missing value; in a
column of text it stays an empty text, distinct from null. True and false stay text, so that they are written as they
were read.
"""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

from shoal.tables.check import listed

_HEAD = 1000  # rows that are checked first: they rule out most columns at little cost
_DIGITS = r"(?:0|[1-9][0-9]*)"
_INTEGER = rf"^ *(?:-?{_DIGITS}|(?i:[+-]?nan))? *$"
# an exponent needs a sign, a decimal point before it or a lower-case e: 1E5 is as often a code as a number
_FLOAT = (
    rf"^ *(?:-?(?:{_DIGITS}POINT[0-9]*|POINT[0-9]+)(?:[eE][+-]?[0-9]+)?"
    rf"|-?{_DIGITS}(?:e[+-]?[0-9]+|E[+-][0-9]+)?|(?i:[+-]?(?:nan|inf|infinity)))? *$"
)
_NAN = r"^(?i:[+-]?nan)$"
_THOUSANDS = r"^ *-?[1-9][0-9]{0,2}POINT[0-9]{3} *$"
_DATE = r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?$"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_MOMENT = rf"^(?:{_TIME})?$"
_FORMAT = "%Y-%m-%dT%H:%M:%S%.f"
_ZONED = rf"^(?:{_TIME}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}}))?$"


def infer(frame: pl.DataFrame, separator: str, decimal: str | None) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    """Return the frame with its types, the decimal mark (detected if None was given), and notes for the user."""
    integers = _matching(frame, frame.columns, _INTEGER)
    rest = _without(frame.columns, integers)
    point, comma = (_matching(frame, rest, _FLOAT.replace("POINT", mark)) for mark in (r"\.", ","))
    if decimal is None:
        # where commas separate cells, a quoted 1,234 is more likely a thousand than a decimal number
        found = separator != "," and _decides(frame, comma, ",") and not _decides(frame, point, ".")
        decimal = "," if found else "."
    floats, others = (point, comma) if decimal == "." else (comma, point)
    rest = _without(rest, floats)
    dates, moments, zoned = (_matching(frame, rest, pattern) for pattern in (_DATE, _MOMENT, _ZONED))

    bare_floats = pl.col(floats).str.strip_chars(" ")
    if decimal != ".":
        bare_floats = bare_floats.str.replace(decimal, ".", literal=True)
    typed = frame.select(
        pl.col(integers).str.strip_chars(" ").cast(pl.Int64, strict=False),
        bare_floats.cast(pl.Float64, strict=False),
        pl.col(dates).str.to_date("%Y-%m-%d", strict=False),
        _whole(frame, moments).str.to_datetime(_FORMAT, time_unit="us", strict=False),
        _whole(frame, zoned)
        .str.replace("Z$", "+00:00")
        .str.to_datetime(_FORMAT + "%:z", time_unit="us", strict=False),
    )
    kept, nan = _nothing_lost(frame, typed)
    notes = [f"column {name!r}: {count} NaN taken as missing." for name, count in nan.items() if name in kept]
    notes += _left_as_text(_without(others, floats), decimal)
    return frame.with_columns(typed.select(kept).get_columns()), decimal, tuple(notes)


def _matching(frame: pl.DataFrame, names: list[str], pattern: str) -> list[str]:
    """Return the names of the columns in which every cell matches the pattern. The first rows are checked first."""
    for part in (frame.head(_HEAD), frame) if frame.height > _HEAD else (frame,):
        passes = part.select(pl.col(names).str.contains(pattern).all())
        names = [column.name for column in passes.get_columns() if column.item()]
    return names


def _nothing_lost(frame: pl.DataFrame, typed: pl.DataFrame) -> tuple[list[str], dict[str, int]]:
    """Return the typed columns that may be used, and the number of NaN that became null in columns of integers.

    A typed column is used if it has a finite value and its conversion turned only blanks and NaN into null. There is
    no 30 February and no 64-bit integer of 20 digits, so columns with such cells stay text.
    """
    before, after = (part.null_count().row(0, named=True) if part.width else {} for part in (frame, typed))
    empty = {name for name, count in after.items() if count == typed.height}
    finite = typed.select(cs.float().is_finite().any())
    empty.update(column.name for column in finite.get_columns() if not column.item())

    lossy = [name for name in typed.columns if after[name] > before[name]]
    bare = frame.select(pl.col(lossy).str.strip_chars(" "))
    blank = bare.select(pl.all().eq("").sum())
    nan = bare.select(pl.all().str.contains(_NAN).sum())
    lost = {name for name in lossy if after[name] - before[name] > blank[name].item() + nan[name].item()}
    kept = [name for name in typed.columns if name not in empty and name not in lost]
    return kept, {name: nan[name].item() for name in lossy if nan[name].item() and typed[name].dtype == pl.Int64}


def _decides(frame: pl.DataFrame, names: list[str], mark: str) -> bool:
    """Return whether the mark occurs in some number where it cannot be a separator of thousands."""
    has_mark = pl.col(names).str.contains(mark, literal=True)
    thousands = pl.col(names).str.contains(_THOUSANDS.replace("POINT", "\\" + mark))
    return any(frame.select((has_mark & ~thousands).any()).row(0)) if names else False


def _without(names: list[str], taken: list[str]) -> list[str]:
    excluded = set(taken)
    return [name for name in names if name not in excluded]


def _whole(frame: pl.DataFrame, names: list[str]) -> pl.Expr:
    """Return texts of date and time in one form: with a T between date and time, and with seconds."""
    text = pl.col(names).str.replace(" ", "T", literal=True)
    without_seconds = pl.col(names).str.len_bytes().is_in([16, 17, 22])
    if not names or not any(frame.select(without_seconds.any()).row(0)):
        return text
    return text.str.replace(r"^(.{16})(Z|[+-].*|)$", "${1}:00${2}")


def _left_as_text(names: list[str], decimal: str) -> list[str]:
    """Return a note about columns that would be numbers if the other decimal mark were used."""
    if not names:
        return []
    other = "," if decimal == "." else "."
    hint = f"pass decimal={other!r} if that is the decimal mark."
    return [f"numbers with {other!r} were read as text in {listed(names)}; {hint}"]
