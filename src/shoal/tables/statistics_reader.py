"""The process in which pyreadstat runs: `python -m shoal.tables.statistics_reader SUFFIX ROOM ENCODING < file`.

The library behind pyreadstat is written in C, and a damaged file may end its process. So it has one of its own, which
reads a file from standard input and writes the table, or why there is none, to standard output.
"""

from __future__ import annotations

import io
import json
import struct
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.errors import ShoalError
from shoal.tables.cell_columns import column
from shoal.tables.check import check_names
from shoal.tables.value_labels import with_labels

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_BYTES = 64
"""Memory that a cell takes at most while it is read, besides its text."""
_MOST_EXACT = float(1 << 53)


def main() -> None:
    """Write to standard output: the length of a report, the report as JSON, and the table as an Arrow stream.

    The report has notes for the user, or why there is no table.
    """
    suffix, room, encoding = sys.argv[1:]
    report: dict[str, Any]
    frame = pl.DataFrame()
    try:
        found, about, needed = _read(sys.stdin.buffer.read(), suffix, int(room), encoding or None)
        if needed is not None:
            report = {"needed": needed}
        else:
            frame, notes = _table(found, about)
            report = {"notes": notes}
    except ShoalError as refused:
        report = {"message": refused.message, "hint": refused.hint}
    text = json.dumps(report).encode()
    table = io.BytesIO()
    frame.write_ipc_stream(table)
    sys.stdout.buffer.write(struct.pack("<Q", len(text)) + text + table.getvalue())


def _read(data: bytes, suffix: str, room: int, encoding: str | None) -> tuple[dict[str, list[Any]], Any, int | None]:
    """Return the cells by column, what the file says about them, and the memory needed if there is not enough."""
    import pyreadstat

    read = getattr(pyreadstat, _READERS[suffix])
    how = {"encoding": encoding} if encoding is not None else {}
    warnings.simplefilter("ignore")
    _, about = read(io.BytesIO(data), metadataonly=True, output_format="dict", **how)
    row = sum(_BYTES + max(width, 8) for width in about.variable_storage_width.values())
    most = max(room // max(row, 1), 1)  # the number of rows in the header may be wrong, or not there
    found, about = read(io.BytesIO(data), row_limit=most + 1, output_format="dict", **how)
    n_rows = max((len(cells) for cells in found.values()), default=0)
    return found, about, n_rows * row if n_rows > most else None


def _table(found: dict[str, list[Any]], about: Any) -> tuple[pl.DataFrame, list[str]]:
    """Return the table and notes for the user; an empty text is what these programs have for a missing one."""
    check_names([str(name) for name in found])
    columns, notes = [], []
    for name, cells in found.items():
        values = _column(str(name), [None if cell == "" or cell != cell else cell for cell in cells])
        values, of_labels = with_labels(values, _labels(about.variable_value_labels.get(name, {}), values.dtype))
        columns.append(values)
        notes += of_labels
    return pl.DataFrame(columns), notes


def _column(name: str, cells: list[Any]) -> pl.Series:
    """Return cells as a column; numbers, which are all stored with a decimal point, are whole if all of them are."""
    values = column(name, cells)
    if values.dtype.is_float() and bool((values.is_between(-_MOST_EXACT, _MOST_EXACT) & (values % 1 == 0)).all()):
        return values.cast(pl.Int64)
    return values


def _labels(labels: Mapping[Any, str], dtype: pl.DataType) -> dict[Any, str]:
    """Return the labels by the values as the column has them."""
    if dtype == pl.String:
        return {str(code).strip(): label for code, label in labels.items()}
    return {float(code): label for code, label in labels.items() if isinstance(code, int | float)}


if __name__ == "__main__":
    main()
