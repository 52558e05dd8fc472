"""Reading a table or a query of a database: whole with its types, or as text some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.tables.check import check_times
from shoal.tables.database import duckdb_file, postgres, sqlite_file
from shoal.tables.database.columns import SourceColumn, decimal_places, to_frame, to_table, to_text
from shoal.tables.database.names import qualified, written_name
from shoal.tables.database.source import DatabaseSource
from shoal.tables.table import Table


def read_database(source: DatabaseSource) -> Table:
    """Return the table of a source, with the types that the database has; it is read in one transaction.

    Raises `TableError` if the database refuses, and `SchemaError` for a column of a type that is not read.
    """
    with _opened(source) as session:
        relation = _relation(source)
        columns = session.columns(relation)
        stated = session.stated_types(source.table) if source.table is not None else {}
        rows = pa.concat_tables(list(session.batches(relation, columns)))
    table = to_table(source, columns, rows, ())
    if source.engine == "sqlite":
        forms = sqlite_file.dated_columns([table.frame], stated)
        dated = table.frame.with_columns(sqlite_file.as_dates(table.frame, forms))
        table = replace(table, frame=dated, origin=replace(table.origin, schema=dict(dated.schema)))
    sized = {name: stated.get(name, kind) for name, kind in table.origin.native.items()}
    return replace(table, origin=replace(table.origin, native=sized, database=source))


@contextmanager
def typed_parts(source: DatabaseSource) -> Iterator[tuple[list[str], Iterator[pl.DataFrame]]]:
    """Open a source; give the names of its columns, and the frames that are one after the other `read_database`'s.

    All is read in one transaction: numbers with decimals and, in SQLite, columns of dates once before, to find types.
    """
    with _opened(source) as session:
        relation = _relation(source)
        columns: list[SourceColumn] = session.columns(relation)
        exact = [column for column in columns if column.way == "decimal"]
        places = decimal_places(exact, session.batches(relation, exact)) if exact else {}
        forms: dict[str, str] = {}
        if source.engine == "sqlite" and source.table is not None:
            stated = session.stated_types(source.table)
            texts = [column for column in columns if column.name in stated]
            found = (to_frame(texts, rows, {})[0] for rows in session.batches(relation, texts))
            forms = sqlite_file.dated_columns(found, stated)

        def frames() -> Iterator[pl.DataFrame]:
            for rows in session.batches(relation, columns):
                frame = to_frame(columns, rows, places)[0]
                yield frame.with_columns(sqlite_file.as_dates(frame, forms))

        yield [column.name for column in columns], frames()


def list_tables(source: DatabaseSource) -> list[str]:
    """Return the names of the tables and views of a database, written as `located` takes them."""
    with _opened(source) as session:
        return [".".join(map(written_name, parts)) for parts in session.tables()]


def scan_database(source: DatabaseSource) -> Iterator[pl.DataFrame]:
    """Return the rows of a source with every cell as text, some at a time; at least one frame, maybe without rows."""
    with _opened(source) as session:
        yield from text_batches(session, _relation(source))


def text_batches(session: Any, relation: str) -> Iterator[pl.DataFrame]:
    """Return the rows of a relation, every cell as the text that a released file would have."""
    columns: list[SourceColumn] = session.columns(relation)
    for rows in session.batches(relation, columns):
        frame = to_text(columns, rows)
        check_times(frame)
        yield frame


def _opened(source: DatabaseSource) -> AbstractContextManager[Any]:
    if source.engine == "postgresql":
        return postgres.reading(source.uri)
    assert source.path is not None
    if source.engine == "duckdb":
        return duckdb_file.reading(source.path, source.query)
    return sqlite_file.reading(source.path)


def _relation(source: DatabaseSource) -> str:
    """Return what stands after FROM; a comment at the end of a query must not hide the parenthesis."""
    if source.table is not None:
        return qualified(source.table)
    return f"({(source.query or '').strip().rstrip(';')}\n)"
