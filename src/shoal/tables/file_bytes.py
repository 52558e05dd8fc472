"""Reading the bytes of a file; every failure is a `TableError` of one sentence."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from shoal.errors import TableError
from shoal.tables.folder import interrupted
from shoal.tables.room import refuse_beyond_room

Buffer = bytes

UTF8_MARK = codecs.BOM_UTF8
EMPTY_HINT = "a table needs at least a line of column names."


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


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a regular file that is not empty, and give its length; if that changes meanwhile, the file is refused."""
    with reading(path), open(path, "rb", buffering=0, opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(status.st_mode):
            raise TableError(f"{str(path)!r} is not a regular file.", "save its contents in a file first.")
        if status.st_size == 0:
            raise TableError(f"{str(path)!r} is empty: 0 bytes.", EMPTY_HINT)
        yield file, status.st_size
        if os.fstat(file.fileno()).st_size != status.st_size:
            raise changed(path)


def file_bytes(path: Path) -> Buffer:
    """Return all bytes of a regular file.

    They are read into memory, not mapped: if a mapped file is truncated meanwhile, the process is killed. A file
    whose length changes while it is read is refused.
    """
    with opened(path) as (file, length):
        refuse_beyond_room(path, length)
        data = file.read()
        if len(data) != length:
            raise changed(path)
        return data


def changed(path: Path) -> TableError:
    """Return the error for a file that somebody writes to while it is read."""
    return TableError(f"{str(path)!r} changed while it was read.", "wait until it is written, or copy it first.")


def _without_waiting(path: str, flags: int) -> int:
    """Open a path without blocking, which opening a pipe would do until somebody writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
