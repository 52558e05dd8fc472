"""The engine of one computer: partitions are read from Parquet files or from a work folder, by several processes.

Guarantee   Memory holds some rows of one partition, or the rows of one key, per process; everything else is in files
            of the work folder, which only its owner can read. The results do not depend on the number of processes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import ipc, parquet

from shoal import progress
from shoal.caller import setting
from shoal.engines.engine import Batches, OfKey, OfPartition, OfPiece
from shoal.engines.work_file import plain_schema, work_file
from shoal.engines.workers import Workers
from shoal.errors import TableError
from shoal.held_folder import hold, remove_left_over
from shoal.partition.blocks.search import available_cores
from shoal.tables.parts import parts_of

ROWS = 1 << 16
"""Rows that are read from a file at a time."""
CHUNK = 1 << 18
"""Rows that are sorted by key in memory before they are written; a key then has some rows in every chunk."""
BUCKET = 1 << 18
"""Rows that are sorted at a time for the final order, about."""
Ints = npt.NDArray[np.int64]
_PREFIX = ".shoal-"


def _damaged(path: Path) -> TableError:
    return TableError(f"{str(path)!r} is not a complete Parquet file.", "copy or export it again.")


@dataclass(frozen=True, slots=True)
class RowGroups:
    """Some row groups of a Parquet file."""

    path: Path
    groups: tuple[int, ...]
    columns: tuple[str, ...]

    def batches(self) -> Batches:
        """Yield the rows, some at a time."""
        try:
            with parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS, row_groups=list(self.groups), columns=list(self.columns)):
                    batch.validate(full=True)  # in a damaged file texts may not be valid UTF-8
                    own = batch.select(list(self.columns))
                    yield own.cast(plain_schema(own.schema))
        except (OSError, pa.ArrowException):
            raise _damaged(self.path) from None


@dataclass(frozen=True, slots=True)
class Stored:
    """A file of the work folder."""

    path: Path
    columns: tuple[str, ...]

    def batches(self) -> Batches:
        """Yield the rows, some at a time."""
        with pa.memory_map(str(self.path)) as mapped:
            reader = ipc.open_stream(mapped)
            for batch in reader:
                yield batch.select(list(self.columns))


Part = RowGroups | Stored


@dataclass(frozen=True, slots=True)
class LocalData:
    """A table in partitions, and the functions that are still to be applied to each of them."""

    parts: tuple[Part, ...]
    steps: tuple[OfPartition, ...]
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows in a file, sorted by key: those of key i are at `starts[i]` to `starts[i + 1]`."""

    path: Path
    starts: Ints


