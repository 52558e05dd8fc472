"""Checks of the quotes and the row lengths of a CSV file.

Guarantee   A file that passes can be read in only one way: each quote opens a cell, closes one, or is doubled inside
            one. So a lost quote cannot silently join several rows into one cell.
Complexity  O(bytes), in chunks; no copy of the file.
"""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import TableError
from shoal.tables.check import counted
from shoal.tables.file_bytes import UTF8_MARK, Buffer
from shoal.tables.table import Dialect

_CHUNK = 1 << 24  # bytes searched at a time (16 MiB), which bounds the extra memory
_HINT = 'double a quote that is part of a text, or pass quote="" if cells are never quoted.'


def uses_quotes(data: Buffer, separator: str, quote: str) -> bool:
    """Return whether any cell starts with a quote."""
    start = len(UTF8_MARK) if data[:3] == UTF8_MARK else 0
    mark = quote.encode()
    if data[start : start + 1] == mark:
        return True
    return any(data.find(before + mark) >= 0 for before in (separator.encode(), b"\n", b"\r"))


def refuse_stray_quotes(data: Buffer, dialect: Dialect) -> None:
    """Raise a `TableError` that names the line of the first quote in the middle of a cell, or of a cell never closed.

    Counted from 0, even quotes must open a cell and odd ones close it; a doubled quote closes and opens again.
    """
    mark = dialect.quote.encode()
    if not mark or data.find(mark) < 0:
        return
    octets = np.frombuffer(data, dtype=np.uint8)
    start = len(UTF8_MARK) if data[:3] == UTF8_MARK else 0
    beside = np.zeros(256, dtype=bool)  # the bytes that may precede an opening or follow a closing quote
    beside[list(f"{dialect.separator}{dialect.quote}\r\n".encode())] = True
    seen, last = 0, 0
    for low in range(0, len(octets), _CHUNK):
        at = low + np.flatnonzero(octets[low : low + _CHUNK] == ord(dialect.quote))
        if not len(at):
            continue
        opening, closing = at[seen % 2 :: 2], at[1 - seen % 2 :: 2]
        bad_open = opening[(opening > start) & ~beside[octets[opening - 1]]]
        bad_close = closing[(closing + 1 < len(octets)) & ~beside[octets[np.minimum(closing + 1, len(octets) - 1)]]]
        if len(bad_open) or len(bad_close):
            first = min(int(bad[0]) for bad in (bad_open, bad_close) if len(bad))
            raise TableError(f"line {_line(octets, first)} has a quote in the middle of a cell.", _HINT)
        seen, last = seen + len(at), int(at[-1])
    if seen % 2:
        raise TableError(
            f"the quoted cell that opens on line {_line(octets, last)} is never closed.",
            "the file may be truncated; else close the cell, or " + _HINT,
        )


def refuse_ragged_rows(data: Buffer, dialect: Dialect, width: int, longest: int) -> None:
    """Raise a `TableError` for the first row that does not have `width` cells.

    Returns if there is none before a quoted cell longer than `longest` bytes. It is slow, and used only to explain
    why reading failed.
    """
    quoted = re.compile("{0}[^{0}]*{0}".format(re.escape(dialect.quote))) if dialect.quote else None
    # latin-1 maps each byte to one character, and newline="" recognizes LF, CRLF and CR
    file: Any = pa.BufferReader(pa.py_buffer(data))
    with io.TextIOWrapper(file, encoding="latin-1", newline="") as lines:
        row: list[str] = []
        open_quotes = length = 0
        for number, line in enumerate(lines, start=1):
            row.append(line)
            length += len(line)
            open_quotes += line.count(dialect.quote) if quoted else 0
            if open_quotes % 2 and length > longest:
                return
            if open_quotes % 2:
                continue
            text, opened = "".join(row), number + 1 - len(row)
            cells = (quoted.sub("", text) if quoted else text).count(dialect.separator) + 1
            row.clear()
            length = 0
            if cells != width and text.strip("\r\n"):
                raise TableError(
                    f"line {opened} has {counted(cells, 'cell')}; the first line has {width}.",
                    "quote cells that contain the separator, or pass separator=... if it was found wrongly.",
                )


def _line(octets: npt.NDArray[np.uint8], position: int) -> int:
    """Return the line number of a byte position; lines end in LF or, in a file without LF, in CR."""
    before = octets[:position]
    feeds = int(np.count_nonzero(before == ord("\n")))
    return 1 + (feeds or int(np.count_nonzero(before == ord("\r"))))
