"""Tables that are already where a release is to be written."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from shoal.errors import TableError

OURS = "written by Shoal"
"""The mark by which a table is known as a release: a comment on it."""


def beside() -> str:
    """Return the name of a table that is filled before it takes the place of its target; nobody else has it."""
    return f"shoal_{secrets.token_hex(8)}"


def may_replace(table: Sequence[str], found: Any, *, replace: bool, kind: str) -> bool:
    """Return whether there is a table to replace; raises a `TableError` where that is not asked for or not allowed.

    `found` has the kind of relation and its mark; None if there is none. Only what Shoal wrote is ever replaced: so
    the original table cannot be lost, whatever name is given.
    """
    name = ".".join(table)
    if found is None:
        return False
    if not replace:
        raise TableError(
            f"there is a table {name!r} already.", "choose another name, or --replace (replace=True) to replace it."
        )
    if str(found[0]) != kind or OURS not in str(found[1]):
        raise TableError(
            f"{name!r} was not written by Shoal, and is not replaced.", "choose another name, or drop it yourself."
        )
    return True
