"""The key of the rows: whole numbers that all differ in the first column of a table.

A measurement may differ in every row as well, so in any other column numbers that all differ prove nothing. But
exports begin with the number of the case, of the person or of the row, whatever it is called.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.roles.column_profile import ColumnProfile
from shoal.roles.number_names import MEASURED
from shoal.roles.recognize import says, words

FEWEST = 20
"""In a table with fewer rows, numbers that all differ do not show that a column is a key."""
QUESTION = (
    "it comes first and has a different whole number in every row, as the number of a case or a person does, so it "
    'is removed. If something is measured, write role = "quasi", kind = "number".'
)


def with_row_key(columns: list[ColumnProfile], n_rows: int) -> list[ColumnProfile]:
    """Return the columns, with the first one proposed as an identifier if it is the key of the rows."""
    first = columns[0] if columns else None
    if first is None or n_rows < FEWEST or first.type != "whole number" or first.role != "quasi":
        return columns
    measured = says(MEASURED, words(first.name)) or first.dates is not None or first.longitude is not None
    if measured or first.missing or first.distinct < n_rows or first.kind not in (None, "number"):
        return columns
    why = "key of the rows (HIPAA Safe Harbor R): it comes first and has a different whole number in every row"
    key = replace(
        first,
        role="identifier",
        kind=None,
        what="key of the rows",
        safe_harbor="R",
        reason=why,
        questions=(QUESTION,),
    )
    return [key, *columns[1:]]
