"""A released table that Spark holds: every cell as text, and for each row a key of its equivalence class.

Guarantee   Cells are spelled as `shoal.tables.text` spells them when a file is read back. Two rows have the same key
            exactly if all their quasi-identifiers are equal, where missing equals only missing: the key is the
            SHA-256 digest of a text from which the cells can be read back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyarrow import parquet

from shoal.errors import EngineError, ParameterError, ShoalError, TableError
from shoal.spark_session import import_pyspark, without_warnings
from shoal.tables.check import check_names, check_times
from shoal.tables.from_frame import plain_frame
from shoal.tables.text import as_written

CLASS = "class"
Batches = Iterator[pa.RecordBatch]
Function = Callable[[Batches], Batches]


@contextmanager
def counting() -> Iterator[None]:
    """Raise an error of Spark during the block as one sentence: its own would quote cells."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as raised:
        said = str(raised)
        if "No module named" in said:
            raise EngineError(
                "the Python of Spark's workers lacks Shoal or a package that it needs.",
                "install shoal[spark] on every node, and set PYSPARK_PYTHON to that Python.",
            ) from None
        if "shoal cannot read a cell" in said:
            raise TableError(
                "the released table has columns of types, or moments, that cannot be read.",
                "release it as numbers, dates and texts.",
            ) from None
        raise EngineError(
            f"Spark could not count the released table ({type(raised).__name__}).",
            "see the state of the cluster and its workers' logs.",
        ) from None


@dataclass(slots=True, eq=False)
class Rows:
    """The rows of a released table as texts; columns are called c0, c1, ... in the order of `names`."""

    names: list[str]
    frame: Any
    session: Any
    kept: list[Any] = field(default_factory=list)

    def column(self, name: str) -> str:
        """Return what Spark calls a column: names of users may hold dots, or differ in case only."""
        return f"c{self.names.index(name)}"

    def keep(self, frame: Any) -> Any:
        """Return a frame that is computed once and kept on the workers until `close`."""
        from pyspark import StorageLevel

        self.kept.append(frame.persist(StorageLevel.DISK_ONLY))
        return self.kept[-1]

    def close(self) -> None:
        """Let the workers forget what they keep."""
        for frame in self.kept:
            with suppress(Exception):  # a session that has ended keeps nothing
                frame.unpersist()
        self.kept.clear()

    def with_classes(self, quasi: Sequence[str]) -> Any:
        """Return the rows with a column `class`."""
        from pyspark.sql import functions as sql

        cells = [sql.col(self.column(name)) for name in quasi]
        spelled = [
            sql.when(cell.isNull(), sql.lit("-")).otherwise(
                sql.concat(sql.length(cell).cast("string"), sql.lit(":"), cell)
            )
            for cell in cells
        ]
        return self.frame.withColumn(CLASS, sql.unhex(sql.sha2(sql.concat(sql.lit("="), *spelled), 256)))

    def mapped(self, frame: Any, function: Function, schema: str) -> Any:
        """Return what a function makes of the partitions of a frame."""
        with without_warnings():
            return frame.mapInArrow(function, schema)

    def collected(self, frame: Any) -> pl.DataFrame:
        """Return the rows of a small result."""
        with without_warnings():
            found = pl.from_arrow(frame.toArrow())
        assert isinstance(found, pl.DataFrame)
        return found

    def small(self, table: pl.DataFrame) -> Any:
        """Return a small table as a frame that every worker gets as a whole."""
        from pyspark.sql import functions as sql

        with without_warnings():
            return sql.broadcast(self.session.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest())))


def of_frame(frame: Any) -> Rows:
    """Return the rows of a Spark frame."""
    import_pyspark()
    names = list(frame.columns)
    check_names(names)
    plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
    with counting(), without_warnings():
        texts = plain.mapInArrow(_texts, ", ".join(f"c{place} string" for place in range(len(names))))
    return Rows(names, texts, frame.sparkSession)


def of_file(path: Path, session: Any) -> Rows:
    """Return the rows of a Parquet file, whose row groups the workers read."""
    if path.suffix.lower() != ".parquet":
        raise ParameterError("Spark verifies Parquet files only.", "verify this file without Spark.")
    try:
        with parquet.ParquetFile(path) as file:
            names, n_groups = list(file.schema_arrow.names), file.metadata.num_row_groups
    except (OSError, pa.ArrowException):
        raise TableError(f"{path.name!r} is not a complete Parquet file.", "copy it again.") from None
    check_names(names)
    read = functools.partial(_row_groups, str(path.absolute()))
    with counting(), without_warnings():
        numbers = session.range(0, n_groups, 1, max(1, n_groups))
        texts = numbers.mapInArrow(read, ", ".join(f"c{place} string" for place in range(len(names))))
    return Rows(names, texts, session)


def _texts(batches: Batches) -> Batches:
    """Yield batches with every cell as text."""
    for batch in batches:
        if batch.num_rows:
            yield _as_text(batch)


def _row_groups(path: str, numbers: Batches) -> Batches:
    """Yield the row groups of a Parquet file with every cell as text."""
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            with parquet.ParquetFile(path) as file:
                for rows in file.iter_batches(1 << 16, row_groups=[number]):
                    yield _as_text(rows)


def _as_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    names = [f"c{place}" for place in range(batch.num_columns)]
    try:
        frame = plain_frame(dict(zip(names, map(_in_utc, batch.columns), strict=True)))
        check_times(frame)
        texts = as_written(frame)
    except Exception:
        raise ValueError("shoal cannot read a cell") from None
    schema = pa.schema([(name, pa.string()) for name in names])
    columns = [texts[name].to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.string()) for name in names]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _in_utc(column: Any) -> Any:
    """Return moments of Spark in UTC, in whatever time zone its session shows them."""
    kind = column.type
    return column.cast(pa.timestamp(kind.unit, "UTC")) if pa.types.is_timestamp(kind) and kind.tz else column
