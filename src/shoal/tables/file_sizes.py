"""How many rows each file of a table in several files has."""

from __future__ import annotations

from shoal.caller import named, setting
from shoal.errors import ParameterError

MOST_FILES = 10_000
"""The most files that a table is divided into: each is listed by name, and a folder with more is slow to list."""


def check_rows_per_file(rows_per_file: int) -> None:
    """Raise a ParameterError if a file cannot have so many rows."""
    if isinstance(rows_per_file, bool) or not isinstance(rows_per_file, int) or rows_per_file < 1:
        raise ParameterError(
            f"{named('rows_per_file')} must be a whole number of rows, 1 or more.",
            f"use {setting('rows_per_file', 1_000_000)}.",
        )


def ends_of_files(n_rows: int, rows_per_file: int) -> list[int]:
    """Return after which row each file ends: as few files as can be, and their sizes differ by at most one row.

    A ParameterError is raised if there would be more than `MOST_FILES`.
    """
    check_rows_per_file(rows_per_file)
    n_files = max(1, -(-n_rows // rows_per_file))
    if n_files > MOST_FILES:
        raise ParameterError(
            f"{n_rows} rows in files of {rows_per_file} would be {n_files} files; at most {MOST_FILES} can be.",
            f"use {setting('rows_per_file', -(-n_rows // MOST_FILES))}.",
        )
    return [(number + 1) * n_rows // n_files for number in range(n_files)]
