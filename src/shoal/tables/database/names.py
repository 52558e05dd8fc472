"""Names of tables and columns in SQL: always quoted, so that no name is ever read as a part of a statement."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.caller import named
from shoal.errors import ParameterError, SchemaError

_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
LONGEST_POSTGRESQL = 63
"""Bytes of a name that PostgreSQL keeps; it cuts off the rest without an error."""


def quoted(name: str) -> str:
    """Return a name as a quoted identifier, in which a quote is doubled."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a literal of standard SQL."""
    return "'" + text.replace("'", "''") + "'"


def parts_of(table: str, option: str = "table") -> tuple[str, ...]:
    """Return the parts of a table's name: `schema.table`, where a part with a dot or a quote is in double quotes.

    Names are taken as they are written, capital letters included. Raises a `ParameterError` for anything else.
    """
    parts: list[str] = []
    at = 0
    while True:
        found = _PART.match(table, at)
        if found is None or "\0" in found[0]:
            break
        parts.append(found[1].replace('""', '"') if found[1] is not None else found[2])
        at = found.end()
        if at == len(table) and len(parts) <= 3:
            return tuple(parts)
        if table[at : at + 1] != ".":
            break
        at += 1
    raise ParameterError(
        f"{named(option)} is not the name of a table.",
        'write it as table or schema.table; a name with a dot or a quote goes in double quotes: "a.b".',
    )


def written_name(part: str) -> str:
    """Return a part of a table's name as `parts_of` reads it: in double quotes if it has a dot or a quote."""
    return quoted(part) if "." in part or '"' in part else part


def qualified(parts: Sequence[str]) -> str:
    """Return the parts of a name as one quoted name."""
    return ".".join(map(quoted, parts))


def refuse_cut_names(names: Sequence[str]) -> None:
    """Raise a `SchemaError` for a name that PostgreSQL would cut off: two columns could then have one name."""
    for name in names:
        size = len(name.encode("utf-8"))
        if size > LONGEST_POSTGRESQL:
            raise SchemaError(
                f"{name!r} has {size} bytes; PostgreSQL cuts names off after {LONGEST_POSTGRESQL}.",
                "give the column or table a shorter name.",
            )
