"""Reading any source as a `Table`, and a released file as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import polars as pl
import pyarrow as pa

from shoal.errors import TableError
from shoal.tables.arrow_file import read_arrow, read_parquet
from shoal.tables.check import check_names, check_times
from shoal.tables.csv_file import csv_as_text, read_csv
from shoal.tables.file_bytes import UTF8_MARK, text_bytes
from shoal.tables.formats import format_read
from shoal.tables.from_frame import from_arrow, from_pandas, from_polars, plain_frame
from shoal.tables.options import ReadOptions
from shoal.tables.spreadsheet import unguarded
from shoal.tables.table import Table
from shoal.tables.text import as_written

_DEFAULTS = ReadOptions()


def read(source: Any, options: ReadOptions = _DEFAULTS) -> Table:
    """Return the table in a polars, pandas or pyarrow frame, or in a CSV, Parquet or Arrow file (`str` or `Path`).

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
    if not isinstance(source, str | Path):
        raise TableError(
            f"a {type(source).__name__} cannot be read as a table.",
            "polars.DataFrame(...) makes one of it."
            if isinstance(source, Mapping | list)
            else "pass a polars, pandas or pyarrow table, or the path of a CSV, Parquet or Arrow file.",
        )
    path = Path(source)
    kind = format_read(path)
    if kind == "csv":
        return read_csv(path, options)
    return from_arrow(_arrow_table(path, kind), kind)


def read_back(path: str | Path, options: ReadOptions = _DEFAULTS) -> pl.DataFrame:
    """Return a released file with every column as text, exactly as written; null is distinct from the empty text.

    In a file written for spreadsheets (`write_file` with `excel`) the added apostrophes are removed again.

    A truncated file is refused: a CSV file must end with a line end, a Parquet or Arrow file with its footer.
    """
    path = Path(path)
    kind = format_read(path)
    if kind == "csv":
        data = text_bytes(path, options.encoding).data
        if data[-1:] not in (b"\n", b"\r"):
            raise TableError(f"{str(path)!r} does not end with a line end.", "it may be truncated: copy it again.")
        frame = csv_as_text(data, path, replace(options, has_header=True))[0]
        return unguarded(frame) if data[: len(UTF8_MARK)] == UTF8_MARK else frame
    table = _arrow_table(path, kind)
    check_names(table.column_names)
    frame = plain_frame(dict(zip(table.column_names, table.columns, strict=True)))
    check_times(frame)
    return as_written(frame)


def _arrow_table(path: Path, kind: Literal["parquet", "arrow"]) -> pa.Table:
    return read_parquet(path) if kind == "parquet" else read_arrow(path)
