"""Reading the bytes of a file, converted to UTF-8 if it is text; every failure is a `TableError` of one sentence."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from shoal.errors import TableError
from shoal.tables.encodings import UTF16, broken_utf8, canonical, guess, is_utf8, utf16_without_mark
from shoal.tables.folder import interrupted
from shoal.tables.room import refuse_beyond_room, room

Buffer = bytes

UTF8_MARK = codecs.BOM_UTF8
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 1 << 24  # bytes unpacked or checked at a time (16 MiB)
_EMPTY_HINT = "a table needs at least a line of column names."
_ENCODING_HINT = 'say how the file is encoded, such as encoding="cp1252" (--encoding cp1252), or save it as UTF-8.'


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the operating system about `path` into a `TableError` with the way out."""
    try:
        yield
    except FileNotFoundError:
        if (error := interrupted(path)) is not None:
            raise error from None
        raise TableError(f"there is no file {str(path)!r}.", "check the name and the folder.") from None
    except IsADirectoryError:
        raise TableError(f"{str(path)!r} is a folder, not a file.", "name the file inside it.") from None
    except PermissionError:
        raise TableError(f"{str(path)!r} may not be read by this user.", "ask for read permission.") from None
    except OSError as failure:
        raise TableError(f"{str(path)!r} cannot be read: {failure.strerror or 'input/output error'}.") from None


def file_bytes(path: Path) -> Buffer:
    """Return all bytes of a regular file.

    They are read into memory, not mapped: if a mapped file is truncated meanwhile, the process is killed. A file
    whose length changes while it is read is refused.
    """
    with reading(path), open(path, "rb", buffering=0, opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(status.st_mode):
            raise TableError(f"{str(path)!r} is not a regular file.", "save its contents in a file first.")
        if status.st_size == 0:
            raise TableError(f"{str(path)!r} is empty: 0 bytes.", _EMPTY_HINT)
        refuse_beyond_room(path, status.st_size)
        data = file.read()
        if data is None or len(data) != status.st_size or os.fstat(file.fileno()).st_size != status.st_size:
            raise TableError(
                f"{str(path)!r} changed while it was read.", "wait until it is written, or copy it first."
            )
        return data


def _without_waiting(path: str, flags: int) -> int:
    """Open a path without blocking, which opening a pipe would do until somebody writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class Text(NamedTuple):
    """The text of a file as UTF-8 bytes, the encoding that the file has, and what the user should know about it."""

    data: Buffer
    encoding: str
    notes: tuple[str, ...] = ()


def text_bytes(path: Path, encoding: str | None) -> Text:
    """Return the file's text as UTF-8 bytes, unpacked if its name ends in .gz.

    Without an `encoding` it is found out: UTF-8 if all bytes are valid, UTF-16 by its first bytes or by the zeros in
    it, and otherwise the encoding in which the letters are those of a language (`shoal.tables.encodings`), which a
    note then names. A file that fits none, or two alike, is refused.
    """
    data = _unpacked(path) if path.suffix.lower() == ".gz" else file_bytes(path)
    notes: tuple[str, ...] = ()
    if encoding is None:
        encoding = _found_encoding(data, path)
        if encoding not in ("utf-8", UTF16):
            notes = (f"read as {encoding}, which its letters fit best; --encoding (encoding=...) says otherwise.",)
    elif canonical(encoding) not in ("utf-8", UTF16) and not data.isascii() and is_utf8(data):
        notes = (f"read as {encoding} as asked for, though it is valid UTF-8: check that its letters are right.",)
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        try:
            data = codecs.decode(data, encoding).encode("utf-8")
        except UnicodeError as error:
            where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
            raise TableError(
                f"{str(path)!r} is not {encoding}{where}.", "say which encoding it has, or save it as UTF-8."
            ) from None
    return Text(data.removeprefix(UTF8_MARK) if canonical(encoding) == UTF16 else data, canonical(encoding), notes)


def _found_encoding(data: Buffer, path: Path) -> str:
    """Return the encoding of a text: the one that fits; raises a `TableError` if none does, or several do."""
    if data[:2] in _UTF16_MARKS:
        return UTF16
    if 0 in data and (order := utf16_without_mark(data)) is not None:
        return order
    if data.isascii() or 0 in data or is_utf8(data) or broken_utf8(data):
        return "utf-8"  # what is not valid is refused where it is read, with the place
    fitting = guess(data)
    if not fitting:
        refuse_invalid_utf8(data, path)
    if len(fitting) > 1:
        raise TableError(
            f"the encoding of {str(path)!r} is not certain: {' and '.join(fitting)} fit its bytes alike.",
            f'say which: encoding="{fitting[0]}" (--encoding {fitting[0]}).',
        )
    return fitting[0]


def refuse_nul(data: Buffer, path: Path) -> None:
    """Raise a `TableError` if there is a NUL byte: the file has another encoding or is not text."""
    at = data.find(b"\0")
    if at >= 0:
        raise TableError(f"{str(path)!r} holds a NUL byte at byte {at}, so it is not UTF-8 text.", _ENCODING_HINT)


def refuse_invalid_utf8(data: Buffer, path: Path) -> None:
    """Raise a `TableError` that names the first byte that is not UTF-8, if there is one."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        pending = len(decoder.getstate()[0])  # bytes of a character that began in the chunk before
        try:
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            at = start - pending + error.start
            raise TableError(f"{str(path)!r} is not UTF-8 at byte {at}.", _ENCODING_HINT) from None


def _unpacked(path: Path) -> bytes:
    """Return the contents of a gzip file; one that unpacks to more than there is room for is refused on the way."""
    parts: list[bytes] = []
    n_bytes, most = 0, room()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(file_bytes(path))) as file:
            while part := file.read(_CHUNK):
                n_bytes += len(part)
                if n_bytes > most:
                    refuse_beyond_room(path, n_bytes)
                parts.append(part)
    except EOFError:
        raise TableError(f"{str(path)!r} is a truncated gzip file.", "copy or download it again.") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TableError(
            f"{str(path)!r} is not a gzip file, or it is damaged.", "check the file; .gz means gzip."
        ) from None
    if not parts:
        raise TableError(f"{str(path)!r} is empty once unpacked.", _EMPTY_HINT)
    return b"".join(parts)
