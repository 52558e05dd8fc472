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
import xlsxwriter

from tests.endtoend import values as v
from tests.endtoend.cases import Case

TEXT_FILES = ("csv", "csv.gz", "semicolon", "tab")
UNTYPED = (*TEXT_FILES, "xlsx")
"""Files in which the text of a cell is all that is known of it, or may be."""
FIRST_DAY = -25_508
"""The first of March 1900, from which on a workbook has the days of the calendar."""
NANOSECONDS_OF_A_DAY = 86_400 * 10**9


def as_held(case: Case) -> Case:
    """The table as its source holds it, where that has no such type.

    pandas has no days: a date is its midnight there, and the mean of two may be noon. A text file has no time zone,
    only offsets, so a moment in it is an instant, and its periods are those of UTC. In a workbook an empty text is an
    empty cell.
    """
    columns = []
    for column in case.columns:
        kind, cells = column.kind, column.cells
        if case.source in ("pandas", "pandas-nullable") and kind == "date":
            kind, cells = "dt:ms", [None if day is None else day * NANOSECONDS_OF_A_DAY for day in cells]
        if case.source == "xlsx" and kind in ("str", "cat"):
            cells = [cell or None for cell in cells]
        if case.source in UNTYPED and kind.startswith("dt:") and kind.count(":") > 1:
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
    if kind == "xlsx":
        return _workbook(case, folder)
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


def _workbook(case: Case, folder: Path) -> Path:
    """Numbers, days and truth values as cells of their own where all of a column can be; everything else as text."""
    path = folder / "in.xlsx"
    with xlsxwriter.Workbook(path, {"strings_to_numbers": False, "strings_to_formulas": False}) as book:
        sheet, days = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        for place, column in enumerate(case.columns):
            sheet.write_string(0, place, column.name)
            own = all(cell is None or _is_held(cell, column.kind) for cell in column.cells)
            for row, cell in enumerate(column.cells, start=1):
                if cell is None or cell == "":
                    continue
                if not own:
                    sheet.write_string(row, place, v.shown(cell, column.kind))
                elif column.kind == "date":
                    sheet.write_number(row, place, cell + 25_569, days)
                else:
                    (sheet.write_boolean if column.kind == "bool" else sheet.write_number)(row, place, cell)
    return path


def _is_held(cell: v.Value, kind: str) -> bool:
    if kind == "date":
        return bool(cell >= FIRST_DAY)
    if kind == "f64":
        return bool(float(f"{cell:.16G}") == cell and str(cell) != "-0.0")
    return kind == "bool" or (kind in v.BITS and abs(cell) < 10**15)


def _cell(value: v.Value, kind: str) -> str:
    if value is None:
        return ""
    text = v.shown(value, kind)
    return _quoted(text) if isinstance(value, str) else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
