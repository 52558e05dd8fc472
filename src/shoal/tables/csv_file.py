"""Reading CSV files: a file that can be read in only one way is read whole, any other is refused.

The error names the line at fault. A missing value and an empty text are kept apart: an empty cell is null, an empty
quoted cell is an empty text. Blank lines are skipped, except in a table of one column, where each is a missing value.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyarrow import csv as arrow_csv

from shoal.errors import TableError
from shoal.tables.check import check_names, checked
from shoal.tables.dialect import detect
from shoal.tables.file_bytes import Buffer
from shoal.tables.infer import infer
from shoal.tables.options import ReadOptions
from shoal.tables.quotes import refuse_ragged_rows, refuse_stray_quotes, uses_quotes
from shoal.tables.table import Dialect, Origin, Table
from shoal.tables.text_file import refuse_invalid_utf8, refuse_nul, text_bytes

_LONGEST_ROW = 1 << 24
"""The longest row that is read, in bytes (16 MiB). pyarrow needs a limit; in a longer row a line end or quote is
missing.
"""
_BLOCK = 1 << 20
"""How many bytes are parsed at a time. Small blocks stay in the processor's cache; a file with longer rows is read
again in blocks of `_LONGEST_ROW`."""
_SEPARATOR_LINE = rb"(?:\xef\xbb\xbf)?sep=([,;|\t])(?=\r?\n)"
"""A first line such as `sep=;`, by which a spreadsheet states the separator; it is not part of the table."""
_FIRST = 16
"""Bytes in which such a line and its end lie."""


def read_csv(path: Path, options: ReadOptions) -> Table:
    """Return the table in a CSV file. A column gets a type if every one of its cells has that type (`infer`)."""
    data, encoding, reported = text_bytes(path, options.encoding)
    refuse_nul(data, path)
    if (stated := stated_separator(data, options)) is not None:
        # the line's end stays as an empty line, so that line numbers in errors are those of the file
        data, options = bytes(data[stated[1] :]), replace(options, separator=stated[0])
    frame, dialect = csv_as_text(data, path, options)
    if options.null_values:
        frame = frame.with_columns(pl.all().replace(list(options.null_values), None))
    typed, decimal, notes = infer(frame, dialect.separator, options.decimal)
    typed, more = checked(typed)
    read = frame.schema  # built once: for ten thousand columns it is slow
    texts = frame.select(name for name, dtype in typed.schema.items() if dtype != read[name])
    origin = Origin("csv", replace(dialect, decimal=decimal, encoding=encoding), dict(typed.schema))
    return Table(typed, origin, reported + notes + more, texts)


def stated_separator(data: Buffer, options: ReadOptions) -> tuple[str, int] | None:
    """Return the separator that a first line such as `sep=;` states, and where that ends; None without such a line.

    Another separator that the user has given makes it a line of the table.
    """
    stated = re.match(_SEPARATOR_LINE, data[:_FIRST])
    found = None if stated is None else (stated[1].decode(), stated.end())
    return found if found is not None and options.separator in (None, found[0]) else None


def csv_as_text(data: Buffer, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Dialect]:
    """Return every cell as text, exactly as it stands in the file, and the dialect."""
    dialect, width = dialect_of(data, path, options)
    rows = parsed(data, dialect, width)
    if rows is None:
        raise unreadable(data, path, dialect, width)
    if options.has_header is False:
        names = numbered_names(width)
    else:
        names, rows = check_names([column[0].as_py() for column in rows.columns]), rows.slice(1)
    frame = pl.DataFrame(pl.from_arrow(rows.rename_columns(names)))
    return frame, dialect


def dialect_of(data: Buffer, path: Path, options: ReadOptions) -> tuple[Dialect, int]:
    """Return the dialect of a text that can be read in only one way, and the number of cells in its first line."""
    dialect, width = detect(data, path, options)
    try:
        refuse_stray_quotes(data, dialect)
    except TableError:
        if options.quote is not None or uses_quotes(data, dialect.separator, dialect.quote):
            raise
        dialect = replace(dialect, quote="")  # no cell begins with a quote, so in a text such as 5" it is a character
    return dialect, width


def numbered_names(width: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"column_{place}" for place in range(1, width + 1)]


def separator_of(path: Path, options: ReadOptions) -> str:
    """Return the separator of a text file with a line of column names."""
    return detect(text_bytes(path, options.encoding).data, path, replace(options, has_header=True))[0].separator


def parsed(data: Buffer, dialect: Dialect, width: int) -> pa.Table | None:
    """Return all rows as text, including the line of column names; None if they are not all of this width."""
    if data[-1:] not in (b"\n", b"\r"):  # pyarrow reads an empty cell at the very end of a file as a quoted one
        data = b"".join((data, b"\n"))
    places = [f"f{place}" for place in range(width)]
    # without any quote every line end ends a row, and rows are found by all cores at once
    quote = dialect.quote if dialect.quote and data.find(dialect.quote.encode()) >= 0 else ""
    for block in (_BLOCK, _LONGEST_ROW):
        source: Any = pa.BufferReader(pa.py_buffer(data))
        try:
            return arrow_csv.read_csv(
                source,
                read_options=arrow_csv.ReadOptions(column_names=places, block_size=block),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=dialect.separator,
                    quote_char=quote or False,
                    newlines_in_values=bool(quote),
                    ignore_empty_lines=width > 1,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(places, pa.string()),  # a block is far below 2 GiB
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            pass  # its message shows cells, so no error may be chained to it
    return None


def unreadable(data: Buffer, path: Path, dialect: Dialect, width: int) -> TableError:
    """Return, or raise, the error that says why a file could not be parsed."""
    refuse_invalid_utf8(data, path)
    refuse_ragged_rows(data, dialect, width, _LONGEST_ROW)
    return TableError(
        f"{str(path)!r} has a row longer than {_LONGEST_ROW >> 20} MiB.",
        "check that the file has line ends and that no closing quote is missing.",
    )