class LocalEngine:
    """Runs on the cores of this computer, with a work folder for what does not fit into memory."""

    name = "local"

    def __init__(self, folder: Path | None = None, *, n_workers: int | None = None) -> None:
        try:
            if remove_left_over(Path(folder or tempfile.gettempdir()).glob(f"{_PREFIX}*")):
                progress.note("the work folder of a run that was killed has been removed")
            self._lock: IO[bytes] | None = None
            while self._lock is None:
                self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))  # only its owner can enter it
                self._lock = hold(self.folder)
        except OSError as error:
            raise TableError(
                f"there cannot be a work folder in {str(folder)!r}: {error.strerror or 'input/output error'}.",
                f"choose another folder: {setting('work', 'FOLDER')}.",
            ) from None
        self._workers = Workers(n_workers or available_cores())
        self._n_files = 0

    @staticmethod
    def read(source: str | Path) -> LocalData:
        """Return the table in a Parquet file, or in those of a folder or pattern, which must have equal columns."""
        files = parts_of(source) or [Path(source)]
        parts: list[Part] = []
        first: pa.Schema | None = None
        for path in files:
            try:
                with parquet.ParquetFile(path) as file:
                    schema, n_groups = plain_schema(file.schema_arrow), file.metadata.num_row_groups
            except (OSError, pa.ArrowException):
                raise _damaged(path) from None
            if first is not None and not schema.equals(first):
                raise TableError(
                    f"{path.name!r} has other columns or types than {files[0].name!r}.",
                    "write all parts with the same columns in the same order.",
                )
            first = schema
            columns = tuple(schema.names)
            parts += [RowGroups(path, (group,), columns) for group in range(n_groups)]
        assert first is not None
        return LocalData(tuple(parts), (), first)

    def schema(self, data: LocalData) -> pa.Schema:
        """Return the names and types of the columns."""
        return data.schema

    def select(self, data: LocalData, names: Sequence[str]) -> LocalData:
        """Return some of the columns, without reading the others."""
        schema = pa.schema([data.schema.field(name) for name in names])
        if data.steps:
            return LocalData(data.parts, (*data.steps, _Columns(tuple(names))), schema)
        return LocalData(tuple(replace(part, columns=tuple(names)) for part in data.parts), (), schema)

    def map(self, data: LocalData, function: OfPartition, schema: pa.Schema, *, stage: str) -> LocalData:
        """Return what `function` makes of every partition, when it is needed."""
        del stage
        return LocalData(data.parts, (*data.steps, function), schema)

    def keep(self, data: LocalData, *, stage: str) -> LocalData:
        """Return the same table computed now and stored in files."""
        if not data.steps and all(isinstance(part, Stored) for part in data.parts):
            return data
        columns = tuple(data.schema.names)
        calls = ((part, data.steps, self._new_file(), data.schema) for part in data.parts)
        paths = self._run(_store, calls, len(data.parts), stage)
        return LocalData(tuple(Stored(path, columns) for path in sorted(paths)), (), data.schema)

    def map_keys(
        self, data: LocalData, key: str, n_keys: int, function: OfKey, schema: pa.Schema, *, stage: str
    ) -> LocalData:
        """Return what `function` makes of the rows of each key, which are gathered from files sorted by key."""
        chunks = self._chunks(data, _ByKey(key), n_keys, stage=f"{stage}: dividing")
        held = np.zeros(n_keys, dtype=np.int64)
        for chunk in chunks:
            held += np.diff(chunk.starts)
        largest_first = [int(one) for one in np.argsort(-held, kind="stable") if held[one]]
        work = _OneKey(function, tuple(chunks), schema)
        calls = ((number, self._new_file()) for number in largest_first)
        paths = self._run(work, calls, len(largest_first), stage)
        for chunk in chunks:
            chunk.path.unlink()
        return LocalData(tuple(Stored(path, tuple(schema.names)) for path in sorted(paths)), (), schema)

    def drop(self, data: LocalData) -> None:
        """Remove the files of a table that nothing needs any more."""
        for part in data.parts:
            if isinstance(part, Stored):
                part.path.unlink()

    def collect(self, data: LocalData, *, stage: str) -> pa.Table:
        """Return all rows in the memory of this process."""
        calls = ((place, part, data.steps, data.schema) for place, part in enumerate(data.parts))
        found = dict(self._run(_collected, calls, len(data.parts), stage))
        return pa.concat_tables([data.schema.empty_table(), *(found[place] for place in sorted(found))])

    def sorted_batches(self, data: LocalData, keys: Sequence[str], *, stage: str) -> Batches:
        """Yield all rows in ascending order of `keys`: put into buckets by the first key, which are then sorted."""
        counted = self.map(data, _count_rows, _COUNT, stage=stage)
        n_rows = int(np.sum(self.collect(counted, stage=f"{stage}: counting")["n"].to_numpy()))
        n_buckets = max(1, n_rows // BUCKET)
        chunks = self._chunks(data, _ByBucket(keys[0], n_buckets), n_buckets, stage=f"{stage}: dividing")
        self._workers.rest()
        with progress.step(stage, total=n_buckets) as advance:
            for bucket in range(n_buckets):
                table = _rows_of(chunks, bucket, data.schema)
                yield from table.sort_by([(key, "ascending") for key in keys]).to_batches(ROWS)
                advance(1)
        for chunk in chunks:
            chunk.path.unlink()

    def each_piece(
        self, data: LocalData, keys: Sequence[str], ends: Sequence[int], function: OfPiece, *, stage: str
    ) -> None:
        """Call `function` for every piece of the sorted rows, in the worker processes.

        A process reads the buckets that have rows of its piece; one that two pieces share is read for both.
        """
        # pieces that are smaller than a bucket would make every call read and sort many more rows than it has
        n_buckets = max(1, ends[-1] // BUCKET, 2 * len(ends))
        chunks = self._chunks(data, _ByBucket(keys[0], n_buckets), n_buckets, stage=f"{stage}: dividing")
        held = np.zeros(n_buckets, dtype=np.int64)
        for chunk in chunks:
            held += np.diff(chunk.starts)
        work = _OnePiece(function, tuple(chunks), data.schema, tuple(keys), np.cumsum(held))
        calls = ((number, start, end) for number, (start, end) in enumerate(pairwise([0, *ends])))
        self._run(work, calls, len(ends), stage)
        for chunk in chunks:
            chunk.path.unlink()

    def close(self) -> None:
        """End the processes and remove the work folder."""
        self._workers.close()
        if self._lock is not None:
            self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _chunks(self, data: LocalData, keys: _Keys, n_keys: int, *, stage: str) -> list[Chunk]:
        calls = ((part, data.steps, self._new_file(), data.schema, keys, n_keys) for part in data.parts)
        found = [chunk for some in self._run(_divide, calls, len(data.parts), stage) for chunk in some]
        return sorted(found, key=lambda chunk: chunk.path)  # the order of rows of a key must not depend on timing

    def _run(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], n: int, stage: str) -> list[Any]:
        with progress.step(stage, total=n) as advance:
            found = []
            for one in self._workers.run(function, calls):
                found.append(one)
                advance(1)
            return found

    def _new_file(self) -> Path:
        self._n_files += 1
        return self.folder / f"{self._n_files:08d}.arrows"


_COUNT = pa.schema([("n", pa.int64())])


def _count_rows(batches: Batches) -> Batches:
    yield pa.record_batch([pa.array([sum(batch.num_rows for batch in batches)], pa.int64())], schema=_COUNT)


@dataclass(frozen=True, slots=True)
class _Columns:
    """A step that keeps some columns."""

    names: tuple[str, ...]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            yield batch.select(list(self.names))


@dataclass(frozen=True, slots=True)
class _ByKey:
    """The key of a row, which is a column of small numbers."""

    column: str

    def __call__(self, table: pa.Table) -> Ints:
        return table[self.column].to_numpy().astype(np.int64)


@dataclass(frozen=True, slots=True)
class _ByBucket:
    """The bucket of a row by a column of 64-bit numbers: equal parts of their whole range, in ascending order."""

    column: str
    n_buckets: int

    def __call__(self, table: pa.Table) -> Ints:
        shifted = (table[self.column].to_numpy() >> 32) + 2**31  # 0 to 2**32 - 1
        return shifted * self.n_buckets >> 32


_Keys = _ByKey | _ByBucket


def _batches(part: Part, steps: Sequence[OfPartition]) -> Batches:
    """Return the batches of a partition after all steps."""
    batches = part.batches()
    for step in steps:
        batches = step(batches)
    return batches


def _store(part: Part, steps: Sequence[OfPartition], path: Path, schema: pa.Schema) -> Path:
    _write(_batches(part, steps), path, schema)
    return path


def _collected(place: int, part: Part, steps: Sequence[OfPartition], schema: pa.Schema) -> tuple[int, pa.Table]:
    return place, pa.Table.from_batches(list(_batches(part, steps)), schema)


def _divide(
    part: Part, steps: Sequence[OfPartition], path: Path, schema: pa.Schema, keys: _Keys, n_keys: int
) -> list[Chunk]:
    """Write the rows of a partition in chunks that are sorted by key."""
    chunks: list[Chunk] = []
    for table in _pieces(_batches(part, steps), schema):
        own = keys(table)
        order = np.argsort(own, kind="stable")
        starts = np.searchsorted(own[order], np.arange(n_keys + 1))
        target = path.with_name(f"{path.stem}-{len(chunks):04d}{path.suffix}")
        _write(table.take(order).combine_chunks().to_batches(), target, schema)
        chunks.append(Chunk(target, starts))
    return chunks


def _pieces(batches: Batches, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of batches as tables of at least CHUNK rows, but for the last."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= CHUNK:
            yield pa.Table.from_batches(waiting, schema)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting, schema)


@dataclass(frozen=True, slots=True)
class _OneKey:
    """A call for the rows of one key."""

    function: OfKey
    chunks: tuple[Chunk, ...]
    schema: pa.Schema

    def __call__(self, number: int, path: Path) -> Path:
        made = self.function(_rows_of(self.chunks, number))
        _write(made.to_batches(), path, self.schema)
        return path


@dataclass(frozen=True, slots=True, eq=False)
class _OnePiece:
    """A call for one piece of the sorted rows."""

    function: OfPiece
    chunks: tuple[Chunk, ...]
    schema: pa.Schema
    keys: tuple[str, ...]
    ends: Ints
    """After how many rows each bucket ends."""

    def __call__(self, number: int, start: int, end: int) -> None:
        self.function(number, self._rows(start, end))

    def _rows(self, start: int, end: int) -> Batches:
        """Yield the rows from place `start` to `end` of all sorted rows, a bucket at a time."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        for bucket in range(first, len(self.ends)):
            before = int(self.ends[bucket - 1]) if bucket else 0
            if before >= end:
                return
            table = _rows_of(self.chunks, bucket, self.schema)
            table = table.sort_by([(key, "ascending") for key in self.keys])
            skipped = max(start - before, 0)
            yield from table.slice(skipped, end - before - skipped).to_batches(ROWS)


def _rows_of(chunks: Sequence[Chunk], number: int, schema: pa.Schema | None = None) -> pa.Table:
    """Return the rows of a key from all chunks; only their pages of the files are read."""
    parts = [] if schema is None else [schema.empty_table()]
    for chunk in chunks:
        first, end = int(chunk.starts[number]), int(chunk.starts[number + 1])
        if end > first:
            with pa.memory_map(str(chunk.path)) as mapped:
                parts.append(ipc.open_stream(mapped).read_all().slice(first, end - first))
    return pa.concat_tables(parts).combine_chunks()


def _write(batches: Iterable[pa.RecordBatch], path: Path, schema: pa.Schema) -> None:
    """Write a new file of the work folder."""
    with work_file(path) as file, ipc.new_stream(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
