"""Reading from and writing to PostgreSQL through ADBC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.tables.database.cells import RANGES
from shoal.tables.database.columns import SourceColumn, checked_columns, unreadable
from shoal.tables.database.existing import OURS, beside, may_replace
from shoal.tables.database.failures import driver, rewritten
from shoal.tables.database.names import literal, qualified, quoted, refuse_cut_names

_AS_IS = {
    "boolean", "smallint", "integer", "bigint", "real", "double precision", "date", "timestamp without time zone",
    "timestamp with time zone", "time without time zone",
}  # fmt: skip
_AS_TEXT = {
    "text", "character varying", "character", "name", '"char"', "uuid", "cidr", "macaddr", "macaddr8", "json",
    "jsonb", "xml", "bit", "bit varying", "interval", "time with time zone", "citext", "oid",
}  # fmt: skip
_MULTIRANGE = re.compile(r"\w+multirange")


class Reading:
    """A transaction that can only read."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def tables(self) -> list[tuple[str, ...]]:
        """Return the tables and views that the user may read; those of the schema public without it."""
        with rewritten("postgresql", doing="the tables cannot be listed"):
            rows = self._rows(
                "select table_schema::text, table_name::text from information_schema.tables "
                "where table_schema not in ('pg_catalog', 'information_schema') order by 1, 2"
            )
        return [(str(name),) if schema == "public" else (str(schema), str(name)) for schema, name in rows]

    def columns(self, relation: str) -> list[SourceColumn]:
        """Return the columns of a relation, which is not run for that; a type that is not read raises an error."""
        with rewritten("postgresql", doing="the columns cannot be read"):
            names = self._rows(f"select * from {relation} q limit 0", names=True)
            if not names:
                return checked_columns([])
            kinds = ", ".join(f"pg_typeof(q.{quoted(name)})::oid::bigint" for name in names)
            oids = self._rows(f"select {kinds} from (select 1) one left join {relation} q on false")[0]
            types = [self._type(int(oid)) for oid in oids]
        return checked_columns([_column(name, *found) for name, found in zip(names, types, strict=True)])

    def stated_types(self, table: Sequence[str]) -> dict[str, str]:
        """Return the types of a table's columns with their sizes, such as numeric(10,2)."""
        with rewritten("postgresql", doing="the table cannot be read"):
            where = f"to_regclass({literal(qualified(table))})"
            rows = self._rows(
                "select attname::text, format_type(atttypid, atttypmod) from pg_attribute "
                f"where attrelid = {where} and attnum > 0 and not attisdropped"
            )
        return {str(name): str(kind) for name, kind in rows}

    def batches(self, relation: str, columns: Sequence[SourceColumn]) -> Iterator[pa.Table]:
        """Return the rows of a relation, some at a time."""
        chosen = ", ".join(f"{column.expression} as c{place}" for place, column in enumerate(columns))
        with rewritten("postgresql", doing="the table cannot be read"), self._connection.cursor() as cursor:
            cursor.execute(f"select {chosen} from {relation} q")
            reader = cursor.fetch_record_batch()
            schema = pa.schema([pa.field(field.name, _storage(field.type)) for field in reader.schema])
            empty = True
            for batch in reader:
                empty = False
                yield pa.table([_stored(column) for column in batch.columns], schema=schema)
            if empty:
                yield schema.empty_table()

    def _type(self, oid: int) -> tuple[str, str, str]:
        """Return the name of a type, that of the type below it if it is a domain, and its category."""
        name = self._rows(f"select format_type({oid}, null), typtype, typcategory, typbasetype::bigint, "
                          f"typelem::bigint from pg_type where oid = {oid}")[0]  # fmt: skip
        if name[1] == "d":
            return self._type(int(name[3]))
        element = "" if name[2] != "A" else self._type(int(name[4]))[2]
        return str(name[0]), str(name[1]), element or str(name[2])

    def _rows(self, sql: str, *, names: bool = False) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return [column[0] for column in cursor.description] if names else cursor.fetchall()


def _column(name: str, kind: str, typtype: str, category: str) -> SourceColumn:
    """Return how a column of a type is read; raises a `SchemaError` for a type that is not read."""
    this = f"q.{quoted(name)}"
    if kind in _AS_IS:
        return SourceColumn(name, kind, this)
    if kind in _AS_TEXT or typtype == "e" or (category == "S" and not kind.endswith("[]")):
        return SourceColumn(name, kind, f"{this}::text")
    if kind == "inet":
        return SourceColumn(name, kind, f"abbrev({this})")
    if kind in ("numeric", "money"):
        return SourceColumn(name, kind, f"{this}::numeric::text", "decimal")
    if kind in RANGES or typtype in ("r", "m") or _MULTIRANGE.fullmatch(kind):
        return SourceColumn(name, kind, f"{this}::text", "cell")
    if kind.endswith("[]") and category in "BDENSTUI":
        return SourceColumn(name, kind, f"array_to_json({this})::text", "cell")
    raise unreadable(name, kind, f"{quoted(name)}::text")


