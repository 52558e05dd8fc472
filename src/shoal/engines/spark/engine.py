"""`SparkEngine`: the verbs of an engine as operations on Spark frames; rows come here only where they must."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa

from shoal.engines.engine import Batches, OfKey, OfPartition, OfPiece
from shoal.engines.local import LocalEngine, Part
from shoal.engines.pieces import pieces
from shoal.engines.spark.carried import carried_name, delivered
from shoal.engines.spark.failures import spark_errors
from shoal.engines.spark.frames import arrow_schema, natural_frame, spark_schema
from shoal.engines.spark.streamed import BLOB, as_blobs, from_blob
from shoal.engines.spark.tasks import Task, pickled
from shoal.errors import TableError
from shoal.spark_session import connect, without_warnings

_TASKS_PER_CORE = 8
"""Tasks per core of a step by keys: enough that cores end together and that little is lost with a worker."""
_SORTED_ROWS = 100_000
"""Rows of a partition of a sorted table, about; two of them are in this process at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class SparkData:
    """A table that Spark holds, and the functions that are still to be applied to each of its partitions."""

    frame: Any
    held: pa.Schema
    """The columns of the frame as Shoal knows them, in its order."""
    schema: pa.Schema
    """The columns after all functions."""
    is_carried: bool
    """Whether the frame has the columns as `shoal.engines.spark.carried` writes them, or is a frame of the user."""
    steps: tuple[bytes, ...] = ()
    key: str | None = None
    """The column by which the rows of a partition are sorted, if the first function is one of all rows of a key."""
    n_rows: int | None = None
    """How many rows there are, if they have been counted."""
    folder: str | None = None
    """Where `keep` has stored it, if the engine has a shared folder."""


@dataclass(frozen=True, slots=True)
class _ReadParts:
    """A function of numbers of row groups of Parquet files that reads them, where the numbers are."""

    parts: tuple[Part, ...]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for number in np.asarray(batch.column(0)).tolist():
                yield from self.parts[number].batches()


@dataclass(frozen=True, slots=True)
class _Columns:
    """A function that keeps some columns."""

    names: tuple[str, ...]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            yield batch.select(list(self.names))


