"""Reading the bytes of a file; every failure is a `TableError` of one sentence."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
            raise TableError(f"{str(path)!r} is empty: 0 bytes.", EMPTY_HINT)
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
