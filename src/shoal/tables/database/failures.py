"""Errors of database drivers as errors of Shoal.

A driver repeats what it was given: libpq a URI with its password, every server the query and, where a value has the
wrong form, the value. So no word of a driver is shown: what is known of an error is its code, and the code decides
the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import EngineError, ShoalError, TableError
from shoal.tables.database.source import TITLES, Engine

_STATES: dict[str, tuple[str, str]] = {
    "22": ("a value does not fit the type of its column", "check the types in the query or the table."),
    "23": ("a rule of the table does not allow it", "check the rules of the table."),
    "25006": ("the statement would change the database", "a source is only read: give a SELECT."),
    "28": ("the user may not connect", "check user and password: PGPASSWORD, or a password file (PGPASSFILE)."),
    "2BP01": ("other objects, such as views, depend on the table", "drop these, or write to another table."),
    "3D": ("there is no such database", "check its name in the URI."),
    "3F": ("there is no such schema", "create it, or name another one."),
    "40": ("another transaction changed the same rows", "try again."),
    "42501": ("the user may not do this", "ask for the right to read the source, or to create the target."),
    "42601": ("the query is not written as SQL", "try it in psql first."),
    "42703": ("the query names a column that does not exist", "check the names; PostgreSQL reads Name as name."),
    "42P01": ("there is no such table", "check the name and its schema; capital letters count."),
    "42P07": ("a table of this name exists already", "choose another name, or --replace (replace=True)."),
    "42": ("the query is refused", "try it in psql first."),
    "53": ("the server is out of memory, disk or connections", "try again later, or with fewer rows."),
    "54": ("a limit of the server is exceeded", "give fewer or smaller columns."),
    "55": ("the table is in use", "try again later."),
    "57": ("the server ended the connection", "try again."),
}
"""What a SQLSTATE means, by its first characters; the longest that fits is taken."""
_CONNECTING: tuple[tuple[str, str, str], ...] = (
    (r"password authentication failed|no password supplied|fe_sendauth", *_STATES["28"]),
    (r"no pg_hba\.conf entry", "the server does not accept this user, host or database", "ask who runs it."),
    (r"database .* does not exist", *_STATES["3D"]),
    (r"role .* does not exist", "there is no such user", "check the user in the URI."),
    (r"translate host name|name or service", "the host is not known", "check its name in the URI."),
    (r"refused|no such file|not known|timeout|timed out|unreachable|no route", "it does not answer",
     "check host and port, and that the server runs."),
    (r"\bssl\b|certificate", "a secure connection could not be made", "check sslmode and sslrootcert of the URI."),
    (r"uri|percent-encoded|connection option|port number", "the URI is not written as one",
     "write it as postgresql://user@host:5432/database."),
)  # fmt: skip


@contextmanager
def rewritten(engine: Engine, *, doing: str, connecting: bool = False) -> Iterator[None]:
    """Turn every error of a driver in the block into one sentence without the driver's words."""
    try:
        yield
    except (ShoalError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except Exception as error:
        what, hint = _meaning(engine, error, connecting=connecting)
        raise TableError(f"{doing}: {what}.", hint) from None


def _meaning(engine: Engine, error: Exception, *, connecting: bool) -> tuple[str, str]:
    """Return what an error means and what to do, from its code or, at most, from the kind of its message."""
    text = str(error)
    if engine == "postgresql":
        if connecting:
            for pattern, what, hint in _CONNECTING:
                if re.search(pattern, text, re.IGNORECASE):
                    return what, hint
            return "the server refused the connection", "try the same URI with psql."
        state = str(getattr(error, "sqlstate", None) or "")
        for length in (5, 2):
            if state[:length] in _STATES:
                what, hint = _STATES[state[:length]]
                return f"{what} (SQLSTATE {state})", hint
        if not state:  # the driver has no code for an error between two rows
            return "the server reports an error while rows are read", "try the query in psql."
        return f"the server reports an error (SQLSTATE {state})", "try the query in psql."
    return _in_file(text.lower(), type(error).__name__)


def _in_file(text: str, kind: str) -> tuple[str, str]:
    """Return the meaning of an error of DuckDB or SQLite, which have no codes, by what their message is about."""
    known: tuple[tuple[str, str, str], ...] = (
        (r"read-?only|query_only|attempt to write", *_STATES["25006"]),
        (r"no such table|table with name .* does not exist|does not exist", *_STATES["42P01"]),
        (r"no such column|referenced column|binder error", "the query names a column that does not exist",
         "check the names."),
        (r"already exists", *_STATES["42P07"]),
        (r"conflicting lock|database is locked|could not set lock", "another program is using the file",
         "close it and try again."),
        (r"not a database|not a valid duckdb|file is encrypted|malformed|corrupt|io error",
         "the file is not such a database, or it is damaged", "check the path."),
        (r"syntax error|parser error|incomplete input|one statement", "the query is not written as SQL",
         "give one SELECT."),
        (r"unable to open|cannot open", "the file cannot be opened", "check the path and its permissions."),
        (r"out of memory", "there is not enough memory", "give fewer columns or rows."),
    )  # fmt: skip
    for pattern, what, hint in known:
        if re.search(pattern, text):
            return what, hint
    return f"the database reports an error ({kind})", "try the query in its own shell."


def driver(engine: Engine) -> Any:
    """Return the module of an engine's driver; an `EngineError` says how to install it."""
    try:
        if engine == "postgresql":
            import adbc_driver_postgresql.dbapi

            return adbc_driver_postgresql.dbapi
        if engine == "duckdb":
            import duckdb

            return duckdb
        import sqlite3

        return sqlite3
    except ImportError:
        extra = "postgres" if engine == "postgresql" else engine
        raise EngineError(
            f"the driver for {TITLES[engine]} is not installed.", f"pip install 'shoal[{extra}]'."
        ) from None
