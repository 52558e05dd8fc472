"""Writing a frame to a file that contains its cells and nothing else."""

from __future__ import annotations

import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO

import polars as pl
import polars.selectors as cs
from pyarrow import parquet

from shoal.errors import TableError
from shoal.tables import disk
from shoal.tables.encodings import WRITABLE, encoded
from shoal.tables.file_bytes import UTF8_MARK, reading
from shoal.tables.formats import format_written
from shoal.tables.spreadsheet import guarded
from shoal.tables.table import Dialect
from shoal.tables.text import as_written
from shoal.tables.visible import only_used_categories, only_visible
from shoal.tables.xlsx_writing import xlsx_bytes

_QUOTED = r"""[,;\t|"\r\n]|^['\x{feff}]|^$"""


def write_file(
    frame: pl.DataFrame,
    path: str | Path,
    *,
    dialect: Dialect | None = None,
    private: bool = False,
    excel: bool = False,
) -> None:
    """Write a new CSV, Excel, Parquet or Arrow file, by the path's ending; `private`: only its owner reads it (0600).

    CSV has LF, and the separator, decimal mark and encoding of `dialect` (see `fits_encoding`). A text that contains
    any common separator, or a quote, is quoted, so that a program that detects the separator cannot be misled. A
    missing value is an empty
    cell and an empty text is ``""``, so that they are read back as different. Cells that begin with = + - or @ are
    written unchanged: a spreadsheet may run them as formulas, but changing them would change the data. With `excel`
    they are guarded (`shoal.tables.spreadsheet`), and the file begins with the byte-order mark by which spreadsheets
    recognize UTF-8; `read_back` undoes both.
    """
    path = Path(path)
    kind = format_written(path)
    packed = xlsx_bytes(frame) if kind == "xlsx" else b""
    try:
        with disk.new_file(path, private=private) as file:
            if kind == "csv":
                usual = Dialect(separator="\t" if path.suffix.lower() == ".tsv" else ",")
                _write_csv(frame, file, dialect or usual, excel=excel)
            elif kind == "parquet":
                _write_parquet(frame, file)
            elif kind == "xlsx":
                file.write(packed)
            else:
                only_visible(frame).write_ipc(file)
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check the folder, its permissions and the free space.",
        ) from None


def fits_encoding(frame: pl.DataFrame, encoding: str) -> bool:
    """Return whether a frame can be written in an encoding so that every character is read back as it was."""
    if encoding == "utf-8":
        return True
    texts = frame.select(cs.string() | cs.categorical() | cs.enum())
    cells = (column.unique().drop_nulls().cast(pl.String) for column in texts.get_columns())
    together = "\n".join([*frame.columns, *("\n".join(column.to_list()) for column in cells)])
    try:
        return encoding in WRITABLE and encoded(together, encoding).decode(encoding) == together
    except UnicodeEncodeError:
        return False


def write_new_text(path: str | Path, text: str | bytes, *, force: bool = False, private: bool = False) -> None:
    """Write a file that a person keeps; an existing file is an error, and is replaced only with `force`."""
    path = Path(path)
    with reading(path):
        taken = path.exists()
    if taken and not force:
        raise TableError(
            f"{path.name} exists already.", "choose another name, or force=True (--force) to replace it."
        )
    write_text(path, text, private=private)


def write_text(path: str | Path, text: str | bytes, *, private: bool = False) -> None:
    """Write a text or other content to a file in one step; if that fails, an existing file is left as it was.

    With `private` only its owner can read it, from the start (0600); a file that replaces another keeps its mode.
    """
    path = Path(path)
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        before = disk.status(path)
        try:
            disk.write_new(beside, text, private=private or before is not None)
            if before is not None and stat.S_ISREG(before.st_mode) and not private:
                disk.set_mode(beside, stat.S_IMODE(before.st_mode) & 0o777)
            disk.sync_path(beside)
            disk.rename(beside, path)
        except BaseException:
            with suppress(OSError):
                disk.remove_tree(beside)
            raise
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check the folder, its permissions and the free space.",
        ) from None


def _write_parquet(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write only the cells: no dictionaries, statistics, indexes or metadata, which could hold other values."""
    parquet.write_table(
        only_used_categories(frame).to_arrow(compat_level=pl.CompatLevel.oldest()),
        file,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
    )


def _write_csv(frame: pl.DataFrame, file: IO[bytes], dialect: Dialect, *, excel: bool) -> None:
    """Write a frame as CSV, quoting texts so that the separator cannot be mistaken."""
    # in a file of one column a reader could not detect any other separator
    separator = "," if frame.width == 1 else dialect.separator
    # a number with a decimal comma is not quoted, as is usual, unless the comma is also the separator
    texts = cs.all() if separator == dialect.decimal else cs.string() | cs.categorical() | cs.enum()
    places = [frame.get_column_index(name) for name in frame.select(texts).columns]
    written = as_written(frame, dialect.decimal)
    if excel:
        written = guarded(written)
        file.write(UTF8_MARK)
    written = written.with_columns(_quoted(pl.col([written.columns[place] for place in places])))
    written.columns = pl.select(_quoted(pl.lit(pl.Series(written.columns)))).to_series().to_list()
    if excel or dialect.encoding == "utf-8":
        written.write_csv(file, separator=separator, quote_style="never")
    else:
        file.write(encoded(written.write_csv(separator=separator, quote_style="never"), dialect.encoding))


def _quoted(text: pl.Expr) -> pl.Expr:
    doubled = pl.format('"{}"', text.str.replace_all('"', '""', literal=True))
    return pl.when(text.str.contains(_QUOTED)).then(doubled).otherwise(text)
