"""Files that a stranger wrote: opened without following links, regular, of a bounded size, and inside a folder.

A certificate is under test, so nothing in it may lead out of its folder, wait on a pipe, or fill the memory.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

CERTIFICATE, LEGEND, SIGNATURE = "certificate.json", "legend.json", "certificate.sig"
TABLES = ("release.csv", "release.parquet", "release.arrow")
"""What a released table is called in its folder."""
RESERVED = frozenset({CERTIFICATE, LEGEND, SIGNATURE, *TABLES})
MOST_CERTIFICATE = 16 << 20
MOST_BESIDE = 256 << 20
"""Bytes of a certificate, and of a legend, hierarchy or map beside it."""


class UnsafeError(Exception):
    """A path that is not opened; the text says why, in words that fit behind the file's name."""


def is_plain(name: str) -> bool:
    """Whether a name stays in the folder it is looked up in, and can be seen there."""
    fits = 0 < len(name.encode("utf-8", "replace")) <= 255 and name[0] != "." and name == name.strip()
    return fits and name.isprintable() and not set(name) & set("/\\:")


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder; False where nobody can say, as in a folder that is closed to this user."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_regular(path: Path, most: int, *, follow: bool = False) -> bytes:
    """All bytes of a regular file of at most `most` bytes."""
    with open_regular(path, follow=follow) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnsafeError(f"is larger than {most >> 20} MiB")
    return data


def sha256_of(path: Path, *, follow: bool = False) -> str:
    """The digest that a certificate names a file by."""
    with open_regular(path, follow=follow) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def open_regular(path: Path, *, follow: bool = False) -> Iterator[BufferedReader]:
    """A regular file, opened once and looked at after that: what it was before opening may have changed."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    except OSError as failed:
        if failed.errno == errno.ENOENT:
            raise UnsafeError("is not there") from None
        linked = failed.errno == errno.ELOOP
        raise UnsafeError("is a link" if linked else f"cannot be read ({failed.strerror})") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UnsafeError("is not a regular file")
    with os.fdopen(handle, "rb") as file:
        try:
            yield file
        except OSError as failed:  # a disk may fail after it let a file be opened
            raise UnsafeError(f"cannot be read ({failed.strerror})") from None
