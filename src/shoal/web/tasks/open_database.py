"""Opening a table of a database: it is read once, and everything after that works on a private copy of it.

The address and the password come with the job and leave with it: they are in no result, no message and no file.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from shoal import api
from shoal.errors import ParameterError
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.open_file import open_file


def list_tables(asked: dict[str, Any], _reports: TaskReports) -> dict[str, Any]:
    """Return the names of the tables of a database."""
    return {"tables": api.database_tables(_uri(asked))}


def open_database(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Copy a table or a query of a database to `path`, a Parquet file, and open that as any other file."""
    with reports.step("reading", None):
        read = api.read_table(_uri(asked), table=asked["table"], query=asked["query"])
        read.frame.write_parquet(asked["path"])
    found = open_file({key: asked[key] for key in ("path", "reading", "name", "rows")}, reports)
    return found | {"format": str(read.origin.kind), "notes": [*read.notes, *found["notes"]]}


def _uri(asked: dict[str, Any]) -> str:
    """Return the address with its password, which is given beside it."""
    address, password = str(asked["address"]), str(asked["password"] or "")
    if not password:
        return address
    scheme, sign, rest = address.partition("://")
    user, at, where = rest.partition("@")
    if not sign or not at or not user or ":" in user or "/" in user:
        raise ParameterError(
            "a password was given, and the address has no user that it belongs to.",
            "write the address as postgresql://user@host/database.",
        )
    return f"{scheme}://{user}:{quote(password, safe='')}@{where}"
