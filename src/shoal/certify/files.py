"""Open the files of a release safely: no symbolic links, only regular files, of a bounded size, inside one folder.

The folder may come from an attacker. A name in its certificate must not make the verifier read a file outside that
folder, wait forever on a pipe, or run out of memory.
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
CODEBOOK, PACKAGE = "codebook.html", "datapackage.json"
"""The codebook for people and for programs; a release has both files, or neither if it was written without them."""
METADATA = {
    "croissant": "croissant.json",
    "dcat-ap": "dcat-ap.jsonld",
    "health-dcat-ap": "health-dcat-ap.jsonld",
    "ddi": "ddi.xml",
}
"""The names of descriptions for catalogs and archives, by format; a release has those that its policy asks for."""
TABLES = ("release.csv", "release.parquet", "release.arrow", "release.xlsx")
"""The names that a released table can have in its folder, one per file format."""
SYNTHETIC = {name: name.replace("release", "synthetic") for name in TABLES}
"""The file with synthetic rows beside each released table: in the same format."""
RESERVED = frozenset(
    {CERTIFICATE, LEGEND, SIGNATURE, CODEBOOK, PACKAGE, *METADATA.values(), *TABLES, *SYNTHETIC.values()}
)
MOST_CERTIFICATE = 16 << 20
MOST_BESIDE = 256 << 20
"""Largest size in bytes of a certificate (the first) and of a legend, hierarchy or map beside it (the second)."""


class UnsafeError(Exception):
    """A path was refused. The message is the predicate of a sentence whose subject is the file, as in "is a link"."""


def is_plain(name: str) -> bool:
    """Return whether a name from a certificate is safe as a file name.

    It must have no path separator, drive or leading dot, so that it cannot lead out of its folder or be a hidden
    file, and no control characters or surrounding blanks, so that it is displayed as it is.
    """
    fits = 0 < len(name.encode("utf-8", "replace")) <= 255 and name[0] != "." and name == name.strip()
    return fits and name.isprintable() and not set(name) & set("/\\:")


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; False where that cannot be found out, as for lack of permission."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_regular(path: Path, most: int, *, follow: bool = False) -> bytes:
    """Return the contents of a regular file.

    An UnsafeError is raised if it has more than `most` bytes, or if `open_regular` refuses it.
    """
    with open_regular(path, follow=follow) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnsafeError(f"is larger than {most >> 20} MiB")
    return data


def sha256_of(path: Path, *, follow: bool = False) -> str:
    """Return the SHA-256 digest of a regular file in hexadecimal, as certificates list it."""
    with open_regular(path, follow=follow) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def open_regular(path: Path, *, follow: bool = False) -> Iterator[BufferedReader]:
    """Open a regular file for reading; an UnsafeError says why it was refused.

    A symbolic link is refused unless `follow` is set, which is for paths that the caller named. The type is checked
    on the open file and not on the path before, since an attacker could exchange the file between check and opening.
    Opening does not block, so a pipe is refused instead of waited for.
    """
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
        except OSError as failed:  # reading may fail after opening succeeded
            raise UnsafeError(f"cannot be read ({failed.strerror})") from None
