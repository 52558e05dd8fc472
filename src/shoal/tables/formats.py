"""The format of a file, from its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shoal.errors import TableError, is_text
from shoal.tables.file_bytes import reading

Format = Literal["csv", "parquet", "arrow", "xlsx", "spss", "stata", "sas", "r"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss",
    ".dta": "stata",
    ".sas7bdat": "sas",
    ".xpt": "sas",
    ".rds": "r",
    ".rda": "r",
    ".rdata": "r",
}
_WRITTEN = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc", ".xlsx")
_SPREADSHEETS = (".xls", ".xlsb", ".ods", ".numbers")
_READABLE = (
    "use .csv, .tsv, .txt (also with .gz or .zip), .xlsx, .parquet, .arrow, .feather or .ipc, or a file of "
    "SPSS (.sav, .zsav, .por), Stata (.dta), SAS (.sas7bdat, .xpt) or R (.rds, .rda)."
)


def format_read(path: Path) -> Format:
    """Return the format of a file to be read. A missing file is reported as missing, whatever its name ends in."""
    if is_text(path):
        raise TableError(
            "the table is a text, not the path of a file.", "polars.read_csv(io.StringIO(text)) makes a table of it."
        )
    with reading(path):
        path.stat()
    return format_of(path)


def format_written(path: Path) -> Literal["csv", "parquet", "arrow", "xlsx"]:
    """Return the format of a file to be written; a format that can only be read is refused."""
    kind = format_of(path)
    if path.suffix.lower() in (".gz", ".zip"):
        raise TableError(f"{str(path)!r}: packed files can be read but not written.", f"leave out {path.suffix}.")
    if path.suffix.lower() in _WRITTEN and kind in ("csv", "parquet", "arrow", "xlsx"):
        return kind
    raise TableError(
        f"{str(path)!r}: {path.suffix} can be read but not written.", "use .csv, .xlsx, .parquet or .arrow."
    )


def format_of(path: Path) -> Format:
    """Return the format that the suffix names; CSV may also be packed, as in .csv.gz or .zip."""
    with reading(path):
        if path.is_dir():
            raise IsADirectoryError
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".zip"]:
        return "csv"
    packed = suffixes[-1:] == [".gz"]
    found = _FORMATS.get(suffixes[-2] if packed and len(suffixes) > 1 else "".join(suffixes[-1:]))
    if found is None or (packed and found != "csv"):
        hint = "save it as .xlsx." if suffixes[-1:] and suffixes[-1] in _SPREADSHEETS else _READABLE
        raise TableError(f"{str(path)!r} does not end in the name of a table format.", hint)
    return found
