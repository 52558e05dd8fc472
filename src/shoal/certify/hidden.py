"""Find data in a released file that is not in the cells of its table.

Every format but plain CSV has room for it. In Parquet and Arrow files these are key-value metadata, dictionaries with
values that no row has, statistics of suppressed records, bytes that belong to no column. Programs that read the table
do not show such data, but anyone who inspects the file can recover it, so original values could leak with a released
table that looks anonymous.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import ipc, parquet

from shoal.certify.findings import Failure
from shoal.certify.hidden_archive import FILES, hidden_in_gzip, hidden_in_zip
from shoal.certify.hidden_arrow_bytes import bytes_between_blocks
from shoal.certify.hidden_xlsx import hidden_in_xlsx
from shoal.errors import TableError
from shoal.tables.file_bytes import file_bytes
from shoal.tables.formats import format_read

_SCHEMA = b"ARROW:schema"
_FIELD_NUMBER, _ENUM, _CATEGORICAL = b"PARQUET:field_id", b"_PL_ENUM_VALUES2", b"_PL_CATEGORICAL2"
_MAKERS = re.compile(
    r"(?:parquet-(?:cpp-arrow|cpp|mr|rs|go|dotnet)|Polars(?: \(python\))?|DuckDB|fastparquet-python|Arrow2?|impala)?"
    r"(?: version)?(?: v?[0-9][0-9A-Za-z.+-]{0,30})?(?: \(build [0-9a-z]{0,40}\))?"
)
"""The programs that write Parquet files, with a version: a free text would be a note."""

_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""What is raised at damaged bytes: of zipfile the first four and RuntimeError, of pyarrow OSError and ValueError."""


def check_hidden(path: Path, *, ours: bool) -> list[Failure]:
    """Return a failure for every kind of hidden data in a file; a CSV file that is not packed has none.

    With `ours`, a Parquet or .xlsx file must also have the layout that Shoal writes: no dictionaries, no statistics,
    no properties, and no bytes outside its columns and its footer. A TableError is raised if a part without cells,
    which the reader of the table passed over, is damaged, encrypted, or packed in a way that is not known here.
    """
    kind, packed = format_read(path), path.suffix.lower()
    if kind == "csv" and packed not in (".gz", ".zip"):
        return []
    data = file_bytes(path)
    if packed == ".gz":
        found = hidden_in_gzip(data, path.stem)
    elif packed == ".zip":
        found = _zipped(data)
    elif kind == "xlsx":
        found = hidden_in_xlsx(data, ours=ours)
    else:
        buffer = pa.py_buffer(data)
        found = _parquet(buffer, ours=ours) if kind == "parquet" else _arrow(buffer)
    try:
        reported = dict.fromkeys(found)
    except _DAMAGES:
        raise TableError(f"{path.name!r} has a part that cannot be read.", "copy it again from its source.") from None
    return [Failure(check="file", message=f"the file holds more than its cells: {one}") for one in reported]


