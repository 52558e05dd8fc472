"""The lock of an output folder, so that two runs never write to the same place.

A lock file beside the folder is locked by the system: by `flock` on Unix, by `msvcrt.locking` on Windows. It is
empty, never written to, opened without following links, and removed when the lock is given back. If a run is killed,
the system gives back its lock.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import TableError
from shoal.tables import disk

try:
    import fcntl
except ImportError:  # Windows
    _windows: Any = import_module("msvcrt")
else:
    _windows = None

_LOCKED_BYTES = 1  # on Windows a lock is held on bytes, which need not exist


@contextmanager
def locked(public: Path, path: Path) -> Iterator[None]:
    """Hold the lock `path` of the output folder `public` during the block; the lock file is removed afterward.

    If another run holds the lock, a `TableError` is raised at once.
    """
    handle = _acquire(public, path)
    try:
        yield
    finally:
        _release(path, handle)


def _acquire(public: Path, path: Path) -> int:
    """Return a handle to the lock file once it is locked by this run."""
    while True:
        handle = disk.open_to_lock(path)
        try:
            _refuse_foreign_lock(path, handle)
            _lock(handle)
            found = disk.status(path)
            if found is not None and os.path.samestat(os.fstat(handle), found):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise TableError(
                f"another run is writing to {str(public)!r}.",
                "wait until it has ended, or choose another output folder.",
            ) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the previous run removed the file between our opening and locking it: try again


def _lock(handle: int) -> None:
    """Lock an open file for this run; raise a `BlockingIOError` if another run has locked it."""
    if _windows is None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    try:
        _windows.locking(handle, _windows.LK_NBLCK, _LOCKED_BYTES)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EDEADLK):
            raise
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None


def _release(path: Path, handle: int) -> None:
    """Remove the lock file and give back the lock.

    On Unix the file is removed while it is locked, so that nobody locks a file that is about to go. Windows removes
    no open file, and none that another run has opened in the meantime.
    """
    try:
        if _windows is None:
            with suppress(OSError):
                disk.unlink(path)
        else:
            with suppress(OSError):
                _windows.locking(handle, _windows.LK_UNLCK, _LOCKED_BYTES)
    finally:
        os.close(handle)
    if _windows is not None:
        with suppress(OSError):
            disk.unlink(path)


def _refuse_foreign_lock(path: Path, handle: int) -> None:
    """Raise a `TableError` if anything but an empty regular file has the lock's name; it is left as it is."""
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size:
        raise TableError(
            f"{str(path)!r} is in the way: Shoal needs this name for its lock file.",
            "move it elsewhere, or choose another output folder.",
        )
