"""Where a table of a database is: the URI of the database, and a table or a query in it.

A URI may hold a password. It is never in a message, a report or a `repr`; what is shown is the kind of database and
the name of the table.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from shoal.caller import named, setting
from shoal.errors import ParameterError
from shoal.tables.database.names import parts_of
from shoal.tables.store import StoredSource, stored

Engine = Literal["postgresql", "duckdb", "sqlite"]
TITLES: dict[Engine, str] = {"postgresql": "PostgreSQL", "duckdb": "DuckDB", "sqlite": "SQLite"}
_SCHEMES: dict[str, Engine] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "duckdb": "duckdb",
    "sqlite": "sqlite",
}
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_ENVIRONMENT = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_USAGE = "postgresql://user@host/database, duckdb:///file.duckdb or sqlite:///file.sqlite"


@dataclass(frozen=True, slots=True)
class DatabaseSource:
    """A table or a query of a database; `uri` is what the driver is given, and for a file `path` is its place."""

    engine: Engine
    uri: str = field(repr=False)
    path: Path | None = None
    table: tuple[str, ...] | None = None
    query: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What the source is called in reports: a query may hold values, so its text is not shown."""
        what = "a query" if self.table is None else f"table {'.'.join(self.table)}"
        return f"{what} ({TITLES[self.engine]})"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Target:
    """The table of a database that a release is written to; an existing one is replaced only with `replace`."""

    engine: Engine
    uri: str = field(repr=False)
    path: Path | None
    table: tuple[str, ...]
    replace: bool = False

    @property
    def name(self) -> str:
        return f"table {'.'.join(self.table)} ({TITLES[self.engine]})"


def is_uri(source: object) -> bool:
    """Return whether a source is the URI of a database, or one that is wrong: it is never taken for a file's name."""
    if not isinstance(source, str):
        return False
    found = _URI.match(source)
    return bool(_ENVIRONMENT.fullmatch(source)) or (found is not None and found[1].lower().split("+")[0] in _SCHEMES)


def located(source: Any, table: str | None = None, query: str | None = None) -> Any:
    """Return a source, as a `DatabaseSource` if it is the URI of a database, a `StoredSource` if it is in a store.

    A database needs a table or a query, and nothing else has one. Raises a `ParameterError` for any other URI.
    """
    if isinstance(source, DatabaseSource | StoredSource):
        return source
    if not is_uri(source):
        if table is None and query is None and (found_there := stored(source)) is not None:
            return found_there
        if isinstance(source, str) and (found := _URI.match(source)) is not None and "://" in source:
            raise ParameterError(
                f"Shoal cannot read a table from {found[1]}://.",
                f"give a file, s3://bucket/visits.parquet or the like, or {_USAGE}.",
            )
        if table is not None or query is not None:
            raise ParameterError(
                f"{named('table' if table is not None else 'query')} is for a database, and the source is not one.",
                f"give its URI: {_USAGE}.",
            )
        return source
    if (table is None) == (query is None):
        which = "both a table and a query were" if table is not None else "neither a table nor a query was"
        raise ParameterError(
            f"{which} given for the database.", f"give one: {setting('table', 'patients')} or {setting('query')}."
        )
    engine, uri, path = _place(source)
    if query is not None and not query.strip():
        raise ParameterError("the query is empty.", "give a SELECT.")
    return DatabaseSource(engine, uri, path, None if table is None else parts_of(table), query)


def target_of(to: str | None, to_table: str | None, replace: bool, source: Any = None) -> Target | None:
    """Return the table to write to, None if none is asked for; without a URI it is in the database of the source."""
    if to_table is None:
        if to is not None or replace:
            raise ParameterError(
                f"{named('to' if to is not None else 'replace')} needs the name of the table to write.",
                f"add {setting('to_table', 'anon.patients')}.",
            )
        return None
    table = parts_of(to_table, "to_table")
    if to is None:
        if not isinstance(source, DatabaseSource):
            raise ParameterError(
                f"{named('to_table')} names a table, and no database was given.", f"add {setting('to', _USAGE)}."
            )
        return Target(source.engine, source.uri, source.path, table, replace)
    if not is_uri(to):
        raise ParameterError(f"{named('to')} is not the URI of a database.", f"write it as {_USAGE}.")
    return Target(*_place(to), table, replace)


def _place(source: str) -> tuple[Engine, str, Path | None]:
    """Return the engine, the URI for its driver, and the path of a database that is a file."""
    if (asked := _ENVIRONMENT.fullmatch(source)) is not None:
        found = os.environ.get(asked[1])
        if not found or _ENVIRONMENT.fullmatch(found) or not is_uri(found):
            raise ParameterError(
                f"the environment variable {asked[1]} is not set to the URI of a database.", f"set it to {_USAGE}."
            )
        source = found
    scheme, separator, rest = source.partition("://")
    engine = _SCHEMES.get(scheme.lower())
    if not separator or engine is None:
        raise ParameterError("the URI of the database is not written as one.", f"write it as {_USAGE}.")
    if engine == "postgresql":
        return engine, f"postgresql://{rest}", None
    if not rest.startswith("/") or not rest[1:] or "?" in rest or "\0" in unquote(rest):
        raise ParameterError(
            f"the URI of the {TITLES[engine]} file is not written as one.",
            f"write {scheme}:///file for a file of this folder, {scheme}:////folder/file for any other.",
        )
    path = Path(unquote(rest[1:]))
    return engine, str(path), path
