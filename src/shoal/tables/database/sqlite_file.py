"""Reading from and writing to a SQLite file through Python's own driver.

SQLite has types of values, not of columns: a column gets the type that all its values have, and a column of texts
that was declared as one of dates gets that type if all of them are dates. Texts and numbers in one column are read as
texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pyarrow as pa

from shoal.errors import SchemaError, TableError
from shoal.tables.database.columns import SourceColumn, checked_columns, unreadable
from shoal.tables.database.existing import OURS, beside, may_replace
from shoal.tables.database.failures import driver, rewritten
from shoal.tables.database.names import literal, qualified, quoted
from shoal.tables.file_bytes import reading as saying_why

_ROWS = 50_000  # rows fetched at a time
_WHOLE, _REAL, _TEXT, _BLOB = "integer", "real", "text", "blob"
_DATE = re.compile(r"date|time", re.IGNORECASE)


class Reading:
    """A connection that can only read."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def tables(self) -> list[tuple[str, ...]]:
        """Return the tables and views of the file."""
        with rewritten("sqlite", doing="the tables cannot be listed"):
            rows = self._connection.execute(
                "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' "
                "escape '\\' order by 1"
            ).fetchall()
        return [(str(name),) for (name,) in rows]

    def columns(self, relation: str) -> list[SourceColumn]:
        """Return the columns of a relation, by the types of all their values; bytes raise an error."""
        with rewritten("sqlite", doing="the columns cannot be read"):
            cursor = self._connection.execute(f"select * from {relation} q limit 0")
            names = [str(column[0]) for column in cursor.description]
            checked_columns([SourceColumn(name, "", "") for name in names])
            kinds = ", ".join(f"group_concat(distinct typeof(q.{quoted(name)}))" for name in names)
            found = self._connection.execute(f"select {kinds} from {relation} q").fetchone()
        return [
            _column(name, set((kinds or "").split(",")) - {"", "null"})
            for name, kinds in zip(names, found, strict=True)
        ]

    def stated_types(self, table: Sequence[str]) -> dict[str, str]:
        """Return the types with which a table's columns were declared."""
        schema = literal(table[0]) if len(table) > 1 else "'main'"
        with rewritten("sqlite", doing="the table cannot be read"):
            rows = self._connection.execute(
                f"select name, type from pragma_table_info({literal(table[-1])}, {schema})"
            ).fetchall()
        return {str(name): str(kind) for name, kind in rows}

    def batches(self, relation: str, columns: Sequence[SourceColumn]) -> Iterator[pa.Table]:
        """Return the rows of a relation, some at a time."""
        chosen = ", ".join(f"{column.expression} as c{place}" for place, column in enumerate(columns))
        types: dict[str, pa.DataType] = {_WHOLE: pa.int64(), _REAL: pa.float64()}
        schema = pa.schema(
            [(f"c{place}", types.get(one.type, pa.large_string())) for place, one in enumerate(columns)]
        )
        with rewritten("sqlite", doing="the table cannot be read"):
            cursor = self._connection.execute(f"select {chosen} from {relation} q")
            empty = True
            while rows := cursor.fetchmany(_ROWS):
                empty = False
                arrays = [
                    pa.array(cells, field.type) for cells, field in zip(zip(*rows, strict=True), schema, strict=True)
                ]
                yield pa.table(arrays, schema=schema)
            if empty:
                yield schema.empty_table()


def _column(name: str, kinds: set[str]) -> SourceColumn:
    """Return how a column whose values have these types is read."""
    this = f"q.{quoted(name)}"
    if _BLOB in kinds:
        raise unreadable(name, "BLOB", f"hex({quoted(name)})")
    if kinds == {_WHOLE}:
        return SourceColumn(name, _WHOLE, this)
    if kinds and kinds <= {_WHOLE, _REAL}:
        return SourceColumn(name, _REAL, f"cast({this} as real)")
    return SourceColumn(name, _TEXT, f"cast({this} as text)")


