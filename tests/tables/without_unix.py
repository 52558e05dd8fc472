"""Python as on Windows, as far as files go: run `pretend()` before shoal is imported.

What only Unix has is gone: fcntl, resource, flags of `os.open`, numeric owners, some signals. Folders cannot be
opened, files that are open cannot be removed, only files open for writing are flushed, nothing is renamed onto what
exists, and bytes written to a file that was not opened as bytes get carriage returns.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numba  # noqa: F401 (loaded while the system is still whole)
import platformdirs.unix  # noqa: F401
import polars  # noqa: F401
import pydantic  # noqa: F401
import scipy.sparse.csgraph  # noqa: F401

UNIX_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY")
UNIX_CALLS = ("geteuid", "getuid", "fchmod", "fork", "sysconf", "statvfs")
UNIX_SIGNALS = ("SIGKILL", "SIGBUS", "SIGHUP", "SIGALRM")
O_BINARY = 1 << 30
LOCKED: set[tuple[int, int]] = set()
"""Device and inode of every file that is locked."""


def pretend() -> None:
    """Take away what Windows does not have, and let calls fail as they do there."""
    opened: dict[int, tuple[Path, int]] = {}
    real = SimpleNamespace(
        open=os.open, close=os.close, fsync=os.fsync, unlink=os.unlink, rename=os.rename, write=os.write
    )

    def open_file(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "a folder cannot be opened", str(path))
        handle: int = real.open(path, flags & ~O_BINARY, mode, **more)
        opened[handle] = (Path(path).absolute(), flags)
        return handle

    def close(handle: int) -> None:
        opened.pop(handle, None)
        real.close(handle)

    def write(handle: int, data: Any) -> int:
        if handle in opened and not opened[handle][1] & O_BINARY:
            real.write(handle, bytes(data).replace(b"\n", b"\r\n"))
            return len(data)
        written: int = real.write(handle, data)
        return written

    def fsync(handle: int) -> None:
        if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "only files open for writing are flushed")
        real.fsync(handle)

    def unlink(path: Any, **more: Any) -> None:
        if Path(path).absolute() in [name for name, _ in opened.values()]:
            raise PermissionError(errno.EACCES, "the file is open", str(path))
        real.unlink(path, **more)

    def rename(path: Any, target: Any, **more: Any) -> None:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "it exists", str(target))
        real.rename(path, target, **more)

    os.open, os.close, os.fsync, os.write = open_file, close, fsync, write  # type: ignore[assignment]
    os.unlink, os.rename = unlink, rename
    os.O_BINARY = O_BINARY  # type: ignore[attr-defined]
    for name in UNIX_FLAGS + UNIX_CALLS:
        delattr(os, name)
    for name in UNIX_SIGNALS:
        delattr(signal, name)
    for name in ("fcntl", "resource"):
        sys.modules[name] = None  # type: ignore[assignment]
    sys.modules["msvcrt"] = _msvcrt()


def as_windows(module: ModuleType) -> None:
    """Let a module of shoal see the name of the system; elsewhere other libraries would be misled by it."""
    module.sys = SimpleNamespace(platform="win32")  # type: ignore[attr-defined]


def _msvcrt() -> ModuleType:
    """Return a module that locks files as that of Windows does."""
    made = ModuleType("msvcrt")

    def locking(handle: int, mode: int, _size: int) -> None:
        found = os.fstat(handle)
        assert stat.S_ISREG(found.st_mode)
        key = (found.st_dev, found.st_ino)
        if mode == 0:
            LOCKED.remove(key)
        elif key in LOCKED:
            raise PermissionError(errno.EACCES, "locked")
        else:
            LOCKED.add(key)

    vars(made).update(locking=locking, LK_UNLCK=0, LK_NBLCK=2)
    return made
