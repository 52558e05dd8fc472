"""Reading a folder of Parquet files, or those that a pattern names, as one table.

Guarantee   Every file is read whole, or the table is refused: a column that a part lacks or has more, and types that
            cannot be reconciled without changing a value, are an error that names the column.

Folders called `key=value`, as Spark and Hive write them, give a column each. Files and folders whose names begin with
`_` or `.` are no parts.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from shoal.errors import SchemaError, TableError
from shoal.tables.arrow_file import read_parquet
from shoal.tables.file_bytes import reading
from shoal.tables.from_frame import from_arrow
from shoal.tables.table import Table

_PATTERN = re.compile(r"[*?\[]")
_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_MISSING = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})", re.ASCII)


def parts_of(source: str | Path) -> list[Path]:
    """Return the Parquet files in a folder, or those that a pattern such as `data/*.parquet` names; else nothing.

    The name of a file that exists is not a pattern.
    """
    path = Path(source)
    try:
        if path.is_dir():
            found = path.rglob("*.parquet")
        elif _PATTERN.search(str(source)) and not path.exists():
            named = (Path(name) for name in glob.glob(str(source), recursive=True))  # noqa: PTH207 (absolute ones too)
            found = (one for name in named for one in (name.rglob("*.parquet") if name.is_dir() else [name]))
        else:
            return []
        return sorted(one for one in found if not _is_hidden(one, path) and one.is_file())
    except OSError:
        return []  # reading it as a file says why


def read_parts(files: Sequence[Path]) -> Table:
    """Return the table that Parquet files make together, in the order of their names."""
    other = [file for file in files if file.suffix.lower() != ".parquet"]
    if other:
        raise TableError(
            f"{other[0].name!r} is no Parquet file; only these are read together.",
            "name the files more exactly, such as data/*.parquet.",
        )
    keys = [_keys(file) for file in files]
    for file, own in zip(files, keys, strict=True):
        if list(own) != list(keys[0]):
            raise TableError(
                f"the folders around {file.name!r} name other keys than those around {files[0].name!r}.",
                "give every part folders of the same keys, such as year=2024.",
            )
    with reading(files[0]):
        tables = [read_parquet(file) for file in files]
    table = _together(tables, files)
    taken = [key for key in keys[0] if key in table.column_names]
    if taken:
        raise SchemaError(
            f"column {taken[0]!r} is in the files and in the names of their folders.", "rename one of the two."
        )
    for key in keys[0]:
        cells = [own[key] for own in keys]
        whole = all(cell is None or _WHOLE.fullmatch(cell) for cell in cells)
        column = pa.chunked_array(
            [_repeated(cell, one.num_rows, whole=whole) for cell, one in zip(cells, tables, strict=True)]
        )
        table = table.append_column(key, column)
    notes = [f"{len(files)} Parquet files were read as one table."] if len(files) > 1 else []
    notes += [f"columns taken from the names of folders: {', '.join(map(repr, keys[0]))}."] if keys[0] else []
    read = from_arrow(table, "parquet")
    return replace(read, notes=(*notes, *read.notes))


def _is_hidden(file: Path, root: Path) -> bool:
    inside = file.relative_to(root).parts if file.is_relative_to(root) else (file.name,)
    return any(part[0] in "._" for part in inside)


def _keys(file: Path) -> dict[str, str | None]:
    """Return the keys and values that the folders of a file are called by."""
    found = [match for part in file.parts[:-1] if (match := _KEY.fullmatch(part)) is not None]
    return {unquote(one[1]): None if one[2] == _MISSING else unquote(one[2]) for one in found}


def _repeated(cell: str | None, rows: int, *, whole: bool) -> Any:
    kind: Any = pa.int64() if whole else pa.large_string()
    return pa.array([None if cell is None else int(cell) if whole else cell] * rows, kind)


def _together(tables: Sequence[pa.Table], files: Sequence[Path]) -> pa.Table:
    """Return all rows, with the columns in the order of the first part."""
    first = tables[0]
    for table, file in zip(tables, files, strict=True):
        differs = sorted(set(first.column_names) ^ set(table.column_names))
        if differs:
            raise SchemaError(
                f"column {differs[0]!r} is in some of the parts only: {file.name!r} differs from {files[0].name!r}.",
                "write all parts with the same columns, or name only those that have them.",
            )
    columns = {name: _reconciled(name, [table.column(name) for table in tables]) for name in first.column_names}
    return pa.table(columns)


def _reconciled(name: str, parts: Sequence[Any]) -> Any:
    """Return the parts of a column in one type that holds every value of theirs."""
    if len({part.type for part in parts}) > 1:
        parts = [part.cast(part.type.value_type) if pa.types.is_dictionary(part.type) else part for part in parts]
    kinds = {part.type for part in parts}
    target: Any = next(iter(kinds))
    if len(kinds) > 1:
        numbers = {
            pa.types.is_integer(kind) for kind in kinds if pa.types.is_integer(kind) or pa.types.is_floating(kind)
        }
        try:
            if len(numbers) > 1:
                raise pa.ArrowTypeError("whole numbers beside others")
            fields = [pa.schema([pa.field(name, kind)]) for kind in kinds]
            target = pa.unify_schemas(fields, promote_options="permissive").field(0).type
            parts = [part.cast(target) for part in parts]
        except (pa.ArrowException, TypeError):
            shown = " and ".join(sorted(str(kind).split("<")[0] for kind in kinds)[:3])
            raise SchemaError(
                f"column {name!r} has the types {shown} in different parts.", "write all parts with one type."
            ) from None
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks], target)
