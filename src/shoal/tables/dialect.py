"""How a CSV file is written, found from a bounded sample; what is not certain is refused, not guessed.

A wrong guess cannot pass in silence: rows of unequal width and stray quotes are refused by whoever reads the whole
file, and where two separators fit equally well, or the first line looks like data, the user is asked.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from itertools import islice
from pathlib import Path

from shoal.errors import TableError
from shoal.tables.file_bytes import Buffer, refuse_invalid_utf8
from shoal.tables.options import ReadOptions
from shoal.tables.table import Dialect

_SAMPLE = 1 << 22  # bytes looked at; also the longest first line that is accepted
_ROWS = 200
_SEPARATORS = ",;\t|"
# a year may well be the name of a column
_DATA_CELL = re.compile(r" *(?!(?:19|20)\d\d *$)-?\d+(?:[.,]\d+)? *|\d{4}-\d\d-\d\d.*")
_APOSTROPHE = r"(?:^|[,;\t|\r\n])'"
_APOSTROPHES = _APOSTROPHE + r"[^']*'(?=[,;\t|\r\n]|\Z)"


def detect(data: Buffer, path: Path, options: ReadOptions) -> tuple[Dialect, int]:
    """The dialect, and the number of cells of the first line."""
    whole = len(data) <= _SAMPLE
    try:
        sample = codecs.getincrementaldecoder("utf-8-sig")().decode(data[:_SAMPLE], final=whole)
    except UnicodeDecodeError:
        refuse_invalid_utf8(data, path)
        raise
    quote = options.quote if options.quote is not None else _quote(sample)
    if options.separator is not None:
        separator = options.separator
    else:
        fallback = "\t" if ".tsv" in path.name.lower() else ","
        rows_by_mark = {mark: _rows(sample, whole, mark, quote) for mark in _SEPARATORS}
        separator = _separator(rows_by_mark, fallback, [mark for mark in _SEPARATORS if _fits(sample, mark, quote)])
    rows = _rows(sample, whole, separator, quote)
    if not rows:
        raise TableError(
            f"{str(path)!r} has no line of column names within its first {_SAMPLE >> 20} MiB.",
            "check that it is a table with line ends, and that no closing quote is missing.",
        )
    if options.has_header is None and _looks_like_data(rows):
        raise TableError(
            f"the first line of {str(path)!r} looks like data, not like column names.",
            "has_header=False (--no-header) says that it is data, has_header=True (--header) that it names them.",
        )
    return Dialect(separator, quote, options.decimal or "."), len(rows[0])


def _rows(sample: str, whole: bool, separator: str, quote: str) -> list[list[str]]:
    """The first complete rows of the sample that are not blank."""
    style = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator, **style)
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, _ROWS))
    except csv.Error:  # a cell longer than the csv module takes
        return [row for row in rows if row]
    if len(rows) < _ROWS and not whole:
        rows = rows[:-1]  # cut off by the end of the sample
    return [row for row in rows if row]


def _quote(sample: str) -> str:
    """Apostrophes quote where there is no double quote and each cell that starts with one ends with one."""
    if '"' in sample:
        return '"'
    opened = len(re.findall(_APOSTROPHE, sample))
    return "'" if opened and opened == len(re.findall(_APOSTROPHES, sample)) else '"'


def _fits(sample: str, mark: str, quote: str) -> bool:
    """Whether every quote opens or closes a cell, if cells end at `mark`: a wrong mark leaves some in the middle."""
    if not quote or quote not in sample:
        return True
    q, ends = re.escape(quote), rf"[{re.escape(mark)}\r\n]"
    return quote not in re.sub(rf"(?:\A|(?<={ends})){q}(?:[^{q}]|{q}{q})*(?:{q}(?={ends})|{q}?\Z)", "", sample)


def _separator(rows_by_mark: dict[str, list[list[str]]], fallback: str, fitting_quotes: list[str]) -> str:
    fitting = {mark: [len(row) == len(rows[0]) for row in rows] for mark, rows in rows_by_mark.items() if rows}
    fitting = {mark: fits for mark, fits in fitting.items() if len(rows_by_mark[mark][0]) > 1}
    even = [mark for mark, fits in fitting.items() if all(fits)]
    even = [mark for mark in even if mark in fitting_quotes] or even
    if "\t" in even:  # commas and semicolons occur in texts; tabs do not
        return "\t"
    if len(even) > 1:
        raise TableError(
            f"the separator is not certain: {' and '.join(map(repr, even))} cut every line evenly.",
            "pass separator=... to say which.",
        )
    if even:
        return even[0]
    # no mark fits every row: take the best one, so that the row that does not fit is named
    return max(fitting, key=lambda mark: sum(fitting[mark]), default=fallback)


def _looks_like_data(rows: list[list[str]]) -> bool:
    """Some number or date heads a column of numbers or dates, and no text does; or a text that heads a column stands
    in it again beside others, in two columns. (Alone, it may be a box that was ticked.)
    """
    head, *body = rows
    heads_its_like, again = False, 0
    for name, *cells in zip(head, *(row for row in body if len(row) == len(head)), strict=True):
        values = [cell for cell in cells if cell]
        again += len(set(values)) > 1 and name in values
        if all(_DATA_CELL.fullmatch(cell) for cell in values):
            if _DATA_CELL.fullmatch(name):
                heads_its_like = True
            elif values:
                return False
    return heads_its_like or again >= min(2, len(head))
