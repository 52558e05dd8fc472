"""Tables that are not in Parquet files: they are read in parts and stored in one, in the engine's work folder.

Guarantee   The stored table has the rows, types and texts that the source has when it is taken into memory: a column
            is typed by all of its cells, and what is published as it was read is stored as text. Identifiers are not
            stored. Memory holds one part at a time, and only the owner of the folder can read the files in it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyarrow import ipc, parquet

from shoal import progress
from shoal.caller import named
from shoal.engines.work_file import plain_schema, work_file
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.policy import Column, Policy
from shoal.roles.as_read import is_measured
from shoal.roles.null_values import without_codes
from shoal.roles.resolve import same_columns
from shoal.tables.check import checked
from shoal.tables.csv_parts import CsvParts, copy_as_utf8
from shoal.tables.database.source import DatabaseSource
from shoal.tables.file_bytes import opened
from shoal.tables.formats import format_read
from shoal.tables.infer import TextKind, typed_columns
from shoal.tables.infer_parts import DecidedTypes, PartTypes
from shoal.tables.options import ReadOptions
from shoal.tables.parts import parts_of

ROWS = 1 << 17
"""Rows of a row group of the stored file: what one worker reads at a time."""


def stored(source: Any, policy: Policy, options: ReadOptions, folder: Path) -> str | Path:
    """Return where the table of a source lies in Parquet: the source itself, or a new file in the work folder.

    Raises a ParameterError for a source that cannot be read in parts, and what reading it raises.
    """
    if isinstance(source, DatabaseSource):
        return _from_database(source, policy, folder)
    if isinstance(source, str | Path):
        if parts_of(source):
            return source
        kind = format_read(Path(source))
        if kind == "parquet":
            return source
        if kind == "csv" and Path(source).suffix.lower() != ".zip":
            return _from_csv(Path(source), policy, options, folder)
        if kind == "arrow":
            return _from_arrow(Path(source), policy, folder)
    raise ParameterError(
        f"{named('engine')} reads CSV, Parquet and Arrow files and databases, which can be read in parts.",
        f"write the table as Parquet first (in polars: frame.write_parquet), or leave {named('engine')} out.",
    )


def _from_csv(path: Path, policy: Policy, options: ReadOptions, folder: Path) -> Path:
    copy = folder / "source.csv"
    with work_file(copy) as file:
        options = copy_as_utf8(path, options, file)
    with copy.open("rb") as copied:  # the map is closed when nothing refers to it any more
        parts = CsvParts.of(mmap.mmap(copied.fileno(), 0, access=mmap.ACCESS_READ), path, options)
    same_columns(parts.names, policy)
    kept = [name for name in parts.names if policy.columns[name].role != "identifier"]
    codes = {name: policy.columns[name].null_values for name in kept if policy.columns[name].role != "other"}
    codes = {name: own for name, own in codes.items() if own}
    types, coded = PartTypes(kept), PartTypes(list(codes))
    for frame in parts.frames("types of columns"):
        types.add(frame.select(kept))
        coded.add(_without_codes(frame.select(list(codes)), codes))
    decided = types.decided(parts.dialect.separator, options.decimal)
    # a column that only codes of missing values keep from being one of numbers or dates is one, as in memory
    beside = coded.decided(parts.dialect.separator, decided.decimal).only(codes.keys() - decided.kinds.keys())
    for note in decided.notes:
        progress.note(note)
    kinds = {
        name: kind for one in (decided, beside) for name, kind in one.kinds.items() if _is_typed(name, one, policy)
    }
    codes = {name: own for name, own in codes.items() if name in beside.kinds}
    frames = (_typed(_without_codes(frame.select(kept), codes), kinds) for frame in parts.frames("reading"))
    target = _write(frames, parts.names, policy, folder)
    copy.unlink()
    return target


def _is_typed(name: str, decided: DecidedTypes, policy: Policy) -> bool:
    """Return whether a column is stored with its type rather than as text, as `roles.labeled` decides in memory.

    Raises a SchemaError for a sensitive column of which requirements need the numbers, and readers the texts.
    """
    column = policy.columns[name]
    if column.number is not None or column.format is not None:  # its texts are read in that format
        return False
    if name in decided.as_written or column.role == "person" or (column.role == "quasi" and is_measured(column)):
        return True
    if column.role == "sensitive" and is_measured(column) and _compares_numbers(name, column, policy):
        if name in decided.plain or column.is_recoded:  # every cell is written again once it is rounded or limited
            return True
        raise SchemaError(
            f"column {name!r} holds numbers or dates that are not written alike, such as 1.5 beside 1.50.",
            "write them alike, or store the table as Parquet with numbers or dates in this column.",
        )
    return False


def _compares_numbers(name: str, column: Column, policy: Policy) -> bool:
    needed = (column.bins, column.top, column.bottom, column.round, policy.closeness_of(name))
    return any(setting is not None for setting in needed)


def _without_codes(frame: pl.DataFrame, codes: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """Return a part, every cell of it a text, with null in place of the codes of missing values."""
    return frame.with_columns(without_codes(frame[name], own) for name, own in codes.items())


def _typed(frame: pl.DataFrame, kinds: dict[str, TextKind]) -> pl.DataFrame:
    """Return a part with the types of the whole; infinite numbers are refused, and NaN is missing."""
    return checked(frame.with_columns(typed_columns(frame, kinds).get_columns()))[0]


def _from_arrow(path: Path, policy: Policy, folder: Path) -> Path:
    with opened(path) as (file, _):
        batches = _arrow_batches(path, file)
        first = next(batches)
        # codes of labels may differ from batch to batch
        schema = plain_schema(
            pa.schema(
                [
                    pa.field(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type)
                    for one in first.schema
                ]
            )
        )
        same_columns(list(schema.names), policy)
        tables = (pa.Table.from_batches([batch]).cast(schema) for batch in chain([first], batches))
        return _write_arrow(tables, schema, list(schema.names), policy, folder)


def _arrow_batches(path: Path, file: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an Arrow file or stream: at least one, which may have no rows."""
    try:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        source: Any = (ipc.open_file if is_file else ipc.open_stream)(file)
        yield pa.RecordBatch.from_pylist([], schema=source.schema)
        for batch in map(source.get_batch, range(source.num_record_batches)) if is_file else source:
            batch.validate(full=True)  # in a damaged file offsets may point anywhere
            yield batch
    except (OSError, pa.ArrowException):
        raise TableError(f"{str(path)!r} is not a complete Arrow file.", "copy or export it again.") from None


