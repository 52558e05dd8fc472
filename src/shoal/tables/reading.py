"""Reading any source as a `Table`, and a released file as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import polars as pl
import pyarrow as pa

from shoal.errors import TableError, is_text
from shoal.tables.arrow_file import read_arrow, read_parquet
from shoal.tables.check import check_names, check_times
from shoal.tables.csv_file import csv_as_text, read_csv
from shoal.tables.database.source import DatabaseSource, located
from shoal.tables.file_bytes import UTF8_MARK
from shoal.tables.formats import format_read
from shoal.tables.from_frame import from_arrow, from_pandas, from_polars, plain_frame
from shoal.tables.options import ReadOptions
from shoal.tables.parts import parts_of, read_parts
from shoal.tables.spreadsheet import unguarded
from shoal.tables.store import StoredSource, fetched
from shoal.tables.table import Table
from shoal.tables.text import as_written
from shoal.tables.text_file import text_bytes
from shoal.tables.xlsx_file import read_xlsx, xlsx_as_text

_DEFAULTS = ReadOptions()


def read(source: Any, options: ReadOptions = _DEFAULTS) -> Table:
    """Return the table in a polars, pandas or pyarrow frame, or in a file (`str` or `Path`) of a format in `formats`.

    Raises `TableError` if the source cannot be read and `SchemaError` if a column is not supported.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return from_polars(source)
    if isinstance(source, pa.Table):
        return from_arrow(source)
    if nw.dependencies.is_pandas_dataframe(source):
        return from_pandas(source)
    source = located(source)
    if isinstance(source, DatabaseSource):
        from shoal.tables.database.reading import read_database

        return read_database(source)
    if isinstance(source, StoredSource):
        with fetched(source) as path:
            return read(path, options)
    if not isinstance(source, str | Path):
        raise TableError(
            f"a {type(source).__name__} cannot be read as a table.",
            "polars.DataFrame(...) makes one of it."
            if isinstance(source, Mapping | list)
            else "pass a polars, pandas or pyarrow table, the path of a file, or the URI of a database.",
        )
    if not is_text(source) and (parts := parts_of(source)):
        return read_parts(parts)
    path = Path(source)
    kind = format_read(path)
    if kind == "csv":
        return read_csv(path, options)
    if kind == "xlsx":
        return read_xlsx(path, options)
    if kind == "parquet" or kind == "arrow":
        return from_arrow(_arrow_table(path, kind), kind)
    if kind == "r":
        from shoal.tables.r_file import read_r

        return read_r(path, options)
    from shoal.tables.statistics_file import read_statistics

    return read_statistics(path, kind, options)


def read_back(path: str | Path, options: ReadOptions = _DEFAULTS) -> pl.DataFrame:
    """Return a released file with every column as text, exactly as written; null is distinct from the empty text.

    In a file written for spreadsheets (`write_file` with `excel`) the added apostrophes are removed again.

    A truncated file is refused: a CSV file must end with a line end, any other with its footer.
    """
    path = Path(path)
    kind = format_read(path)
    if kind == "csv":
        data = text_bytes(path, options.encoding).data
        if data[-1:] not in (b"\n", b"\r"):
            raise TableError(f"{str(path)!r} does not end with a line end.", "it may be truncated: copy it again.")
        frame = csv_as_text(data, path, replace(options, has_header=True))[0]
        return unguarded(frame) if data[: len(UTF8_MARK)] == UTF8_MARK else frame
    if kind == "xlsx":
        return xlsx_as_text(path)
    if kind != "parquet" and kind != "arrow":
        raise TableError(
            f"{str(path)!r} is not a format of a release.", "a release is a .csv, .xlsx, .parquet or .arrow file."
        )
    table = _arrow_table(path, kind)
    check_names(table.column_names)
    frame = plain_frame(dict(zip(table.column_names, table.columns, strict=True)))
    check_times(frame)
    return as_written(frame)


def _arrow_table(path: Path, kind: Literal["parquet", "arrow"]) -> pa.Table:
    return read_parquet(path) if kind == "parquet" else read_arrow(path)