def _zipped(data: bytes) -> Iterator[str]:
    """Describe the hidden data in a ZIP archive of one CSV file; the reader ignores what macOS packs beside it."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if len(packed.infolist()) > 1:
            yield FILES
    yield from hidden_in_zip(data)


def _parquet(data: Any, *, ours: bool) -> Iterator[str]:
    """Describe the hidden data in a Parquet file, one phrase for each place."""
    plain = parquet.ParquetFile(pa.BufferReader(data))
    about = plain.metadata
    if set(about.metadata or {}) - {_SCHEMA} or plain.schema_arrow.metadata:
        yield "notes in its metadata"
    if not _MAKERS.fullmatch(about.created_by or ""):
        yield "a note in place of the program that wrote it"
    texts = [field.name for field in plain.schema_arrow if _is_text(field.type)]
    coded = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    size = 0
    for group in range(about.num_row_groups):
        shown, stored = plain.read_row_group(group), coded.read_row_group(group)
        for table in (shown, stored):
            table.validate(full=True)
        yield from _schema(plain.schema_arrow, shown)
        yield from _unused(stored)
        for place in range(about.num_columns):
            chunk = about.row_group(group).column(place)
            size += chunk.total_compressed_size
            if chunk.metadata:
                yield "notes in the metadata of a column"
            yield from _statistics(chunk, shown.column(place))
            if ours and (chunk.has_dictionary_page or chunk.is_stats_set or chunk.has_offset_index):
                yield "lists or statistics beside a column"
    if ours and len(data) != 4 + size + about.serialized_size + 8:
        yield "bytes that belong to no column"


def _statistics(chunk: Any, shown: Any) -> Iterator[str]:
    """Report minimum and maximum of a column chunk that are not those of its cells, as of suppressed records.

    A writer may truncate long texts, so only their first 32 characters are compared. Types whose statistics cannot be
    compared with cells, such as bytes and timestamps, are not checked.
    """
    reported = chunk.statistics
    if reported is None or not reported.has_min_max:
        return
    if not isinstance(reported.min, str | int | float | date) or isinstance(reported.min, datetime):
        return
    values = _texts(shown) if pa.types.is_dictionary(shown.type) else set(shown.unique().to_pylist())
    real: Any = sorted(value for value in values - {None} if value == value)
    for value, true in ((reported.min, real[0]), (reported.max, real[-1])) if real else ((reported.min, None),):
        cut = isinstance(value, str) and isinstance(true, str) and true[:32] == value[:32]
        if value != true and not cut and (true is None or type(value) is type(true)):
            yield "statistics that are not those of its cells"


def _arrow(data: Any) -> Iterator[str]:
    """Describe the hidden data in an Arrow file or stream, one phrase for each place."""
    is_file = data[:6].to_pybytes() == b"ARROW1"
    reader: Any = (ipc.open_file if is_file else ipc.open_stream)(data)
    table = reader.read_all()
    table.validate(full=True)  # in a damaged file offsets may point anywhere
    if table.schema.metadata or (is_file and reader.metadata):
        yield "notes in its metadata"
    if is_file:
        yield from bytes_between_blocks(data.to_pybytes())
        notes = [reader.get_batch_with_custom_metadata(batch)[1] for batch in range(reader.num_record_batches)]
        if any(notes):
            yield "notes in its metadata"
    yield from _schema(table.schema, table)
    yield from _unused(table)
    for column in table.columns:
        for chunk in column.chunks:
            for array in (chunk.indices, chunk.dictionary) if pa.types.is_dictionary(chunk.type) else (chunk,):
                if not _only_shown(array):
                    yield "values under missing cells, or texts that no cell has"


def _schema(schema: pa.Schema, table: pa.Table) -> Iterator[str]:
    """Report metadata of columns.

    Allowed are the field numbers of Parquet and the marks of polars for categorical columns, and for enums only if
    every category that they list is in some row.
    """
    for place, field in enumerate(schema):
        for key, note in (field.metadata or {}).items():
            if key == _FIELD_NUMBER and re.fullmatch(rb"-?[0-9]{1,10}", note):
                continue
            if key == _CATEGORICAL and re.fullmatch(rb"0;0;u(?:8|16|32);", note):
                continue
            if key != _ENUM or _categories(note) - _texts(table.column(place)):
                yield "notes in the metadata of a column"


def _categories(note: bytes) -> set[str | None]:
    """Return the categories that polars lists in the metadata of an enum column.

    Each category is written as its number of bytes, a semicolon and its text, as in `2;lo2;hi`. For a malformed list
    the result has categories that no row has, so that the caller reports it.
    """
    found: set[str | None] = set()
    while note:
        length, _, rest = note.partition(b";")
        if not re.fullmatch(rb"[0-9]{1,9}", length) or int(length) > len(rest):
            return {"", "no list of categories"}
        found.add(rest[: int(length)].decode("utf-8", "replace"))
        note = rest[int(length) :]
    return found


def _texts(column: Any) -> set[str | None]:
    """Return the different values in the rows of a column."""
    if not pa.types.is_dictionary(column.type):
        return set(column.unique().to_pylist())
    return {text for chunk in column.chunks for text in _used(chunk)}


def _used(chunk: Any) -> set[Any]:
    """Return the entries of a chunk's dictionary that some row of the chunk has."""
    listed = chunk.dictionary.to_pylist()
    return {listed[code] for code in chunk.indices.unique().to_pylist() if code is not None}


def _unused(table: Any) -> Iterator[str]:
    """Report dictionaries with values that no row of their column has, as left behind by suppressed records."""
    for column in table.columns:
        if not pa.types.is_dictionary(column.type):
            continue
        used: set[object] = set()
        listed: set[object] = set()
        for chunk in column.chunks:
            listed |= set(chunk.dictionary.to_pylist())
            used |= _used(chunk)
        if listed - used:
            yield "a list of values that no row has"


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _only_shown(array: Any) -> bool:
    """Return whether the buffers of an array hold nothing but the values of its cells.

    A text buffer must have no more bytes than all texts together. Under a null there must be zeros, or a number that
    another cell shows; anything else could be an original value that was masked and not erased.
    """
    buffers = array.buffers()
    if _is_text(array.type):
        kept = 0 if buffers[2] is None else buffers[2].size
        return bool(kept <= _bytes(array))
    if pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type):
        kept = sum(buffer.size for buffer in buffers[2:] if buffer is not None)
        return bool(kept <= _bytes(array, longer_than=12))
    if pa.types.is_null(array.type) or not array.null_count or array.type.bit_width < 8:
        return True
    width = array.type.bit_width // 8
    cells = np.frombuffer(buffers[1], dtype=f"V{width}")[array.offset : array.offset + len(array)]
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return set(cells[missing].tolist()) <= {*cells[~missing].tolist(), bytes(width)}


def _bytes(array: Any, longer_than: int = -1) -> int:
    """Return the total number of bytes of those texts of an array that have more than `longer_than` bytes."""
    lengths = pl.Series(pl.from_arrow(array)).cast(pl.Binary).bin.size().cast(pl.Int64).drop_nulls()
    return int(lengths.filter(lengths > longer_than).sum())