def _storage(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _stored(column: Any) -> Any:
    return column.storage if isinstance(column, pa.ExtensionArray) else column


@contextmanager
def reading(uri: str) -> Iterator[Reading]:
    """Open a transaction that can only read."""
    with _connected(uri, doing="the database cannot be read") as connection:
        with rewritten("postgresql", doing="the database cannot be read"), connection.cursor() as cursor:
            cursor.execute("set transaction isolation level repeatable read, read only")
            cursor.execute("set local intervalstyle = 'iso_8601'")
            cursor.execute("set local datestyle = 'ISO'")
        yield Reading(connection)


class Writing(Reading):
    """A transaction that writes one table; nothing is seen of it before `commit`."""

    def __init__(self, connection: Any, table: Sequence[str]) -> None:
        super().__init__(connection)
        self._table = tuple(table)
        self.relation = qualified((*self._table[:-1], beside()))

    def check(self, names: Sequence[str], *, replace: bool) -> bool:
        """Return whether a table is replaced; an error if it may not be, or if a name would be cut off."""
        refuse_cut_names([*self._table, *names])
        with rewritten("postgresql", doing="the table cannot be written"):
            found = self._rows(
                "select c.relkind, coalesce(obj_description(c.oid, 'pg_class'), '') from pg_class c "
                f"where c.oid = to_regclass({literal(qualified(self._table))})"
            )
        return may_replace(self._table, found[0] if found else None, replace=replace, kind="r")

    def known_types(self, kinds: Sequence[str]) -> set[str]:
        """Return those of the types that the database has."""
        with rewritten("postgresql", doing="the table cannot be written"):
            return {kind for kind in kinds if self._rows(f"select to_regtype({literal(_bare(kind))})")[0][0]}

    def fill(self, frame: pl.DataFrame, types: Sequence[str]) -> None:
        """Create a table beside the target and fill it; every column of `frame` is cast to its type."""
        staged = frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns)})
        columns = list(zip(frame.columns, types, strict=True))
        with rewritten("postgresql", doing="the table cannot be written"), self._connection.cursor() as cursor:
            cursor.adbc_ingest(
                "shoal_staged", staged.to_arrow(compat_level=pl.CompatLevel.oldest()), mode="create", temporary=True
            )
            listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)
            cursor.execute(f"create table {self.relation} ({listed})")
            chosen = ", ".join(_cast(f"c{place}", kind) for place, (_, kind) in enumerate(columns))
            cursor.execute(f"insert into {self.relation} select {chosen} from pg_temp.shoal_staged")
            cursor.execute("drop table pg_temp.shoal_staged")
            cursor.execute(f"comment on table {self.relation} is {literal(OURS)}")

    def commit(self, *, replaces: bool) -> None:
        """Put the new table in its place and make it visible, in one step."""
        with rewritten("postgresql", doing="the table cannot be written"):
            with self._connection.cursor() as cursor:
                if replaces:
                    cursor.execute(f"drop table {qualified(self._table)}")
                cursor.execute(f"alter table {self.relation} rename to {quoted(self._table[-1])}")
            self._connection.commit()


def _cast(column: str, kind: str) -> str:
    """Return the expression by which a staged column becomes one of its type."""
    if kind.endswith("[]"):
        listed = f"jsonb_array_elements_text({column}::jsonb) with ordinality as listed(one, place)"
        array = f"(select array_agg(one order by place) from {listed})::{kind}"
        return f"case when {column} is not null then coalesce({array}, '{{}}') end"
    if kind.startswith("money"):
        return f"{column}::numeric::money"
    return f"{column}::{kind}"


def _bare(kind: str) -> str:
    """Return a type without its size."""
    return re.sub(r"\([0-9, ]+\)", "", kind)


@contextmanager
def writing(uri: str, table: Sequence[str]) -> Iterator[Writing]:
    """Open a transaction that writes; what is not committed by the end of the block is undone."""
    with _connected(uri, doing="the database cannot be written to") as connection:
        with rewritten("postgresql", doing="the database cannot be written to"), connection.cursor() as cursor:
            cursor.execute("set local intervalstyle = 'iso_8601'")
            cursor.execute("set local datestyle = 'ISO'")
        yield Writing(connection, table)


@contextmanager
def _connected(uri: str, *, doing: str) -> Iterator[Any]:
    """Connect, and roll back what was not committed."""
    dbapi = driver("postgresql")
    with rewritten("postgresql", doing=doing, connecting=True):
        connection = dbapi.connect(_named(uri))
    try:
        yield connection
    finally:
        with suppress(Exception):
            connection.rollback()
        with suppress(Exception):
            connection.close()


def _named(uri: str) -> str:
    """Return the URI with the name by which the server lists the connection, unless it states one."""
    if "application_name=" in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}application_name=shoal"
