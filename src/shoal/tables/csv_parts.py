"""Reading a CSV file some rows at a time: a copy of it in UTF-8 is mapped into memory and parsed in parts.

Guarantee   The frames of `CsvParts.frames` have, one after the other, the rows of `read_csv` as text, or an error is
            raised that names the line at fault. Memory holds one part of the file at a time.

The copy is made because a file that is mapped must not be truncated meanwhile; nobody else writes to the copy.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import polars as pl

from shoal import progress
from shoal.errors import TableError
from shoal.tables.check import check_names
from shoal.tables.csv_file import dialect_of, numbered_names, parsed, stated_separator, unreadable
from shoal.tables.encodings import UTF16, canonical
from shoal.tables.file_bytes import EMPTY_HINT, UTF8_MARK, changed, opened
from shoal.tables.options import ReadOptions
from shoal.tables.table import Dialect

PART = 1 << 25
"""Bytes that are parsed at a time (32 MiB): more than the longest row, and than the sample that shows the dialect."""
_CHUNK = 1 << 22
"""Bytes that are copied at a time."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HINT = 'say how it is encoded, such as encoding="cp1252" (--encoding cp1252), or save it as UTF-8.'


def copy_as_utf8(path: Path, options: ReadOptions, target: IO[bytes]) -> ReadOptions:
    """Write the text of a file, unpacked if its name ends in .gz, as UTF-8; return the options with what it states.

    A mark of the encoding and a first line such as `sep=;` are left out. Text that is not valid is refused, and so is
    a file whose length changes meanwhile. Unlike in `read_csv`, an encoding other than UTF-8 is found by a mark only.
    """
    with opened(path) as (file, length), progress.step("copying", total=length) as advance:
        packed: Any = gzip.GzipFile(fileobj=file) if path.suffix.lower() == ".gz" else file
        try:
            start = packed.read(_CHUNK)
            encoding = options.encoding or ("utf-16" if start[:2] in _UTF16_MARKS else "utf-8")
            decoder = codecs.getincrementaldecoder(UTF16 if canonical(encoding) == UTF16 else encoding)()
            done, written, data = 0, 0, start
            while True:
                try:
                    text = decoder.decode(data, final=not data).encode("utf-8")
                except UnicodeError:
                    raise TableError(f"{str(path)!r} is not {encoding} after byte {done}.", _HINT) from None
                if b"\0" in text:
                    raise TableError(f"{str(path)!r} holds a NUL byte after byte {done}, so it is no text.", _HINT)
                if not written:
                    text = text.removeprefix(UTF8_MARK)
                    if (stated := stated_separator(text, options)) is not None:
                        text, options = text[stated[1] :], replace(options, separator=stated[0])
                target.write(text)
                written += len(text)
                advance(len(data) if packed is file else 0)
                if not data:
                    break
                done += len(data)
                data = packed.read(_CHUNK)
                if packed is file and done > length:  # it grows as fast as it is read
                    raise changed(path)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise TableError(
                f"{str(path)!r} is not a whole gzip file.", "copy or download it again; .gz means gzip."
            ) from None
    if not written:
        raise TableError(f"{str(path)!r} is empty.", EMPTY_HINT)
    return replace(options, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class CsvParts:
    """A text in UTF-8 and how it is read."""

    data: Any
    """The bytes of the text: a mapped file, or bytes."""
    path: Path
    """The file as the user named it, for messages."""
    dialect: Dialect
    names: list[str]
    has_header: bool
    null_values: tuple[str, ...]

    @classmethod
    def of(cls, data: Any, path: Path, options: ReadOptions) -> CsvParts:
        """Return how a text is read, which is found out from all of it, as `read_csv` does."""
        dialect, width = dialect_of(data, path, options)
        names, has_header = numbered_names(width), options.has_header is not False
        if has_header:
            head = next((rows for _, rows in _parsed_parts(data, path, dialect, width) if rows.num_rows), None)
            names = check_names([] if head is None else [column[0].as_py() for column in head.columns])
        return cls(data, path, dialect, names, has_header, options.null_values)

    def frames(self, step: str) -> Iterator[pl.DataFrame]:
        """Yield all rows, every cell as text as it stands in the file; at least one frame. `step` names the bar."""
        header = self.has_header
        with progress.step(step, total=len(self.data)) as advance:
            for n_bytes, rows in _parsed_parts(self.data, self.path, self.dialect, len(self.names)):
                own = rows.slice(1) if header and rows.num_rows else rows
                header = header and not rows.num_rows
                frame = pl.DataFrame(pl.from_arrow(own.rename_columns(self.names)))
                if self.null_values:
                    frame = frame.with_columns(pl.all().replace(list(self.null_values), None))
                yield frame
                advance(n_bytes)


def _parsed_parts(data: Any, path: Path, dialect: Dialect, width: int) -> Iterator[tuple[int, Any]]:
    """Yield the length of each part and its rows, the line of column names among them."""
    start = 0
    while start < len(data):
        end = _end_of_part(data, start, dialect.quote)
        rows = parsed(data[start:end], dialect, width)
        if rows is None:  # the whole says which line it is
            raise unreadable(data, path, dialect, width)
        yield end - start, rows
        start = end


def _end_of_part(data: Any, start: int, quote: str) -> int:
    """Return the end of a row at most PART bytes after `start`, or the end of the text.

    A line end is outside of quotes if the quotes before it are even in number: see `refuse_stray_quotes`.
    """
    size = PART
    while start + size < len(data):
        part, mark = data[start : start + size], quote.encode()
        for line_end in (b"\n", b"\r"):
            end = part.rfind(line_end) + 1
            inside = part.count(mark, 0, end) % 2 if mark else 0
            while end and inside:
                before = part.rfind(line_end, 0, end - 1) + 1
                inside = (inside + part.count(mark, before, end)) % 2
                end = before
            if end:
                between = data[start + end - 1 : start + end + 1] == b"\r\n"  # these two are one line end
                return int(start + end + between)
        size *= 2
    return len(data)
