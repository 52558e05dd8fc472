"""Parquet and Arrow files, read by pyarrow, which checks what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc, parquet

from shoal.errors import TableError
from shoal.tables.source import Buffer, file_bytes


def read_parquet(path: Path) -> pa.Table:
    """Every column of a Parquet file; a truncated one has lost its footer and is refused."""
    with _whole(path, "Parquet") as data:
        return _valid(parquet.ParquetFile(pa.BufferReader(pa.py_buffer(data))).read())


def read_arrow(path: Path) -> pa.Table:
    """Every column of an Arrow file (also called Feather) or stream."""
    with _whole(path, "Arrow") as data:
        owned = pa.py_buffer(data[:])  # the table points into it, and the file may change under a map
        return _valid((ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream)(owned).read_all())


def _valid(table: pa.Table) -> pa.Table:
    table.validate(full=True)  # offsets of a damaged file may point anywhere, and its texts need not be UTF-8
    return table


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[Buffer]:
    data = file_bytes(path)
    try:
        yield data
    except (pa.ArrowException, OSError, ValueError):
        raise TableError(
            f"{str(path)!r} is not a whole {kind} file.",
            "it may be truncated, damaged, or of another kind than its name.",
        ) from None
