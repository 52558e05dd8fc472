"""All operations on the disk that writing a release uses, one function for each call that can fail.

The files of a release are only written, read back, moved or removed through these functions, which are called as
attributes of this module (`disk.rename`). So a test can make any one call fail, write fewer bytes than given or end
the process, and check what is left on the disk.

No function follows a symbolic link in the last part of a path, and none writes to an existing file.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing_extensions import Buffer

_OWN_NAME = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags of every file that is opened: not through a link, not for other programs, and on Windows as bytes."""
_AT_CWD, _EXCHANGE, _SWAP = -100, 2, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2 (Linux), RENAME_SWAP of macOS
_CHUNK = 1 << 20  # bytes read at a time when a file is copied or its digest is computed (1 MiB)
CANNOT_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})
"""The error numbers of a system or file system that cannot exchange two folders in one step."""
CANNOT_MOVE = frozenset({errno.EBUSY, errno.EXDEV})
"""The error numbers for a folder that is a mount point, or is on another file system than its parent."""

STEPS = (
    "make_folder", "create", "write", "sync", "open_to_lock", "open_to_read", "read", "status", "names",
    "rename", "exchange", "set_mode", "unlink", "remove_folder",
)  # fmt: skip
"""The functions that tests replace to make a step fail."""


def make_folder(path: Path, mode: int) -> None:
    path.mkdir(mode=mode)


def create(path: Path, mode: int) -> int:
    """Return a handle to a new file. It is an error if the name exists, even as a link that leads nowhere."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN_NAME, mode)


def write(handle: int, data: Buffer) -> int:
    """Return how many bytes were written, which may be fewer than given."""
    return os.write(handle, data)


def sync(handle: int) -> None:
    os.fsync(handle)


def open_to_read(path: Path) -> int:
    """Return a handle to a regular file or a folder. Opening a pipe or a device does not block."""
    _refuse_link(path)
    return os.open(path, os.O_RDONLY | _OWN_NAME | getattr(os, "O_NONBLOCK", 0))


def open_to_lock(path: Path) -> int:
    """Return a handle to a lock file, which is created if it does not exist; nothing is ever written to it."""
    _refuse_link(path)
    return os.open(path, os.O_RDWR | os.O_CREAT | _OWN_NAME | getattr(os, "O_NONBLOCK", 0), 0o600)


def _refuse_link(path: Path) -> None:
    """Raise an OSError for a symbolic link where opening a file cannot do so itself (Windows)."""
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def read(handle: int, size: int) -> bytes:
    return os.read(handle, size)


def status(path: Path) -> os.stat_result | None:
    """Return the status of the path itself, without following a link; None if there is nothing."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))  # noqa: PTH208 (names alone)


def rename(path: Path, target: Path) -> None:
    """Move a file or a folder in one step; a file that exists under the new name is replaced, on Windows as well."""
    path.replace(target)


def exchange(one: Path, other: Path) -> None:
    """Exchange two folders in one step; raises an OSError where the system cannot (see `CANNOT_EXCHANGE`)."""
    if sys.platform not in ("linux", "darwin"):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    a, b = os.fsencode(one), os.fsencode(other)
    system = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(system, "renameat2"):
        failed = system.renameat2(_AT_CWD, a, _AT_CWD, b, _EXCHANGE)
    elif sys.platform == "darwin" and hasattr(system, "renamex_np"):
        failed = system.renamex_np(a, b, _SWAP)
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one), None, str(other))


def set_mode(path: Path, mode: int) -> None:
    path.chmod(mode)


def unlink(path: Path) -> None:
    path.unlink()


def remove_folder(path: Path) -> None:
    path.rmdir()


# -- functions that are composed of those above --------------------------------------------------------------------


def make_private_folder(path: Path) -> None:
    """Create a folder that only its owner can enter from the moment it exists, whatever the process's umask."""
    make_folder(path, 0o700)
    set_mode(path, 0o700)


class _Sink(io.RawIOBase):
    """A file to write to that remembers the system's error, because the library that writes may wrap or lose it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.failure: BaseException | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[write(self.handle, left) :]
        except BaseException as failure:
            self.failure = failure
            raise
        return size


@contextmanager
def new_file(path: Path, *, private: bool) -> Iterator[IO[bytes]]:
    """Open a file that did not exist before for writing bytes; with `private` only its owner can read it (0600)."""
    handle = create(path, 0o600 if private else 0o666)
    sink = _Sink(handle)
    try:
        yield cast(IO[bytes], sink)
    except BaseException:
        if sink.failure is not None:
            raise sink.failure from None
        raise
    finally:
        os.close(handle)


def write_new(path: Path, content: str | bytes, *, private: bool) -> None:
    with new_file(path, private=private) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def sync_path(path: Path) -> None:
    """Flush a file or a folder to the disk, so that it survives a loss of power.

    Windows opens no folders, and flushes only files that are open for writing; nothing is written.
    """
    if sys.platform == "win32":
        if not path.is_dir():
            _sync_writable(path)
        return
    handle = open_to_read(path)
    try:
        sync(handle)
    except OSError as error:
        folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        if not folder or error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise  # some file systems cannot sync a folder
    finally:
        os.close(handle)


def _sync_writable(path: Path) -> None:
    """Flush a file to the disk that has to be open for writing."""
    _refuse_link(path)
    handle = os.open(path, os.O_RDWR | _OWN_NAME)
    try:
        sync(handle)
    finally:
        os.close(handle)


@contextmanager
def _regular(path: Path) -> Iterator[int]:
    """Open a regular file for reading; anything else raises an OSError."""
    handle = open_to_read(path)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        yield handle
    finally:
        os.close(handle)


def copy(path: Path, target: Path, *, private: bool) -> None:
    """Copy a regular file to a new file and flush it to the disk."""
    with _regular(path) as handle, new_file(target, private=private) as file:
        while chunk := read(handle, _CHUNK):
            file.write(chunk)
    sync_path(target)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 digest of a regular file in hexadecimal."""
    digest = hashlib.sha256()
    with _regular(path) as handle:
        while chunk := read(handle, _CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def read_text(path: Path, *, most: int) -> str:
    """Return the text of a regular UTF-8 file of at most `most` bytes; any other raises an OSError or ValueError."""
    data = bytearray()
    with _regular(path) as handle:
        while chunk := read(handle, _CHUNK):
            data += chunk
            if len(data) > most:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data.decode("utf-8")


def remove_tree(path: Path) -> None:
    """Remove a file, or a folder with everything in it. Links are removed, not followed."""
    found = status(path)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        unlink(path)
        return
    for name in names(path):
        remove_tree(path / name)
    remove_folder(path)
