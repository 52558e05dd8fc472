"""The format of a file, from its name."""

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
    """Return the format of a file to be read. A missing file is reported as missing, whatever its name ends in."""
    if is_text(path):
        raise TableError(
            "the table is a text, not the path of a file.", "polars.read_csv(io.StringIO(text)) makes a table of it."
        )
    with reading(path):
        path.stat()
    return format_of(path)


def format_of(path: Path) -> Literal["csv", "parquet", "arrow"]:
    """Return the format that the suffix names; CSV may also be packed, as in .csv.gz."""
    with reading(path):
        if path.is_dir():
            raise IsADirectoryError
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    found = _FORMATS.get(suffixes[-2] if packed and len(suffixes) > 1 else "".join(suffixes[-1:]))
    if found is None or (packed and found != "csv"):
        raise TableError(
            f"{str(path)!r} does not end in the name of a table format.",
            "use .csv, .tsv, .txt (also with .gz), .parquet, .arrow, .feather or .ipc.",
        )
    return found
