"""Writing released rows to a Parquet file, or to several: only cells, as in `shoal.tables.writing`.

Guarantee   In one file the rows of a class are together and in random order, and classes are in random order. In
            several, all rows are in one random order, drawn from the secret, that is cut into files whose sizes
            differ by at most one row: every file is a uniformly random part of the rows, whatever they hold
            (PRIVACY-6, docs/proofs/privacy.md). The bytes of a file follow from its rows, and depend neither on the
            engine nor on the number of processes that write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from shoal.certify.several_files import file_names
from shoal.engines.columns import CLASS, ROW
from shoal.engines.engine import Batches
from shoal.engines.people_numbers import numbered, with_numbered_people
from shoal.engines.release import Rows
from shoal.errors import TableError
from shoal.tables import disk
from shoal.tables.file_sizes import ends_of_files

TABLE = "release.parquet"
GROUP_ROWS = 1 << 18
"""Rows of a row group of a written Parquet file."""


def write_one_file(rows: Rows, folder: Path) -> Path:
    """Write the released rows to one file, and return it; memory holds some of them at a time."""
    batches = rows.engine.sorted_batches(rows.data, [CLASS, ROW], stage="writing")
    _write(_with_people(batches, rows), rows.schema, folder / TABLE)
    return folder / TABLE


def write_several_files(rows: Rows, folder: Path, rows_per_file: int) -> Path:
    """Write the released rows to files of at most `rows_per_file` rows, as many at a time as the engine has workers.

    The first file is returned. Memory holds some rows of a file per process, whatever its size.
    """
    ends = ends_of_files(rows.n_rows, rows_per_file)
    names = file_names(len(ends), "parquet")
    person, data = rows.policy.person, rows.data
    if person is not None:  # rows of one class are in several files, so that no file could number its people
        data = with_numbered_people(rows.engine, data, person, rows.n_rows)
    work = _WriteFile(folder, tuple(names), rows.schema)
    rows.engine.each_piece(data, [ROW, CLASS], ends, work, stage="writing")
    if person is not None:
        rows.engine.drop(data)
    return folder / names[0]


@dataclass(frozen=True, slots=True)
class _WriteFile:
    """A function that writes the rows of one file."""

    folder: Path
    names: tuple[str, ...]
    schema: pa.Schema

    def __call__(self, number: int, batches: Batches) -> None:
        columns = self.schema.names
        tables = (pa.Table.from_batches([batch]).select(columns) for batch in batches)
        _write(tables, self.schema, self.folder / self.names[number])


def _write(tables: Iterator[pa.Table], schema: pa.Schema, file: Path) -> None:
    """Write a new Parquet file with row groups of `GROUP_ROWS` rows, in whatever tables the rows come."""
    try:
        with (
            disk.new_file(file, private=False) as target,
            parquet.ParquetWriter(
                target, schema, compression="zstd", use_dictionary=False, write_statistics=False
            ) as writer,
        ):
            for group in _groups(tables):
                writer.write_table(group, row_group_size=GROUP_ROWS)
    except OSError as error:
        raise TableError(
            f"{str(file)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check the folder, its permissions and the free space.",
        ) from None


def _groups(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows in tables of exactly `GROUP_ROWS` rows, but for the last."""
    waiting: list[pa.Table] = []
    n_waiting = 0
    for table in tables:
        waiting.append(table)
        n_waiting += table.num_rows
        while n_waiting >= GROUP_ROWS:
            together = pa.concat_tables(waiting)
            yield together.slice(0, GROUP_ROWS).combine_chunks()
            n_waiting -= GROUP_ROWS
            waiting = [together.slice(GROUP_ROWS)]
    if n_waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _with_people(batches: Iterator[pa.RecordBatch], rows: Rows) -> Iterator[pa.Table]:
    """Yield the released columns; people are numbered 1 .. m within each class, in the random order of its rows."""
    person = rows.policy.person
    names = rows.schema.names
    waiting: pa.Table | None = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        if person is None:
            yield table.select(names)
            continue
        table = table if waiting is None else pa.concat_tables([waiting, table])
        classes = table[CLASS].to_numpy()
        whole = int(np.searchsorted(classes, classes[-1]))  # the last class may go on in the next batch
        if whole:
            yield numbered(table.slice(0, whole), person).select(names)
        waiting = table.slice(whole)
    if waiting is not None and person is not None:
        yield numbered(waiting, person).select(names)
