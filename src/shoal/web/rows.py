"""Some rows at a time of a table that may have millions, read from a copy of its cells in the private folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

MOST_ROWS = 200  # rows that are read at once
LAST_ROW = 2**40
MOST_WIDTH = 120  # characters of a cell that are shown


def rows_of(file: Path, start: int, count: int) -> list[list[str | None]]:
    """Return rows from `start` on, every cell as text; None is missing."""
    import polars as pl  # the server starts without it

    start, count = max(0, min(start, LAST_ROW)), max(0, min(count, MOST_ROWS))
    frame: Any = pl.scan_parquet(file).slice(start, count).collect()
    return [[_cut(cell) for cell in row] for row in frame.rows()]


@cache
def header_of(file: Path) -> tuple[tuple[str, ...], int]:
    """Return the names of the columns, and the number of rows."""
    import polars as pl

    scan: Any = pl.scan_parquet(file)
    return tuple(scan.collect_schema().names()), int(scan.select(pl.len()).collect().item())


def _cut(cell: Any) -> str | None:
    if cell is None:
        return None
    text = str(cell)
    return text if len(text) <= MOST_WIDTH else text[: MOST_WIDTH - 1] + "…"
