"""Reading a released file some rows at a time, with every cell as text: together what `read_back` gives.

Guarantee   The frames of `scan_back` have, one after the other, exactly the rows of `read_back`, or a `TableError` or
            `SchemaError` is raised. Memory holds one part of the file at a time.

A CSV file is cut after line ends that are outside of quotes. Such a file in another encoding than UTF-8, packed, or
with quotes in the middle of cells is not read in parts: `is_scannable` or an error says so, and `read_back` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyarrow import ipc, parquet

from shoal.errors import TableError
from shoal.tables.check import check_names, check_times
from shoal.tables.csv_file import csv_as_text
from shoal.tables.dialect import detect
from shoal.tables.encodings import canonical
from shoal.tables.file_bytes import EMPTY_HINT, UTF8_MARK, reading
from shoal.tables.formats import format_read
from shoal.tables.from_frame import plain_frame
from shoal.tables.options import ReadOptions
from shoal.tables.spreadsheet import unguarded
from shoal.tables.text import as_written

PART = 1 << 25
"""Bytes of a CSV file that are read at a time (32 MiB), more than the sample from which its dialect is detected."""
ROWS = 1 << 17
"""Rows of a Parquet file that are read at a time."""
_DEFAULTS = ReadOptions()


def is_scannable(path: Path, options: ReadOptions = _DEFAULTS) -> bool:
    """Return whether a file can be read in parts: Parquet, Arrow, or a CSV file in UTF-8 that is not packed."""
    kind = format_read(path)
    if kind == "csv":
        utf8 = options.encoding is None or canonical(options.encoding) in ("utf-8", "utf-8-sig")
        return utf8 and path.suffix.lower() not in (".gz", ".zip")
    return kind in ("parquet", "arrow")


def scan_back(path: Path, options: ReadOptions = _DEFAULTS) -> Iterator[pl.DataFrame]:
    """Return the rows of a released file as text, some at a time: at least one frame, which may have no rows."""
    if format_read(path) == "csv":
        yield from _csv(path, replace(options, has_header=True))
        return
    try:
        with reading(path), path.open("rb") as file:
            for table in _parquet(file) if format_read(path) == "parquet" else _arrow(file):
                table.validate(full=True)
                check_names(table.column_names)
                frame = plain_frame(dict(zip(table.column_names, table.columns, strict=True)))
                check_times(frame)
                yield as_written(frame)
    except MemoryError:  # what a damaged file says of its length
        raise TableError.no_memory(path) from None
    except (pa.ArrowException, ValueError):
        raise TableError(f"{str(path)!r} cannot be read in parts.", "it may be damaged: copy it again.") from None


def separator_at_start(path: Path, options: ReadOptions = _DEFAULTS) -> str:
    """Return the separator of a CSV file in UTF-8, detected from its beginning as `read_back` detects it."""
    with reading(path), path.open("rb") as file:
        return detect(file.read(PART), path, replace(options, has_header=True))[0].separator


def _parquet(file: Any) -> Iterator[pa.Table]:
    source = parquet.ParquetFile(file)
    empty = True
    for batch in source.iter_batches(batch_size=ROWS):
        empty = False
        yield pa.table(batch.columns, names=batch.schema.names)
    if empty:
        yield source.schema_arrow.remove_metadata().empty_table()


def _arrow(file: Any) -> Iterator[pa.Table]:
    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    source: Any = (ipc.open_file if is_file else ipc.open_stream)(file)
    batches = (source.get_batch(place) for place in range(source.num_record_batches)) if is_file else iter(source)
    empty = True
    for batch in batches:
        empty = False
        yield pa.table(batch.columns, names=batch.schema.names)
    if empty:
        yield source.schema.remove_metadata().empty_table()


def _csv(path: Path, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """Return the rows of a CSV file in UTF-8; every part is read as a file of its own, as the first was."""
    head = b""
    marked = False
    for data in _parts(path):
        if not head:
            marked = data[: len(UTF8_MARK)] == UTF8_MARK
            frame, dialect = csv_as_text(data, path, options)
            head = data[: _row_end(data, dialect.quote)]
            options = replace(options, separator=dialect.separator, quote=dialect.quote)
            if not dialect.quote or csv_as_text(head, path, options)[0].height:
                raise TableError(
                    f"{str(path)!r} cannot be read in parts."
                )  # what its first line is, the whole decides
        else:
            frame, _ = csv_as_text(head + data, path, options)
        yield unguarded(frame) if marked else frame
    if not head:
        raise TableError(f"{str(path)!r} is empty: 0 bytes.", EMPTY_HINT)


def _parts(path: Path) -> Iterator[bytes]:
    """Return a file in parts that end after a line; a file that does not end so may be truncated: it is refused."""
    with reading(path), path.open("rb") as file:
        rest = b""
        while data := file.read(PART):
            data = rest + data
            # a line end is outside of quotes if the quotes before it are even in number: see `refuse_stray_quotes`
            end = data.rfind(b"\n") + 1
            while end and data.count(b'"', 0, end) % 2:
                end = data.rfind(b"\n", 0, end - 1) + 1
            if not end and len(data) > 2 * PART:
                raise TableError(f"{str(path)!r} has no line end that a part could end with.")
            rest = data[end:]
            if end:
                yield data[:end]
        if rest:
            raise TableError(f"{str(path)!r} does not end with a line end.", "it may be truncated: copy it again.")


def _row_end(data: bytes, quote: str) -> int:
    """Return where the line of column names ends."""
    end = data.find(b"\n") + 1
    while end and quote and data.count(quote.encode(), 0, end) % 2:
        end = data.find(b"\n", end) + 1
    return end
