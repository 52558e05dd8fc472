"""Rows on their way to this process: many of them in one cell, since Spark hands over single rows slowly."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from shoal.engines.engine import Batches

BLOB = "blob binary"
_ROWS = 10_000
"""Rows in one cell; a cell of Spark holds two gigabytes at most."""


def as_blobs(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Yield each batch as one binary cell, in their order."""
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch.slice(start, _ROWS))
            yield pa.RecordBatch.from_pydict({"blob": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def from_blob(blob: bytes) -> Batches:
    """Yield the batches of one cell."""
    with pa.ipc.open_stream(pa.py_buffer(blob)) as stream:
        yield from stream