_FORMS = {
    "date": (r"^\d{4}-\d\d-\d\d$", "%Y-%m-%d"),
    "moment": (r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?$", "%Y-%m-%d %H:%M:%S%.f"),
}


def dated_columns(frames: Iterable[pl.DataFrame], declared: Mapping[str, str]) -> dict[str, str]:
    """Return, per column of texts that was declared as one of dates or times, its form if every text has it.

    The form is "date" or "moment", in ISO 8601; there is no 30 February.
    """
    forms: dict[str, set[str]] = {}
    there: set[str] = set()
    for frame in frames:
        for name, kind in declared.items():
            if name not in frame.columns or frame.schema[name] != pl.String or not _DATE.search(kind):
                continue
            texts = frame[name].drop_nulls()
            there |= {name} if len(texts) else set()
            own = forms.setdefault(name, set(_FORMS))
            own &= {
                form for form in own if texts.str.contains(_FORMS[form][0]).all() and not _as(texts, form).has_nulls()
            }
    return {name: min(own) for name, own in forms.items() if own and name in there}


def as_dates(frame: pl.DataFrame, forms: Mapping[str, str]) -> list[pl.Series]:
    """Return columns of texts as dates or times."""
    return [_as(frame[name], form) for name, form in forms.items()]


def _as(texts: pl.Series, form: str) -> pl.Series:
    if form == "date":
        return texts.str.to_date(_FORMS[form][1], strict=False)
    return texts.str.replace("T", " ", literal=True).str.to_datetime(_FORMS[form][1], strict=False, time_unit="us")


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """Open a file that can only be read."""
    with saying_why(path):
        path.stat()
    with _connected(path, mode="ro", doing="the database cannot be read") as connection:
        with rewritten("sqlite", doing="the database cannot be read"):
            connection.execute("pragma query_only = on")
            connection.execute("begin")
            connection.execute("select count(*) from sqlite_master").fetchone()
        yield Reading(connection)


class Writing(Reading):
    """A transaction that writes one table; nothing is seen of it before `commit`."""

    def __init__(self, connection: Any, table: Sequence[str]) -> None:
        super().__init__(connection)
        if len(table) > 1:
            raise TableError("a table of a SQLite file has no schema.", "give its name alone.")
        self._table = tuple(table)
        self.relation = quoted(beside())

    def check(self, names: Sequence[str], *, replace: bool) -> bool:
        """Return whether a table is replaced; an error if it may not be."""
        if len({name.lower() for name in names}) < len(names):
            raise SchemaError(
                "two columns have names that differ in capital letters only, which SQLite takes for one.",
                "rename one of them.",
            )
        with rewritten("sqlite", doing="the table cannot be written"):
            found = self._connection.execute(
                f"select type, sql from sqlite_master where lower(name) = lower({literal(self._table[0])})"
            ).fetchone()
        return may_replace(self._table, found, replace=replace, kind="table")

    def known_types(self, kinds: Sequence[str]) -> set[str]:
        """Return those of the declared types that can be declared again."""
        return {kind for kind in kinds if re.fullmatch(r"[A-Za-z ]+(\([0-9, ]+\))?", kind)}

    def fill(self, frame: pl.DataFrame, types: Sequence[str]) -> None:
        """Create a table beside the target and fill it."""
        listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(frame.columns, types, strict=True))
        with rewritten("sqlite", doing="the table cannot be written"):
            self._connection.execute(f"create table {self.relation} /* {OURS} */ ({listed})")
            places = ", ".join("?" * frame.width)
            self._connection.executemany(f"insert into {self.relation} values ({places})", frame.iter_rows())

    def commit(self, *, replaces: bool) -> None:
        """Put the new table in its place and make it visible, in one step."""
        with rewritten("sqlite", doing="the table cannot be written"):
            if replaces:
                self._connection.execute(f"drop table {qualified(self._table)}")
            self._connection.execute(f"alter table {self.relation} rename to {quoted(self._table[0])}")
            self._connection.execute("commit")


@contextmanager
def writing(path: Path, table: Sequence[str]) -> Iterator[Writing]:
    """Open a transaction that writes; what is not committed by the end of the block is undone."""
    with _connected(path, mode="rwc", doing="the database cannot be written to") as connection:
        with rewritten("sqlite", doing="the database cannot be written to"):
            connection.execute("begin immediate")
        yield Writing(connection, table)


@contextmanager
def _connected(path: Path, *, mode: str, doing: str) -> Iterator[Any]:
    sqlite3 = driver("sqlite")
    with rewritten("sqlite", doing=doing):
        uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        yield connection
    finally:
        with suppress(Exception):
            connection.rollback()
        with suppress(Exception):
            connection.close()
