"""Reading from and writing to a DuckDB file through its own Arrow interface."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.errors import TableError
from shoal.tables.database.columns import SourceColumn, checked_columns, unreadable
from shoal.tables.database.existing import OURS, beside, may_replace
from shoal.tables.database.failures import driver, rewritten
from shoal.tables.database.names import literal, qualified, quoted
from shoal.tables.file_bytes import reading as saying_why

_AS_IS = {
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",
    "DOUBLE", "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIME",
}  # fmt: skip
_AS_TEXT = {"VARCHAR", "UUID", "JSON", "BIT", "INTERVAL", "TIME WITH TIME ZONE"}
_DECIMALS = {"HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"}
_LIST = re.compile(r"([A-Z ]+(?:\([0-9, ]+\))?)\[[0-9]*\]")
_TEXTS = '["VARCHAR"]'  # a list of texts, as DuckDB describes the form of JSON
_ROWS = 100_000  # rows fetched at a time


class Reading:
    """A connection that can only read."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def tables(self) -> list[tuple[str, ...]]:
        """Return the tables and views of the file; those of the schema main without it."""
        with rewritten("duckdb", doing="the tables cannot be listed"):
            rows = self._connection.execute(
                "select table_schema, table_name from information_schema.tables order by 1, 2"
            ).fetchall()
        return [(str(name),) if schema == "main" else (str(schema), str(name)) for schema, name in rows]

    def columns(self, relation: str) -> list[SourceColumn]:
        """Return the columns of a relation; a type that is not read raises an error."""
        with rewritten("duckdb", doing="the columns cannot be read"):
            rows = self._connection.execute(f"describe select * from {relation} q").fetchall()
        return checked_columns([_column(str(row[0]), str(row[1])) for row in rows])

    def stated_types(self, table: Sequence[str]) -> dict[str, str]:
        """Return the types of a table's columns with their sizes."""
        return {column.name: column.type for column in self.columns(qualified(table))}

    def batches(self, relation: str, columns: Sequence[SourceColumn]) -> Iterator[pa.Table]:
        """Return the rows of a relation, some at a time."""
        chosen = ", ".join(f"{column.expression} as c{place}" for place, column in enumerate(columns))
        with rewritten("duckdb", doing="the table cannot be read"):
            found = self._connection.sql(f"select {chosen} from {relation} q")
            name = "to_arrow_reader" if hasattr(found, "to_arrow_reader") else "fetch_arrow_reader"
            reader = getattr(found, name)(_ROWS)
            empty = True
            for batch in reader:
                empty = False
                yield pa.table([_plain(column) for column in batch.columns], names=batch.schema.names)
            if empty:
                yield reader.schema.empty_table()


def _plain(column: Any) -> Any:
    return column.storage if isinstance(column, pa.ExtensionArray) else column


def _column(name: str, kind: str) -> SourceColumn:
    """Return how a column of a type is read; raises a `SchemaError` for a type that is not read."""
    this = f"q.{quoted(name)}"
    if kind in _AS_IS:
        return SourceColumn(name, kind, this)
    if kind in _AS_TEXT or kind.startswith("ENUM("):
        return SourceColumn(name, "ENUM" if kind.startswith("ENUM(") else kind, f"{this}::varchar")
    if kind in _DECIMALS or kind.startswith("DECIMAL("):
        return SourceColumn(name, kind, f"{this}::varchar", "decimal")
    found = _LIST.fullmatch(kind)
    if found is not None and (found[1] in _AS_IS | _AS_TEXT | _DECIMALS or found[1].startswith("DECIMAL(")):
        return SourceColumn(name, kind, f"to_json({this}::varchar[])::varchar", "cell")
    raise unreadable(name, kind.partition("(")[0], f"{quoted(name)}::varchar")


