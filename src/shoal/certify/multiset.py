"""Cells of the form `centers`: `flu: 3; cold: 2`, a value and the number of people who have it.

A label is bare, or a JSON string where it would be mistaken otherwise; a bare `null` is a missing value.
"""

from __future__ import annotations

import json
import re

_LABEL = r'"(?:[^"\\]|\\.)*"|[^\s:;"](?:[^:;"]*[^\s:;"])?'
_ITEM = re.compile(rf"({_LABEL}): ([1-9][0-9]{{0,14}})")
_WHOLE = re.compile(rf"(?:{_LABEL}): [1-9][0-9]{{0,14}}(?:; (?:{_LABEL}): [1-9][0-9]{{0,14}})*")


def parse(cell: str | None) -> dict[str | None, int] | None:
    """Values and counts of one cell; None where it is no multiset."""
    if cell is None or not _WHOLE.fullmatch(cell):
        return None
    items = _ITEM.findall(cell)
    try:
        found = {_value(label): int(count) for label, count in items}
    except ValueError:
        return None
    return found if len(found) == len(items) else None


def _value(label: str) -> str | None:
    if label.startswith('"'):
        return str(json.loads(label))
    return None if label == "null" else label
