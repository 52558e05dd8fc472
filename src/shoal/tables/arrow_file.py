"""Parquet and Arrow files, read by pyarrow, which checks what it is given."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import ipc, parquet

from shoal.errors import TableError
from shoal.tables.source import file_bytes


def read_parquet(path: Path) -> pa.Table:
    """Every column of a Parquet file; a truncated one has lost its footer and is refused."""
    data = pa.py_buffer(file_bytes(path))
    try:
        return parquet.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError, ValueError):
        raise _unreadable(path, "Parquet") from None


def read_arrow(path: Path) -> pa.Table:
    """Every column of an Arrow file (also called Feather) or stream."""
    data = file_bytes(path)
    try:
        source = (ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream)(pa.py_buffer(data))
        table = source.read_all()
        table.validate(full=True)  # offsets and texts of a damaged file may point anywhere
    except (pa.ArrowException, OSError, ValueError):
        raise _unreadable(path, "Arrow") from None
    return table


def _unreadable(path: Path, kind: str) -> TableError:
    return TableError(
        f"{str(path)!r} is not a whole {kind} file.",
        "it may be truncated, damaged, or of another kind than its name.",
    )
