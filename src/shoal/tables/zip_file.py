"""Reading ZIP archives, also those inside of .xlsx files, with a limit on what they unpack to."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from shoal.errors import TableError
from shoal.tables.file_bytes import EMPTY_HINT, file_bytes
from shoal.tables.room import refuse_beyond_room

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What is unpacked. Others are rare, and Python unpacks them without a limit."""
_CHUNK = 1 << 20
_TEXTS = (".csv", ".tsv", ".txt")
_ENCRYPTED = 0x1


class Archive:
    """The files in a ZIP archive by name. No more is unpacked than its directory states, which fits into memory."""

    def __init__(self, path: Path, opened: zipfile.ZipFile) -> None:
        self._path, self._opened = path, opened
        self._files = {one.filename: one for one in opened.infolist() if not one.is_dir()}
        if len(self._files) < sum(not one.is_dir() for one in opened.infolist()):
            raise TableError(f"{str(path)!r} holds two files of one name.", "pack it again.")

    @property
    def names(self) -> list[str]:
        return list(self._files)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of one file, piece by piece."""
        one = self._files[name]
        if one.flag_bits & _ENCRYPTED:
            raise TableError(f"{str(self._path)!r} is locked with a password.", "save it without one.")
        if one.compress_type not in _METHODS:
            raise TableError(f"{str(self._path)!r} is packed by a method that is not read.", "pack it again as ZIP.")
        refuse_beyond_room(self._path, sum(file.file_size for file in self._files.values()))
        with self._opened.open(one) as file:
            while part := file.read(_CHUNK):
                yield part

    def read(self, name: str) -> bytes:
        return b"".join(self.chunks(name))


@contextmanager
def archive(path: Path, broken: Callable[[], TableError]) -> Iterator[Archive]:
    """Open a ZIP archive; where it or a file in it is damaged, the error that `broken` gives is raised."""
    data = file_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            yield Archive(path, opened)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        # a RuntimeError is a file that is encrypted or packed in a way that zipfile does not know
        raise broken() from None


def only_text(path: Path) -> bytes:
    """Return the one CSV file in an archive; an archive of several files, or of another kind, is refused."""
    broken = TableError(f"{str(path)!r} is not a complete ZIP file.", "it may be truncated: copy it again.")
    with archive(path, lambda: broken) as packed:
        # macOS packs a second file beside each, with its icon and the like
        names = [name for name in packed.names if not name.startswith("__MACOSX/")]
        if len(names) != 1:
            raise TableError(
                f"{str(path)!r} holds {len(names)} files.", "unpack it and name the one that is the table."
            )
        if PurePosixPath(names[0]).suffix.lower() not in _TEXTS:
            raise TableError(
                f"{str(path)!r} holds a file that is not named as a CSV file.",
                "unpack it and name the file; inside .zip only .csv, .tsv and .txt are read.",
            )
        data = packed.read(names[0])
    if not data:
        raise TableError(f"{str(path)!r} is empty once unpacked.", EMPTY_HINT)
    return data
