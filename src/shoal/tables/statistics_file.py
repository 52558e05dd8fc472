"""Reading files of SPSS, Stata and SAS with pyreadstat: codes as their labels, declared missing values as missing."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

from shoal.errors import EngineError, TableError
from shoal.tables.cell_columns import column
from shoal.tables.check import check_names, checked
from shoal.tables.file_bytes import file_bytes
from shoal.tables.options import ReadOptions
from shoal.tables.room import refuse_beyond_room, room
from shoal.tables.table import Origin, Table
from shoal.tables.value_labels import with_labels

Program = Literal["spss", "stata", "sas"]

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


def read_statistics(path: Path, program: Program, options: ReadOptions) -> Table:
    """Return the table in a file of SPSS (.sav, .zsav, .por), Stata (.dta) or SAS (.sas7bdat, .xpt).

    Values that the file declares as missing, and empty texts, which these programs have in the place of missing ones,
    are missing. See `with_labels` for the labels of codes.
    """
    found, about = _read(path, options.encoding)
    check_names(list(found))
    columns, notes = [], []
    for name, cells in found.items():
        values = _column(name, [None if cell == "" or cell != cell else cell for cell in cells])
        values, told = with_labels(values, _labels(about.variable_value_labels.get(name, {}), values.dtype))
        columns.append(values)
        notes += told
    frame, more = checked(pl.DataFrame(columns))
    return Table(frame, Origin(program, schema=dict(frame.schema)), (*notes, *more))


def _read(path: Path, encoding: str | None) -> tuple[dict[str, list[Any]], Any]:
    """Return the cells by column, and what the file says about them; a file that takes too much memory is refused."""
    try:
        import pyreadstat
    except ImportError:
        raise EngineError(
            f"reading {path.suffix} files needs the package pyreadstat.", "pip install 'shoal[files]'."
        ) from None
    data = file_bytes(path)
    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    how = {"encoding": encoding} if encoding is not None else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, about = read(io.BytesIO(data), metadataonly=True, output_format="dict", **how)
            row = sum(_BYTES + max(width, 8) for width in about.variable_storage_width.values())
            # the number of rows in the header may be wrong, or not there
            most = max(room() // max(row, 1), 1)
            found, about = read(io.BytesIO(data), row_limit=most + 1, output_format="dict", **how)
    except MemoryError:
        raise TableError.no_memory(path) from None
    except Exception:  # pyreadstat raises a dozen kinds of errors, and its messages may show what is in the file
        raise TableError(
            f"{str(path)!r} is not a complete {path.suffix} file, or it is in another encoding than it says.",
            "export it again, or say its encoding: --encoding cp1252 (encoding=...).",
        ) from None
    n_rows = max((len(cells) for cells in found.values()), default=0)
    if n_rows > most:
        refuse_beyond_room(path, n_rows * row)
    return {str(name): list(cells) for name, cells in found.items()}, about


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
