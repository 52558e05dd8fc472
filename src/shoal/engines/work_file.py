"""Files of an engine's work folder, and the types of the columns in them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from shoal.caller import setting
from shoal.errors import TableError


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema in which texts have a type that all functions of Arrow can work on."""
    texts = [pa.types.is_string_view(one.type) for one in schema]
    return pa.schema(
        [
            pa.field(one.name, pa.large_string() if is_view else one.type)
            for one, is_view in zip(schema, texts, strict=True)
        ]
    )


@contextmanager
def work_file(path: Path) -> Iterator[io.BufferedWriter]:
    """Open a new file of the work folder, which only its owner can read; raise a TableError if it cannot be written.

    Every error of the operating system in the block is taken for one of writing.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            yield file
    except OSError as error:
        raise TableError(
            f"the work folder cannot be written: {error.strerror or 'input/output error'}.",
            "it needs about twice the space of the table, three times that of a CSV file; "
            f"choose another one: {setting('work', 'FOLDER')}.",
        ) from None
