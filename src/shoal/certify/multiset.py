"""Read the sensitive cells of a release in the form `centers`, such as `flu: 3; cold: 2`.

Such a cell is a multiset: it lists the values of a group, and for each the number of people who have it. A value that
would be ambiguous is quoted as a JSON string; an unquoted `null` is the missing value.
"""

from __future__ import annotations

import json
import re

_LABEL = r'"(?:[^"\\]|\\.)*"|[^\s:;"](?:[^:;"]*[^\s:;"])?'
_ITEM = re.compile(rf"({_LABEL}): ([1-9][0-9]{{0,14}})")
_WHOLE = re.compile(rf"(?:{_LABEL}): [1-9][0-9]{{0,14}}(?:; (?:{_LABEL}): [1-9][0-9]{{0,14}})*")


def parse(cell: str | None) -> dict[str | None, int] | None:
    """Return the count of every value in one cell; None where the cell is malformed or lists a value twice."""
    if cell is None or not _WHOLE.fullmatch(cell):
        return None
    items = _ITEM.findall(cell)
    try:
        found = {_value(label): int(count) for label, count in items}
    except ValueError:
        return None
    return found if len(found) == len(items) else None


def _value(label: str) -> str | None:
    """Return the value that a label stands for; None for the missing value."""
    if label.startswith('"'):
        return str(json.loads(label))
    return None if label == "null" else label
