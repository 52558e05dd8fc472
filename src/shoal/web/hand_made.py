"""A hierarchy that was written by hand: which values belong together, and which groups of them."""

from __future__ import annotations

import csv
import io

from shoal.errors import ParameterError

LEVELS = 2
MOST_VALUES = 400  # of a column whose values are grouped by hand
SEPARATORS = ",;|\t"


def rows_by_hand(values: list[str], names: list[list[str]]) -> list[list[str]]:
    """Return a line for every value: the value and the names of its groups, from the narrowest to the widest.

    A value without a name stays by itself, and so does a group without a name above it. A level on which nothing was
    written is left out. Raises ParameterError if nothing was written, or if a group has two names above it.
    """
    filled = [[name.strip() for name in one] for one in names]
    used = [level for level in range(LEVELS) if any(one[level] for one in filled)]
    if not used:
        raise ParameterError("no group has a name.", "write the same name beside values that belong together.")
    rows = []
    for value, own in zip(values, filled, strict=True):
        row = [value]
        for level in used:
            row.append(own[level] or row[-1])
        rows.append(row)
    for level in range(1, len(used) + 1):
        above: dict[str, list[str]] = {}
        for row in rows:
            if above.setdefault(row[level], row[level:]) != row[level:]:
                raise ParameterError(
                    f"the group {row[level]!r} has two different names above it.",
                    "write the same name beside all of its values.",
                )
    return rows


def as_csv(rows: list[list[str]]) -> str:
    """Return the lines as a hierarchy file, whose separator is the most frequent one in its first line."""
    first = "".join(rows[0])
    often = {sign: sum(sign in cell for row in rows for cell in row) for sign in SEPARATORS}
    separator = min(SEPARATORS, key=lambda sign: (often[sign], first.count(sign)))
    if first.count(separator):
        raise ParameterError(
            "the values contain every character that could separate them.", "merge them first, or write a file."
        )
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    return written.getvalue()
