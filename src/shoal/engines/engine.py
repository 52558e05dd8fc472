"""What an engine must be able to do: hold a table in partitions, and run functions on them.

A release of a table that is larger than memory (`shoal.engines.release`) is written once, in terms of these verbs,
and runs wherever they do: on this computer with partitions in files (`shoal.engines.local`), or on a cluster
(`shoal.engines.spark`). All functions take and return Arrow data, must be picklable, and must not depend on how rows
are spread over partitions or on their order: so every engine returns the same multiset of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa

Batches = Iterator[pa.RecordBatch]
"""Some rows of one partition at a time."""
OfPartition = Callable[[Batches], Batches]
"""A function of all batches of one partition; it may return fewer or more rows, of another schema."""
OfKey = Callable[[pa.Table], pa.Table]
"""A function of all rows that have one value of a key column."""
OfPiece = Callable[[int, Batches], None]
"""A function of the number and the rows, some at a time, of one of the pieces that sorted rows are cut into."""

Data = Any
"""A table in partitions, as the engine holds it; it may be computed only when its rows are needed."""


class Engine(Protocol):
    """Holds tables in partitions and runs functions on them; `stage` names a step in progress bars and logs."""

    name: str
    """What reports call the engine."""

    def schema(self, data: Data) -> pa.Schema:
        """Return the names and types of the columns."""

    def select(self, data: Data, names: Sequence[str]) -> Data:
        """Return some of the columns, without reading the others."""

    def map(self, data: Data, function: OfPartition, schema: pa.Schema, *, stage: str) -> Data:
        """Return what `function` makes of every partition."""

    def map_keys(self, data: Data, key: str, n_keys: int, function: OfKey, schema: pa.Schema, *, stage: str) -> Data:
        """Return what `function` makes of the rows of each key; `key` is an int32 column of numbers below `n_keys`.

        All rows of a key are in one call. Calls are independent of each other, and are repeated if a worker is lost.
        """

    def keep(self, data: Data, *, stage: str) -> Data:
        """Return the same table computed now and stored, so that it is not computed again for every use."""

    def drop(self, data: Data) -> None:
        """Remove what `keep` or `map_keys` stored of a table that nothing needs any more."""

    def collect(self, data: Data, *, stage: str) -> pa.Table:
        """Return all rows in the memory of this process; for small results only."""

    def sorted_batches(self, data: Data, keys: Sequence[str], *, stage: str) -> Batches:
        """Yield all rows in ascending order of the int64 columns `keys`, some at a time, to this process.

        The values of the first key are spread evenly over all 64-bit numbers, but for rows that belong together.
        """

    def each_piece(
        self, data: Data, keys: Sequence[str], ends: Sequence[int], function: OfPiece, *, stage: str
    ) -> None:
        """Call `function` for every piece of the rows in the order of `sorted_batches`, cut after the rows `ends`.

        The last piece ends with the last row. Calls are made on this computer, by several processes if it is the
        engine's own.
        """

    def close(self) -> None:
        """Remove what the engine has stored, and nothing else."""
