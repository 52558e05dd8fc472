"""A sequence of batches cut into pieces after given numbers of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa

from shoal.engines.engine import Batches


def pieces(batches: Batches, ends: Sequence[int]) -> Iterator[Batches]:
    """Yield the rows of each piece, some at a time; a piece must have been used up before the next one is taken."""
    left: pa.RecordBatch | None = None

    def rows(n_rows: int) -> Batches:
        nonlocal left
        while n_rows:
            batch = next(batches) if left is None else left
            left = batch.slice(n_rows) if batch.num_rows > n_rows else None
            own = batch.slice(0, n_rows)
            n_rows -= own.num_rows
            yield own

    for start, end in pairwise([0, *ends]):
        yield rows(end - start)
