"""A case's table as a user would hand it over: frames of three libraries in many types, and files."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tests.endtoend import values as v
from tests.endtoend.cases import Case

TEXT_FILES = ("csv", "csv.gz", "semicolon", "tab")
NANOSECONDS_OF_A_DAY = 86_400 * 10**9


def as_held(case: Case) -> Case:
    """The table as its source holds it, where that has no such type.

    pandas has no days: a date is its midnight there, and the mean of two may be noon. A text file has no time zone,
    only offsets, so a moment in it is an instant, and its periods are those of UTC.
    """
    columns = []
    for column in case.columns:
        kind, cells = column.kind, column.cells
        if case.source in ("pandas", "pandas-nullable") and kind == "date":
            kind, cells = "dt:ms", [None if day is None else day * NANOSECONDS_OF_A_DAY for day in cells]
        if case.source in TEXT_FILES and kind.startswith("dt:") and kind.count(":") > 1:
            kind = f"{kind.rsplit(':', 1)[0]}:UTC"
        columns.append(replace(column, kind=kind, cells=cells))
    return replace(case, columns=columns)


def frame_of(case: Case) -> pl.DataFrame:
    return pl.DataFrame([v.series(column.name, column.kind, column.cells) for column in case.columns])


def source_of(case: Case, folder: Path) -> Any:
    """The table in the kind that the case asks for; files are written to `folder`."""
    kind = case.source
    if kind in TEXT_FILES:
        return _text_file(case, folder)
    frame = frame_of(case)
    if kind in ("polars", "lazy"):
        return frame if kind == "polars" else frame.lazy()
    if kind.startswith("pandas"):
        return _pandas(frame, kind)
    table = frame.to_arrow()
    if kind.startswith("pyarrow"):
        return _arrow(table, case, dictionaries=kind.endswith("dictionary"))
    path = folder / f"in.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    return path


def _pandas(frame: pl.DataFrame, kind: str) -> pd.DataFrame:
    found = frame.to_pandas(use_pyarrow_extension_array=kind == "pandas-arrow")
    for column in frame.get_columns() if kind != "pandas-arrow" else ():
        if column.dtype.is_integer() and column.null_count():  # as floats, large ones would be others
            found[column.name] = pd.array([pd.NA if cell is None else cell for cell in column], str(column.dtype))
    if kind == "pandas-nullable":
        found = found.convert_dtypes()
    found.index = pd.Index(range(100, 100 + len(found)))
    return found


def _arrow(table: pa.Table, case: Case, *, dictionaries: bool) -> pa.Table:
    """Every other text column as dictionary, or as the narrow string type; in two chunks."""
    columns = []
    for place, (column, one) in enumerate(zip(table.columns, case.columns, strict=True)):
        if dictionaries and one.kind in ("str", "i64", "f64", "date"):
            column = column.dictionary_encode()
        elif one.kind == "str" and place % 2:
            column = column.cast(pa.string())
        columns.append(column)
    whole = pa.table(columns, names=table.column_names)
    return pa.concat_tables([whole.slice(0, 2), whole.slice(2)])


def separator_of(case: Case) -> str:
    return {"semicolon": ";", "tab": "\t"}.get(case.source, ",")


def _text_file(case: Case, folder: Path) -> Path:
    separator, end = separator_of(case), "\r\n" if case.extras["crlf"] else "\n"
    rows = [[_quoted(column.name) for column in case.columns]]
    for row in range(case.n_rows):
        rows.append([_cell(column.cells[row], column.kind) for column in case.columns])
    text = "".join(separator.join(row) + end for row in rows)
    if case.source == "csv.gz":
        path = folder / "in.csv.gz"
        path.write_bytes(gzip.compress(text.encode()))
        return path
    path = folder / ("in.tsv" if separator == "\t" else "in.csv")
    path.write_bytes(text.encode())
    return path


def _cell(value: v.Value, kind: str) -> str:
    if value is None:
        return ""
    text = v.shown(value, kind)
    return _quoted(text) if isinstance(value, str) else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
