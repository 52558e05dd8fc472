"""Which format a file has, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shoal.errors import TableError, is_text
from shoal.tables.file_bytes import reading

_FORMATS: dict[str, Literal["csv", "parquet", "arrow"]] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


def format_read(path: Path) -> Literal["csv", "parquet", "arrow"]:
    """`format_of` a file to be read: that it is not there is told before what its name lacks."""
    if is_text(path):
        raise TableError(
            "the table is a text, not the path of a file.", "polars.read_csv(io.StringIO(text)) makes a table of CSV."
        )
    with reading(path):
        path.stat()
    return format_of(path)


def format_of(path: Path) -> Literal["csv", "parquet", "arrow"]:
    """The format that the suffix names; text may be packed, as in .csv.gz."""
    with reading(path):
        if path.is_dir():
            raise IsADirectoryError
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    found = _FORMATS.get(suffixes[-2] if packed and len(suffixes) > 1 else "".join(suffixes[-1:]))
    if found is None or (packed and found != "csv"):
        raise TableError(
            f"{str(path)!r} has no ending that names a table.",
            "use .csv, .tsv, .txt (also with .gz), .parquet, .arrow, .feather or .ipc.",
        )
    return found
