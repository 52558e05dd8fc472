"""Reading Parquet and Arrow files with pyarrow; damaged or oversized files are refused with a `TableError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import compute, ipc, parquet

from shoal.errors import TableError
from shoal.tables.file_bytes import Buffer, file_bytes
from shoal.tables.room import refuse_beyond_room


def read_parquet(path: Path) -> pa.Table:
    """Return all columns of a Parquet file. A truncated file has lost its footer and is refused.

    A file of a few bytes may unpack to a billion rows, or to a long text repeated a million times. The memory its
    cells need is computed from the footer and the dictionaries, and a file that needs more than there is room for is
    refused before that memory is allocated.
    """
    with _whole(path, "Parquet") as data:
        source = pa.py_buffer(data)
        file = parquet.ParquetFile(pa.BufferReader(source))
        refuse_beyond_room(path, _least_bytes(file))
        texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        table = _valid(parquet.ParquetFile(pa.BufferReader(source), read_dictionary=texts).read())
        of_texts = [_is_text(field.type) for field in file.schema_arrow]
        needed = sum(_written_out(column) for column, is_one in zip(table.columns, of_texts, strict=True) if is_one)
        refuse_beyond_room(path, needed)
        columns = [
            column.cast(pa.large_string()) if is_one else column
            for column, is_one in zip(table.columns, of_texts, strict=True)
        ]
        return pa.table(columns, names=table.column_names)


def _least_bytes(file: parquet.ParquetFile) -> int:
    """Return a lower bound on the bytes that the cells of a Parquet file take in memory, from its footer."""
    footer = file.metadata
    row = sum(_bits(field.type) for field in file.schema_arrow)
    pages = sum(footer.row_group(place).total_byte_size for place in range(footer.num_row_groups))
    return int(max(footer.num_rows * row // 8, pages))


def _bits(kind: pa.DataType) -> int:
    try:
        return int(kind.bit_width)
    except ValueError:
        return 32  # text has no fixed width; its offset alone takes 32 bits


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _written_out(column: Any) -> int:
    """Return the bytes that a dictionary-encoded text column takes once every row has its own copy of the text."""
    total = 0
    for chunk in column.chunks:
        lengths: Any = compute.binary_length(chunk.dictionary).cast(pa.int64())
        total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return int(total)


def read_arrow(path: Path) -> pa.Table:
    """Return all columns of an Arrow file (also called Feather) or stream."""
    with _whole(path, "Arrow") as data:
        return _valid((ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream)(pa.py_buffer(data)).read_all())


def _valid(table: pa.Table) -> pa.Table:
    table.validate(full=True)  # in a damaged file offsets may point anywhere and texts may not be valid UTF-8
    return table


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[Buffer]:
    """Yield the bytes of a file; errors of pyarrow in the block become a `TableError`."""
    data = file_bytes(path)
    try:
        yield data
    except pa.ArrowMemoryError:
        raise TableError.no_memory(path) from None
    except (pa.ArrowException, OSError, ValueError):
        raise TableError(
            f"{str(path)!r} is not a complete {kind} file.",
            "it may be truncated, damaged, or in another format than its name says; copy or export it again.",
        ) from None
