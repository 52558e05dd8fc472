"""Detecting how a CSV file is written (separator, quote character, header line) from the start of the file.

A wrong guess cannot go unnoticed: rows of unequal width and stray quotes are refused when the whole file is read,
and where two separators fit equally well, or the first line looks like data, an error asks the user to say which.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from itertools import islice
from pathlib import Path

from shoal.errors import TableError
from shoal.tables.file_bytes import Buffer
from shoal.tables.options import ReadOptions
from shoal.tables.table import Dialect
from shoal.tables.text_file import refuse_invalid_utf8

_SAMPLE = 1 << 22  # bytes of the sample (4 MiB); also the longest first line that is accepted
_ROWS = 200  # rows of the sample that are compared; enough to tell separators apart, and quick
_SEPARATORS = ",;\t|"
# a number or a date, but not a year from 1900 to 2099, which is often the name of a column
_DATA_CELL = re.compile(r" *(?!(?:19|20)\d\d *$)-?\d+(?:[.,]\d+)? *|\d{4}-\d\d-\d\d.*")
_APOSTROPHE = r"(?:^|[,;\t|\r\n])'"
_APOSTROPHES = _APOSTROPHE + r"[^']*'(?=[,;\t|\r\n]|\Z)"


def detect(data: Buffer, path: Path, options: ReadOptions) -> tuple[Dialect, int]:
    """Return the dialect and the number of cells in the first line; options the user gave are not detected."""
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
            "pass has_header=False (--no-header) if it is data, has_header=True (--header) if it has the names.",
        )
    return Dialect(separator, quote, options.decimal or "."), len(rows[0])


def _rows(sample: str, whole: bool, separator: str, quote: str) -> list[list[str]]:
    """Return the first complete rows of the sample (at most `_ROWS`) that are not blank."""
    style = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator, **style)
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, _ROWS))
    except csv.Error:  # a cell is longer than the csv module accepts
        return [row for row in rows if row]
    if len(rows) < _ROWS and not whole:
        rows = rows[:-1]  # cut off by the end of the sample
    return [row for row in rows if row]


def _quote(sample: str) -> str:
    """Return the quote character: the double quote, unless the sample has none and apostrophes are used in pairs.

    Apostrophes count as quotes if every cell that starts with one also ends with one.
    """
    if '"' in sample:
        return '"'
    opened = len(re.findall(_APOSTROPHE, sample))
    return "'" if opened and opened == len(re.findall(_APOSTROPHES, sample)) else '"'


def _fits(sample: str, mark: str, quote: str) -> bool:
    """Return whether every quote opens or closes a cell if `mark` is the separator.

    With a wrong separator some quotes are in the middle of a cell.
    """
    if not quote or quote not in sample:
        return True
    q, ends = re.escape(quote), rf"[{re.escape(mark)}\r\n]"
    return quote not in re.sub(rf"(?:\A|(?<={ends})){q}(?:[^{q}]|{q}{q})*(?:{q}(?={ends})|{q}?\Z)", "", sample)


def _separator(rows_by_mark: dict[str, list[list[str]]], fallback: str, fitting_quotes: list[str]) -> str:
    """Return the separator under which every row has as many cells as the first; an error if several are possible.

    If none is, return the one that the most rows agree with, so that reading names the row that does not fit.
    """
    fitting = {mark: [len(row) == len(rows[0]) for row in rows] for mark, rows in rows_by_mark.items() if rows}
    fitting = {mark: fits for mark, fits in fitting.items() if len(rows_by_mark[mark][0]) > 1}
    even = [mark for mark, fits in fitting.items() if all(fits)]
    even = [mark for mark in even if mark in fitting_quotes] or even
    if "\t" in even:  # commas and semicolons also occur within texts; tabs rarely do
        return "\t"
    most = max(even, key=lambda mark: len(rows_by_mark[mark][0]), default="")
    if len(even) > 1 and all(
        len(rows_by_mark[most][0]) >= 3 * len(rows_by_mark[mark][0]) for mark in even if mark != most
    ):
        return most  # the other one is in the same place of every row: `Lund, Sweden` between eleven semicolons
    if len(even) > 1:
        raise TableError(
            f"the separator is not certain: {' and '.join(map(repr, even))} each give rows of equal length.",
            "pass separator=... (--separator) to say which.",
        )
    if even:
        return even[0]
    return max(fitting, key=lambda mark: sum(fitting[mark]), default=fallback)


def _looks_like_data(rows: list[list[str]]) -> bool:
    """Return whether the first row looks like data rather than column names.

    It does if some column of numbers or dates has a number or date in the first row and none has a text there; or if,
    in two columns, the text of the first row occurs again among other values. (A column whose only value equals its
    name may be a box that was ticked.)
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
