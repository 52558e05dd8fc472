"""Parquet and Arrow files, read by pyarrow, which checks what it is given."""

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
    """Every column of a Parquet file; a truncated one has lost its footer and is refused.

    A file of a few bytes may hold a billion rows, or a long text a million times. What its cells take is known from
    its footer and its dictionaries, and refused before memory is taken for it.
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
    """What the cells of a Parquet file take at least."""
    footer = file.metadata
    row = sum(_bits(field.type) for field in file.schema_arrow)
    pages = sum(footer.row_group(place).total_byte_size for place in range(footer.num_row_groups))
    return int(max(footer.num_rows * row // 8, pages))


def _bits(kind: pa.DataType) -> int:
    try:
        return int(kind.bit_width)
    except ValueError:
        return 32  # of where a text begins


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _written_out(column: Any) -> int:
    """Bytes of the texts of a column that has each different one once."""
    total = 0
    for chunk in column.chunks:
        lengths: Any = compute.binary_length(chunk.dictionary).cast(pa.int64())
        total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return int(total)


def read_arrow(path: Path) -> pa.Table:
    """Every column of an Arrow file (also called Feather) or stream."""
    with _whole(path, "Arrow") as data:
        return _valid((ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream)(pa.py_buffer(data)).read_all())


def _valid(table: pa.Table) -> pa.Table:
    table.validate(full=True)  # offsets of a damaged file may point anywhere, and its texts need not be UTF-8
    return table


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[Buffer]:
    data = file_bytes(path)
    try:
        yield data
    except pa.ArrowMemoryError:
        raise TableError.no_memory(path) from None
    except (pa.ArrowException, OSError, ValueError):
        raise TableError(
            f"{str(path)!r} is not a whole {kind} file.",
            "it may be truncated, damaged, or of another kind than its name.",
        ) from None
