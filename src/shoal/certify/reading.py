"""A released file or frame as text, and what is wrong with the file itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify.files import UnsafeError, sha256_of
from shoal.certify.findings import Failure
from shoal.certify.hidden import check_hidden
from shoal.errors import SchemaError, TableError
from shoal.tables import read, read_back
from shoal.tables.formats import format_read
from shoal.tables.text import as_written


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """Every cell as text, null apart from the empty text; `frame` is None where the file cannot be read."""

    frame: pl.DataFrame | None
    sha256: str | None = None
    failures: tuple[Failure, ...] = ()


def open_release(released: Any, *, ours: bool = False) -> Released:
    """Read a path or a frame. A file that is there but damaged is a failure of the release, not of the call.

    `ours` says that the file should be as Shoal writes it, and not only as any program may.
    """
    if not isinstance(released, str | Path):
        return Released(as_written(read(released).frame))
    path = Path(released)
    format_read(path)
    if not path.is_file():
        read_back(path)  # says why
    try:
        digest = sha256_of(path, follow=True)  # the caller named it
    except UnsafeError as odd:
        raise TableError(f"the file {path.name} {odd}.", "check the path and its permissions.") from None
    try:
        frame = read_back(path)
        return Released(frame, digest, tuple(check_hidden(path, ours=ours)))
    except (TableError, SchemaError) as damage:
        message = damage.message.removesuffix(".")
        return Released(None, digest, (Failure(check="file", message=f"the file cannot be read: {message}"),))