def _from_database(source: DatabaseSource, policy: Policy, folder: Path) -> Path:
    from shoal.tables.database.reading import typed_parts

    with typed_parts(source) as (names, frames):
        same_columns(names, policy)
        return _write(_counted(frames), names, policy, folder)


def _counted(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield the frames of a source of which nobody knows how many there are."""
    with progress.step("reading") as advance:
        for frame in frames:
            yield frame
            advance(frame.height)


def _write(frames: Iterator[pl.DataFrame], names: Sequence[str], policy: Policy, folder: Path) -> Path:
    """Write frames that have equal types, and all columns or all but the identifiers, as one Parquet file."""
    first = next(frames)
    tables = _Tables(first, frames)
    return _write_arrow(iter(tables), tables.schema, names, policy, folder)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Frames of polars as tables of Arrow, in the schema of the first."""

    first: pl.DataFrame
    others: Iterator[pl.DataFrame]

    @property
    def schema(self) -> pa.Schema:
        return _to_arrow(self.first).schema.remove_metadata()

    def __iter__(self) -> Iterator[pa.Table]:
        yield _to_arrow(self.first)
        for frame in self.others:
            yield _to_arrow(frame).cast(self.schema)


def _to_arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def _write_arrow(
    tables: Iterator[pa.Table], schema: pa.Schema, names: Sequence[str], policy: Policy, folder: Path
) -> Path:
    """Write tables of one schema as a Parquet file with the columns `names`; identifiers have no cells in it."""
    target = folder / "source.parquet"
    hidden = {name for name in names if policy.columns[name].role == "identifier"}
    whole = pa.schema([pa.field(name, pa.null()) if name in hidden else schema.field(name) for name in names])
    with work_file(target) as file, parquet.ParquetWriter(file, whole, compression="zstd") as writer:
        for table in tables:
            columns = [pa.nulls(table.num_rows) if name in hidden else table[name] for name in names]
            writer.write_table(pa.table(columns, schema=whole), row_group_size=ROWS)
    return target
