"""Text columns to numbers, dates and times, where every cell of the column is one.

Guarantee   A column gets a type only if each of its cells has it; else it stays text. Nothing is lost on the way:
            codes with leading zeros or a plus sign, and integers beyond 64 bits, stay text.

In a column of numbers or dates an empty quoted cell can only be a missing one, so it becomes null; in a column of
text it stays an empty text, apart from null. True and false stay text, so that they are written as they were read.
"""

from __future__ import annotations

import polars as pl

_HEAD = 1000  # rows that decide cheaply which columns are worth a full look
_DIGITS = r"(?:0|[1-9][0-9]*)"
_INTEGER = r"^ *(?:-?(?:0|[1-9][0-9]{0,18}))? *$"
# an exponent needs a sign, a point before it or a small e: 1E5 is as often a code as a number
_FLOAT = (
    rf"^ *(?:-?(?:{_DIGITS}POINT[0-9]*|POINT[0-9]+)(?:[eE][+-]?[0-9]+)?"
    rf"|-?{_DIGITS}(?:e[+-]?[0-9]+|E[+-][0-9]+)?|(?i:[+-]?(?:nan|inf|infinity)))? *$"
)
_THOUSANDS = r"^ *-?[1-9][0-9]{0,2}POINT[0-9]{3} *$"
_DATE = r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?$"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_NAIVE = rf"^(?:{_TIME})?$"
_FORMAT = "%Y-%m-%dT%H:%M:%S%.f"
_ZONED = rf"^(?:{_TIME}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}}))?$"


def infer(frame: pl.DataFrame, separator: str, decimal: str | None) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    """The frame with its types, the decimal mark (found, if None was given), and notes."""
    integers = _matching(frame, frame.columns, _INTEGER)
    rest = _without(frame.columns, integers)
    point, comma = (_matching(frame, rest, _FLOAT.replace("POINT", mark)) for mark in (r"\.", ","))
    if decimal is None:
        # after a comma as separator, 1,234 in quotes is rather a thousand
        found = separator != "," and _decides(frame, comma, ",") and not _decides(frame, point, ".")
        decimal = "," if found else "."
    floats, others = (point, comma) if decimal == "." else (comma, point)
    rest = _without(rest, floats)

    typed = {name: _bare(name).cast(pl.Int64, strict=False) for name in integers}
    for name in floats:
        typed[name] = _bare(name).str.replace(decimal, ".", literal=True).cast(pl.Float64, strict=False)
    for name in _matching(frame, rest, _DATE):
        typed[name] = pl.col(name).str.to_date("%Y-%m-%d", strict=False)
    for name in _matching(frame, rest, _NAIVE):
        typed[name] = _moment(name).str.to_datetime(_FORMAT, time_unit="us", strict=False)
    for name in _matching(frame, rest, _ZONED):
        text = _moment(name).str.replace("Z$", "+00:00")
        typed[name] = text.str.to_datetime(_FORMAT + "%:z", time_unit="us", strict=False)

    result = frame.select(expr.alias(name) for name, expr in typed.items())
    kept = [column for column in result.get_columns() if _is_whole(column, frame[column.name])]
    return frame.with_columns(kept), decimal, _note(_without(others, floats), decimal)


def _is_whole(column: pl.Series, text: pl.Series) -> bool:
    """Nothing but blanks was lost (there is no 30 February, and no int64 of 20 digits), and something is there."""
    lost = column.null_count() - text.null_count()
    if lost and lost != text.str.strip_chars(" ").eq("").sum():
        return False
    return bool(column.is_finite().any()) if column.dtype == pl.Float64 else column.null_count() < len(column)


def _matching(frame: pl.DataFrame, names: list[str], pattern: str) -> list[str]:
    """The columns of which every cell matches; the first rows throw out most of them."""
    for part in (frame.head(_HEAD), frame):
        passes = part.select(pl.col(names).str.contains(pattern).all())
        names = [name for name in names if passes[name].item()]
    return names


def _decides(frame: pl.DataFrame, names: list[str], mark: str) -> bool:
    """Whether the mark occurs in a number where it cannot be one that separates thousands."""
    has_mark = pl.col(names).str.contains(mark, literal=True)
    thousands = pl.col(names).str.contains(_THOUSANDS.replace("POINT", "\\" + mark))
    return any(frame.select((has_mark & ~thousands).any()).row(0)) if names else False


def _without(names: list[str], taken: list[str]) -> list[str]:
    gone = set(taken)
    return [name for name in names if name not in gone]


def _bare(name: str) -> pl.Expr:
    return pl.col(name).str.strip_chars(" ")


def _moment(name: str) -> pl.Expr:
    """The text of date and time with a T between them, and with seconds."""
    text = pl.col(name).str.replace(" ", "T", literal=True)
    return text.str.replace(r"^(.{16})(Z|[+-].*|)$", "${1}:00${2}")


def _note(names: list[str], decimal: str) -> tuple[str, ...]:
    if not names:
        return ()
    other = {".": ",", ",": "."}[decimal]
    shown = ", ".join(map(repr, names[:5])) + (" and others" if len(names) > 5 else "")
    verb = f"column{'s' if len(names) > 1 else ''} {shown}: numbers with {other!r} were read as text"
    return (f"{verb}; pass decimal={other!r} if that is the decimal mark.",)
