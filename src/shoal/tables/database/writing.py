"""Writing a released table to a database, so that a reader of the table sees the old one or the new one.

Guarantee   The target is as it was until `commit`, and nothing of the new table is left if there is none: whether the
            block failed, the process was killed or the connection was lost. What is committed was read back and is,
            cell for cell, the released table. A table that Shoal did not write is never replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from shoal.errors import TableError
from shoal.tables.database import duckdb_file, postgres, sqlite_file
from shoal.tables.database.reading import text_batches
from shoal.tables.database.source import Target
from shoal.tables.database.types import column_types
from shoal.tables.table import Origin
from shoal.tables.text import as_written


@dataclass(frozen=True, slots=True)
class Written:
    """A table that was written and read back, and is not visible to anybody yet."""

    frame: pl.DataFrame
    """The table as it was read back, every cell as text."""
    _session: Any
    _replaces: bool

    def commit(self) -> None:
        """Make the table visible in the place of the one that it replaces, in one step."""
        self._session.commit(replaces=self._replaces)


@contextmanager
def written_table(
    target: Target, frame: pl.DataFrame, origin: Origin, unchanged: Collection[str]
) -> Iterator[Written]:
    """Write a released table beside its target and read it back; without `commit` nothing of it is left.

    `unchanged` are the columns whose values are those of the source; with `origin` they keep their types.
    """
    with _opened(target) as session:
        replaces = session.check(frame.columns, replace=target.replace)
        staged, types = column_types(target.engine, frame, origin, unchanged, session.known_types)
        session.fill(staged, types)
        found = pl.concat(list(text_batches(session, session.relation)))
        if not _same_rows(
            as_written(frame.with_columns(cs.datetime(time_zone="*").dt.convert_time_zone("UTC"))), found
        ):
            raise TableError(
                f"{target.name} does not give back what was written to it.",
                "write to another database, or to a file.",
            )
        yield Written(found, session, replaces)


def _same_rows(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Return whether two tables of texts have the same columns and the same rows in any order."""
    if one.columns != other.columns or one.height != other.height:
        return False
    plain = [frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns)}) for frame in (one, other)]
    first, second = (frame.hash_rows().sort().to_numpy() for frame in plain)
    return bool(np.array_equal(first, second))


def _opened(target: Target) -> AbstractContextManager[Any]:
    if target.engine == "postgresql":
        return postgres.writing(target.uri, target.table)
    assert target.path is not None
    if target.engine == "duckdb":
        return duckdb_file.writing(target.path, target.table)
    return sqlite_file.writing(target.path, target.table)