@contextmanager
def reading(path: Path, query: str | None) -> Iterator[Reading]:
    """Open a file that can only be read; `query` must be one SELECT, because other statements could write files."""
    with saying_why(path):
        path.stat()
    with _connected(path, read_only=True, doing="the database cannot be read") as connection:
        if query is not None:
            with rewritten("duckdb", doing="the table cannot be read"):
                found = connection.extract_statements(query)
            if len(found) != 1 or found[0].type.name != "SELECT":
                raise TableError("the query is not one SELECT.", "a source is only read: give one SELECT.")
        yield Reading(connection)


class Writing(Reading):
    """A transaction that writes one table; nothing is seen of it before `commit`."""

    def __init__(self, connection: Any, table: Sequence[str]) -> None:
        super().__init__(connection)
        self._table = tuple(table)
        self.relation = qualified((*self._table[:-1], beside()))

    def check(self, names: Sequence[str], *, replace: bool) -> bool:
        """Return whether a table is replaced; an error if it may not be."""
        if len({name.lower() for name in names}) < len(names):
            raise TableError(
                "two columns have names that differ in capital letters only, which DuckDB takes for one.",
                "rename one of them.",
            )
        where = f"schema_name = {literal(self._table[-2]) if len(self._table) > 1 else 'current_schema()'}"
        if len(self._table) > 2:
            where += f" and database_name = {literal(self._table[0])}"
        with rewritten("duckdb", doing="the table cannot be written"):
            name = f"lower({literal(self._table[-1])})"
            found = self._connection.execute(
                "select 'r', coalesce(comment, '') from duckdb_tables() "
                f"where {where} and lower(table_name) = {name} "
                f"union all select 'v', '' from duckdb_views() where {where} and lower(view_name) = {name}"
            ).fetchall()
        return may_replace(self._table, found[0] if found else None, replace=replace, kind="r")

    def known_types(self, kinds: Sequence[str]) -> set[str]:
        """Return those of the types that a new table can have; an enum belongs to the table it is in."""
        return {kind for kind in kinds if kind != "ENUM"}

    def fill(self, frame: pl.DataFrame, types: Sequence[str]) -> None:
        """Create a table beside the target and fill it; every column of `frame` is cast to its type."""
        columns = list(zip(frame.columns, types, strict=True))
        staged = frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns)}).to_arrow()
        with rewritten("duckdb", doing="the table cannot be written"):
            self._connection.register("shoal_staged", staged)
            listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)
            self._connection.execute(f"create table {self.relation} ({listed})")
            chosen = ", ".join(_cast(f"c{place}", kind) for place, (_, kind) in enumerate(columns))
            self._connection.execute(f"insert into {self.relation} select {chosen} from shoal_staged")
            self._connection.unregister("shoal_staged")
            self._connection.execute(f"comment on table {self.relation} is {literal(OURS)}")

    def commit(self, *, replaces: bool) -> None:
        """Put the new table in its place and make it visible, in one step."""
        with rewritten("duckdb", doing="the table cannot be written"):
            if replaces:
                self._connection.execute(f"drop table {qualified(self._table)}")
            self._connection.execute(f"alter table {self.relation} rename to {quoted(self._table[-1])}")
            self._connection.commit()


def _cast(column: str, kind: str) -> str:
    if kind.endswith("]"):
        return f"from_json({column}, {literal(_TEXTS)})::{kind}"
    return f"{column}::{kind}"


@contextmanager
def writing(path: Path, table: Sequence[str]) -> Iterator[Writing]:
    """Open a transaction that writes; what is not committed by the end of the block is undone."""
    with _connected(path, read_only=False, doing="the database cannot be written to") as connection:
        with rewritten("duckdb", doing="the database cannot be written to"):
            connection.begin()
        yield Writing(connection, table)


@contextmanager
def _connected(path: Path, *, read_only: bool, doing: str) -> Iterator[Any]:
    duckdb = driver("duckdb")
    with rewritten("duckdb", doing=doing):
        connection = duckdb.connect(str(path), read_only=read_only)
    try:
        yield connection
    finally:
        if not read_only:
            with suppress(Exception):
                connection.rollback()
        with suppress(Exception):
            connection.close()