class SparkEngine:
    """Holds tables in a Spark session, and runs functions on its workers.

    `work` is a folder that the driver and all workers share, as a path or as a URI that Spark knows: tables are kept
    there. Without it Spark keeps them on the disks of its workers, and makes those of a lost worker again.
    """

    name = "spark"

    def __init__(self, session: Any, *, work: str | Path | None = None, stop: bool = False) -> None:
        self.session = session
        self._stop = stop
        self._work = None if work is None else str(work)
        self._kept: list[Any] = []
        self._folders: list[str] = []
        self._numbers = count()
        self._own = f"shoal-{uuid4().hex}"

    @classmethod
    def connect(cls, master: str, *, work: str | Path | None = None) -> SparkEngine:
        """Return an engine on a master, such as `spark://host:7077` or `local[2]`; `close` ends what was started."""
        session, started = connect(master)
        return cls(session, work=work, stop=started)

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, source: Any) -> SparkData:
        """Return a Spark frame, or the table in Parquet files, as data.

        Files are given by a path or a pattern, which workers read as the engine of one computer does, types included;
        or by a URI, such as `hdfs://` or `s3a://`, which Spark reads.
        """
        if not isinstance(source, str | Path):
            return self.read_frame(source)
        if "://" in str(source):
            return self._read_uri(str(source))
        found = LocalEngine.read(Path(source).absolute())
        n_parts = len(found.parts)
        numbers = self.session.range(0, n_parts, 1, max(1, n_parts))
        held = pa.schema([("id", pa.int64())])
        frame = numbers.toDF(carried_name(0))
        return SparkData(frame, held, found.schema, True, (pickled(_ReadParts(found.parts)),))

    def read_frame(self, frame: Any) -> SparkData:
        """Return a Spark frame as data; a TableError names a column of a type that Arrow has not."""
        schema = arrow_schema(frame)
        names = [carried_name(place) for place in range(len(schema))]
        return SparkData(frame.toDF(*names), schema, schema, is_carried=False)

    def _read_uri(self, uri: str) -> SparkData:
        try:
            with without_warnings():
                return self.read_frame(self.session.read.parquet(uri))
        except Exception as raised:
            if isinstance(raised, TableError) or not type(raised).__module__.startswith(("pyspark", "py4j")):
                raise
            raise TableError(
                "Spark cannot read these Parquet files.",
                "check the path as the workers see it, and the types: nanoseconds cannot be read by Spark.",
            ) from None

    def schema(self, data: SparkData) -> pa.Schema:
        """Return the names and types of the columns."""
        return data.schema

    def select(self, data: SparkData, names: Sequence[str]) -> SparkData:
        """Return some of the columns, without reading the others."""
        schema = pa.schema([data.schema.field(name) for name in names])
        if data.steps:
            return replace(data, schema=schema, steps=(*data.steps, pickled(_Columns(tuple(names)))))
        places = [data.schema.get_field_index(name) for name in names]
        columns = [data.frame[carried_name(old)].alias(carried_name(new)) for new, old in enumerate(places)]
        return replace(data, frame=data.frame.select(*columns), held=schema, schema=schema)

    def map(self, data: SparkData, function: OfPartition, schema: pa.Schema, *, stage: str) -> SparkData:
        """Return what `function` makes of every partition that has rows, when it is needed."""
        del stage
        return replace(data, schema=schema, steps=(*data.steps, pickled(function)), n_rows=None)

    def map_keys(
        self, data: SparkData, key: str, n_keys: int, function: OfKey, schema: pa.Schema, *, stage: str
    ) -> SparkData:
        """Return what `function` makes of the rows of each key.

        The keys of a partition are split in one pass: a group of Spark's own for every key would cost more than the
        work on it. Consecutive keys go to different partitions, as they may be alike in size.
        """
        data = self._computed(data, stage)
        column = carried_name(data.schema.get_field_index(key))
        n_partitions = max(1, min(n_keys, _TASKS_PER_CORE * self._n_cores))
        with self._step(stage):
            by = data.frame[column] % n_partitions
            spread = data.frame.repartition(n_partitions, by).sortWithinPartitions(column)
        return SparkData(spread, data.schema, schema, True, (pickled(function),), key)

    def keep(self, data: SparkData, *, stage: str) -> SparkData:
        """Return the same table, computed and stored: in the shared folder, or on the disks of the workers."""
        from pyspark import StorageLevel

        data = self._computed(data, stage)
        if data.n_rows is not None:
            return data
        with self._step(stage), without_warnings():
            folder = None
            if self._work is None:
                kept = data.frame.persist(StorageLevel.DISK_ONLY)
                self._kept.append(kept)
            else:
                folder = f"{self._work.rstrip('/')}/{self._own}/{next(self._numbers)}"
                self._folders.append(folder)
                data.frame.write.mode("error").parquet(folder)
                kept = self.session.read.schema(data.frame.schema).parquet(folder)
            return replace(data, frame=kept, n_rows=kept.count(), folder=folder)

    def drop(self, data: SparkData) -> None:
        """Remove a table from the shared folder; one on the disks of workers stays, for rows that a worker loses."""
        if data.folder is not None:
            self._remove(data.folder)

    def collect(self, data: SparkData, *, stage: str) -> pa.Table:
        """Return all rows in the memory of this process; for small results only."""
        data = self._computed(data, stage)
        with self._step(stage), without_warnings():
            found = data.frame.toArrow()
        batches = [delivered(batch, data.schema) for batch in found.to_batches() if batch.num_rows]
        return pa.Table.from_batches(batches, data.schema)

    def sorted_batches(self, data: SparkData, keys: Sequence[str], *, stage: str) -> Batches:
        """Yield all rows in ascending order of integer columns, one partition of about 100,000 rows after the other.

        Partitions are ranges of the keys. One is sent as some large cells while the one before is used: the table is
        never in this process as a whole.
        """
        data = self.keep(data, stage=stage)
        assert data.n_rows is not None
        if not data.n_rows:
            return
        spread = self.in_order(data, keys).frame
        with self._step(stage), without_warnings():
            blobs = spread.mapInArrow(as_blobs, BLOB).toLocalIterator(prefetchPartitions=True)
        while True:
            with self._step(stage):
                row = next(blobs, None)
            if row is None:
                return
            for batch in from_blob(row[0]):
                yield delivered(batch, data.schema)

    def each_piece(
        self, data: SparkData, keys: Sequence[str], ends: Sequence[int], function: OfPiece, *, stage: str
    ) -> None:
        """Call `function` for every piece of the sorted rows, one after the other in this process."""
        for number, batches in enumerate(pieces(self.sorted_batches(data, keys, stage=stage), ends)):
            function(number, batches)

    def in_order(self, data: SparkData, keys: Sequence[str]) -> SparkData:
        """Return the same rows in ascending order of integer columns, in partitions of about 100,000."""
        data = data if data.n_rows is not None else self.keep(data, stage="order")
        assert data.n_rows is not None
        columns = [carried_name(data.schema.get_field_index(key)) for key in keys]
        n_partitions = max(1, -(-data.n_rows // _SORTED_ROWS))
        with self._step("order"):
            spread = data.frame.repartitionByRange(n_partitions, *columns).sortWithinPartitions(*columns)
        return replace(data, frame=spread, n_rows=None)

    def frame_of(self, data: SparkData) -> Any:
        """Return data as a Spark frame with the types that Spark has for its columns."""
        data = self._computed(data, "frame")
        return natural_frame(data.frame, data.schema)

    def close(self) -> None:
        """Remove what was stored, and end the session if it was started here."""
        for frame in self._kept:
            with suppress(Exception):  # a session that has ended keeps nothing
                frame.unpersist(blocking=True)
        self._kept.clear()
        if self._folders:
            with suppress(Exception):
                self._remove(f"{self._work}/{self._own}")
            self._folders.clear()
        if self._stop:
            with suppress(Exception):
                self.session.stop()

    @property
    def _n_cores(self) -> int:
        """The cores that Spark has for this session, as far as it says."""
        try:
            return max(1, int(self.session.sparkContext.defaultParallelism))
        except Exception:  # a remote session has no context; it has a setting for shuffles
            return 16

    def _computed(self, data: SparkData, stage: str) -> SparkData:
        """Return data without functions that are still to be applied, as Spark carries it for us."""
        if data.is_carried and not data.steps:
            return data
        with self._step(stage), without_warnings():
            task = Task(data.steps, data.held, data.schema, data.is_carried, data.key)
            frame = data.frame.mapInArrow(_called(task), spark_schema(data.schema))
        return SparkData(frame, data.schema, data.schema, is_carried=True)

    @contextmanager
    def _step(self, stage: str) -> Iterator[None]:
        """Name the jobs that Spark starts during the block, and turn its errors into ours."""
        with spark_errors(stage):
            context = getattr(self.session, "_sc", None)
            if context is not None:
                context.setJobDescription(f"shoal: {stage}")
            yield

    def _remove(self, folder: str) -> None:
        """Remove a folder of the shared place, by Spark's own access to it."""
        java = self.session._jvm
        path = java.org.apache.hadoop.fs.Path(folder)
        path.getFileSystem(self.session._jsc.hadoopConfiguration()).delete(path, True)


def _called(task: Task) -> Callable[[Batches], Batches]:
    """Return a task as a plain function, which is what Spark looks for."""

    def run(batches: Batches) -> Batches:
        return task(batches)

    return run
