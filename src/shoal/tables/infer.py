"""Types of the columns of a CSV file: numbers, dates and times, where every cell of the column is one.

Guarantee   A column gets a type only if each of its cells has that type; otherwise it stays text. No information is
            lost: codes with leading zeros or a plus sign, and integers beyond 64 bits, stay text.

In a column of numbers or dates an empty quoted cell becomes null, because it can only mean a missing value; in a
column of text it stays an empty text, distinct from null. True and false stay text, so that they are written as they
were read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

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

TextKind = Literal["integer", "point", "comma", "date", "moment", "zoned"]
"""What every cell of a column of texts may be: numbers with either decimal mark, and dates with or without a time."""
PATTERNS: Mapping[TextKind, str] = {
    "integer": _INTEGER,
    "point": _FLOAT.replace("POINT", r"\."),
    "comma": _FLOAT.replace("POINT", ","),
    "date": _DATE,
    "moment": _MOMENT,
    "zoned": _ZONED,
}
MARKS: Mapping[TextKind, str] = {"point": ".", "comma": ","}
"""The decimal marks by which two of the kinds differ."""


def infer(frame: pl.DataFrame, separator: str, decimal: str | None) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    """Return the frame with its types, the decimal mark (detected if None was given), and notes for the user."""
    integers = matching(frame, frame.columns, "integer")
    rest = _without(frame.columns, integers)
    point, comma = (matching(frame, rest, kind) for kind in ("point", "comma"))
    if decimal is None:
        decimal = decimal_mark(separator, comma=any_decides(frame, comma, ","), point=any_decides(frame, point, "."))
    floats, others = (point, comma) if decimal == "." else (comma, point)
    rest = _without(rest, floats)
    kinds: dict[str, TextKind] = dict.fromkeys(integers, "integer")
    kinds |= dict.fromkeys(floats, "point" if decimal == "." else "comma")
    for kind in ("date", "moment", "zoned"):
        kinds |= dict.fromkeys(matching(frame, rest, kind), kind)
    typed = typed_columns(frame, kinds)
    kept, nan = _nothing_lost(frame, typed)
    notes = [f"column {name!r}: {count} NaN taken as missing." for name, count in nan.items() if name in kept]
    notes += left_as_text(_without(others, floats), decimal)
    return frame.with_columns(typed.select(kept).get_columns()), decimal, tuple(notes)


def typed_columns(frame: pl.DataFrame, kinds: Mapping[str, TextKind]) -> pl.DataFrame:
    """Return the columns of texts that have a kind, as numbers, dates and times; a cell that is none is null."""
    names = {kind: [name for name, own in kinds.items() if own == kind] for kind in PATTERNS}
    return frame.select(
        pl.col(names["integer"]).str.strip_chars(" ").cast(pl.Int64, strict=False),
        pl.col(names["point"]).str.strip_chars(" ").cast(pl.Float64, strict=False),
        pl.col(names["comma"])
        .str.strip_chars(" ")
        .str.replace(",", ".", literal=True)
        .cast(pl.Float64, strict=False),
        pl.col(names["date"]).str.to_date("%Y-%m-%d", strict=False),
        _whole(frame, names["moment"]).str.to_datetime(_FORMAT, time_unit="us", strict=False),
        _whole(frame, names["zoned"])
        .str.replace("Z$", "+00:00")
        .str.to_datetime(_FORMAT + "%:z", time_unit="us", strict=False),
    )


def matching(frame: pl.DataFrame, names: list[str], kind: TextKind) -> list[str]:
    """Return the names of the columns in which every cell is of a kind. The first rows are checked first."""
    pattern = PATTERNS[kind]
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


def n_blank(texts: pl.Series) -> int:
    """Return how many cells have nothing but blanks."""
    return int((texts.str.strip_chars(" ") == "").sum())


def n_nan(texts: pl.Series) -> int:
    """Return how many cells say that they are no number."""
    return int(texts.str.strip_chars(" ").str.contains(_NAN).sum())


def decimal_mark(separator: str, *, comma: bool, point: bool) -> str:
    """Return the decimal mark of a file in which a comma or a point occurs where it cannot separate thousands."""
    # where commas separate cells, a quoted 1,234 is more likely a thousand than a decimal number
    return "," if separator != "," and comma and not point else "."


def any_decides(frame: pl.DataFrame, names: list[str], mark: str) -> bool:
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


def left_as_text(names: list[str], decimal: str) -> list[str]:
    """Return a note about columns that would be numbers if the other decimal mark were used."""
    if not names:
        return []
    other = "," if decimal == "." else "."
    hint = f"pass decimal={other!r} if that is the decimal mark."
    return [f"numbers with {other!r} were read as text in {listed(names)}; {hint}"]
