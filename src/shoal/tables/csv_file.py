"""CSV files: all rows in one way or a sentence that names the line.

Missing and empty are kept apart: an empty cell is null, an empty quoted cell is an empty text. Blank lines are
passed over, except in a table of one column, where each is a missing value.
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
from shoal.tables.file_bytes import Buffer, refuse_invalid_utf8, refuse_nul, text_bytes
from shoal.tables.infer import infer
from shoal.tables.options import ReadOptions
from shoal.tables.quotes import refuse_ragged_rows, refuse_stray_quotes, uses_quotes
from shoal.tables.table import Dialect, Origin, Table

_LONGEST_ROW = 1 << 24
_SEPARATOR_TOLD = rb"(?:\xef\xbb\xbf)?sep=([,;|\t])(?=\r?\n)"
"""A first line that spreadsheets write and take out again."""


def read_csv(path: Path, options: ReadOptions) -> Table:
    """The table in a CSV file, with types where every cell of a column agrees on one."""
    data = text_bytes(path, options.encoding)
    refuse_nul(data, path)
    told = re.match(_SEPARATOR_TOLD, data)
    if told is not None and options.separator in (None, told[1].decode()):
        # An empty line takes its place, so that the others keep their numbers.
        data, options = bytes(data[told.end() :]), replace(options, separator=told[1].decode())
    frame, dialect = csv_as_text(data, path, options)
    if options.null_values:
        frame = frame.with_columns(pl.all().replace(list(options.null_values), None))
    typed, decimal, notes = infer(frame, dialect.separator, options.decimal)
    typed, more = checked(typed)
    read = frame.schema  # once: of ten thousand columns it takes its time
    texts = frame.select(name for name, dtype in typed.schema.items() if dtype != read[name])
    origin = Origin("csv", replace(dialect, decimal=decimal), dict(typed.schema))
    return Table(typed, origin, notes + more, texts)


def csv_as_text(data: Buffer, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Dialect]:
    """Every cell as it is written, and the dialect."""
    dialect, width = detect(data, path, options)
    try:
        refuse_stray_quotes(data, dialect)
    except TableError:
        if options.quote is not None or uses_quotes(data, dialect.separator, dialect.quote):
            raise
        dialect = replace(dialect, quote="")  # 5" is a text where no cell begins with a quote
    rows = _parsed(data, path, dialect, width)
    if options.has_header is False:
        names = [f"column_{place}" for place in range(1, width + 1)]
    else:
        names, rows = check_names([column[0].as_py() for column in rows.columns]), rows.slice(1)
    frame = pl.DataFrame(pl.from_arrow(rows.rename_columns(names)))
    return frame, dialect


def _parsed(data: Buffer, path: Path, dialect: Dialect, width: int) -> pa.Table:
    """All rows as text, the first line among them."""
    if data[-1:] not in (b"\n", b"\r"):  # pyarrow takes an empty cell at the very end for a quoted one
        data = b"".join((data, b"\n"))
    source: Any = pa.BufferReader(pa.py_buffer(data))
    places = [f"f{place}" for place in range(width)]
    try:
        return arrow_csv.read_csv(
            source,
            read_options=arrow_csv.ReadOptions(column_names=places, block_size=_LONGEST_ROW),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.separator,
                quote_char=dialect.quote or False,
                newlines_in_values=bool(dialect.quote),
                ignore_empty_lines=width > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        pass  # its text quotes cells, so what follows must not be chained to it
    refuse_invalid_utf8(data, path)
    refuse_ragged_rows(data, dialect, width, _LONGEST_ROW)
    raise TableError(
        f"{str(path)!r} has a row longer than {_LONGEST_ROW >> 20} MiB.",
        "check that the file has line ends and that no closing quote is missing.",
    )
