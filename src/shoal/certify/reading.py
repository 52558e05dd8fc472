"""Read a released file or frame as a table of texts, and find the faults of the file itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify.files import UnsafeError, sha256_of
from shoal.certify.findings import Failure
from shoal.certify.hidden import check_hidden
from shoal.errors import SchemaError, TableError
from shoal.tables import ReadOptions, read, read_back
from shoal.tables.database.reading import scan_database
from shoal.tables.database.source import DatabaseSource
from shoal.tables.encodings import is_utf8
from shoal.tables.file_bytes import file_bytes
from shoal.tables.formats import format_read
from shoal.tables.text import as_written


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A released table in which every cell is text; a missing cell is null, which is not the empty text.

    `frame` is None where the file cannot be read; `failures` then says why. `sha256` is None for a frame.
    """

    frame: pl.DataFrame | None
    sha256: str | None = None
    failures: tuple[Failure, ...] = ()


def open_release(
    released: Any, *, ours: bool = False, encoding: str | None = None, otherwise: str | None = None
) -> Released:
    """Read a released table from a path or a frame.

    A text file is read in the `encoding` that its certificate states; without one as UTF-8 if it is valid, else in
    the encoding `otherwise`, and without that in the one that is found out.

    A file that does not exist or cannot be opened raises an error. A file that exists and is damaged gives a failure
    instead, since that is a fault of the release and not of the call. With `ours`, the file must also have the layout
    that Shoal writes (see `check_hidden`); without, that of any program.
    """
    if isinstance(released, DatabaseSource):
        return Released(pl.concat(list(scan_database(released))))
    if not isinstance(released, str | Path):
        return Released(as_written(read(released).frame))
    path = Path(released)
    format_read(path)
    if not path.is_file():
        read_back(path)  # raises the error that says why
    try:
        digest = sha256_of(path, follow=True)  # a link is safe here: the caller named the path
    except UnsafeError as odd:
        raise TableError(f"the file {path.name} {odd}.", "check the path and its permissions.") from None
    try:
        if encoding is None and otherwise is not None and not is_utf8(file_bytes(path)):
            encoding = otherwise
        frame = read_back(path, ReadOptions(encoding=encoding))
        return Released(frame, digest, tuple(check_hidden(path, ours=ours)))
    except (TableError, SchemaError) as damage:
        message = damage.message.removesuffix(".")
        return Released(None, digest, (Failure(check="file", message=f"the file cannot be read: {message}"),))
