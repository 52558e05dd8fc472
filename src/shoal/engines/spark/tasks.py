"""What runs on a worker: functions of batches between what Spark carries and what the functions expect.

A function is sent as bytes and unpickled only when the threads of its libraries have been limited to one: Spark runs
as many of these processes as it has cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal._version import __version__
from shoal.engines.engine import Batches, OfKey, OfPartition
from shoal.engines.spark.carried import as_named, carry, delivered
from shoal.engines.spark.failures import on_worker
from shoal.errors import EngineError

_LIMITED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
_MOST_SENT = 20_000
"""Rows of a batch that is sent on at most, so that wide rows stay far below the two gigabytes of a message."""


@dataclass(frozen=True, slots=True)
class Task:
    """A function for `mapInArrow`: takes and yields carried batches, and raises errors without cell values.

    All functions of a step run one after the other in the same process: handing rows to Spark in between would cost
    more than most of them do.
    """

    pickled: tuple[bytes, ...]
    taken: pa.Schema
    given: pa.Schema
    is_carried: bool
    """Whether Spark carries the rows for us; if not, they are of a table of its own."""
    key: str | None = None
    """The column by which rows are sorted, if the first function is one of all rows of a key."""
    version: str = __version__

    def __call__(self, batches: Batches) -> Batches:
        try:
            if self.version != __version__:
                raise EngineError(
                    f"the workers have Shoal {__version__}, and this process has {self.version}.",
                    "install the same version on every node.",
                )
            for name in _LIMITED:
                os.environ.setdefault(name, "1")
            yield from self._run(batches)
        except GeneratorExit:
            raise
        except BaseException as raised:
            raise on_worker(raised) from None

    def _run(self, batches: Batches) -> Batches:
        read = delivered if self.is_carried else as_named
        rows: Batches = (read(batch, self.taken) for batch in batches if batch.num_rows)
        first = next(rows, None)
        if first is None:
            return  # a partition without rows says nothing
        functions = [unpickled(one) for one in self.pickled]
        rows = chain([first], rows)
        if self.key is not None:
            rows = by_key(rows, self.key, self.taken, functions.pop(0))
        for function in functions:
            rows = function(rows)
        for batch in rows:
            for start in range(0, batch.num_rows, _MOST_SENT):
                yield carry(batch.slice(start, _MOST_SENT), self.given)


def pickled(function: OfPartition | OfKey) -> bytes:
    """Return a function as bytes."""
    return bytes(_cloudpickle().dumps(function))


def unpickled(function: bytes) -> Callable[..., Any]:
    """Return a function that was pickled."""
    found: Callable[..., Any] = _cloudpickle().loads(function)
    return found


def _cloudpickle() -> Any:
    """Return the module by which Spark pickles functions: one from Shoal goes by its name, any other as a whole."""
    from pyspark import cloudpickle

    return cloudpickle


def by_key(rows: Batches, key: str, schema: pa.Schema, function: OfKey) -> Iterator[pa.RecordBatch]:
    """Yield what `function` makes of all rows of each key, one key in memory at a time; rows are sorted by key."""
    held: list[pa.RecordBatch] = []
    now: int | None = None
    for batch in rows:
        found = batch.column(batch.schema.get_field_index(key))
        runs: Any = pc.call_function("run_end_encode", [found])
        start = 0
        for end, value in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
            if value != now and held:
                yield from function(pa.Table.from_batches(held, schema)).to_batches()
                held = []
            assert now is None or value >= now, "rows are not sorted by their key"
            now = value
            held.append(batch.slice(start, end - start))
            start = end
    if held:
        yield from function(pa.Table.from_batches(held, schema)).to_batches()
