"""What a codebook states about a column that was recoded before groups were made, and which cells are then exact."""

from __future__ import annotations

from datetime import date

from shoal.policy import Column

NOT_EXACT = (">=", "<=")


def recoding_words(column: Column) -> str:
    """Return how the values of a column were recoded before groups were made; empty if they were not."""
    stated = []
    if isinstance(column.round, str):
        stated.append(
            f"every date is the first day of its {column.round}" if column.round != "day" else "no time of day"
        )
    elif column.round is not None:
        stated.append(f"rounded to multiples of {_text(column.round)}")
    if column.top is not None:
        stated.append(f"{_text(column.top)} stands for {_text(column.top)} or more")
    if column.bottom is not None:
        stated.append(f"{_text(column.bottom)} stands for {_text(column.bottom)} or less")
    for label, values in (column.merge or {}).items():
        stated.append(f"{label} stands for {values if isinstance(values, int) else len(values)} values")
    return f"Recoded before groups were made: {'; '.join(stated)}." if stated else ""


def is_inexact(text: str, column: Column) -> bool:
    """Return whether a cell that states one value may stand for several original values."""
    if column.round is not None or text.startswith(NOT_EXACT) or text in (column.merge or {}):
        return True
    return any(limit is not None and _is(text, limit) for limit in (column.top, column.bottom))


def _is(text: str, limit: float | date) -> bool:
    if isinstance(limit, date):
        return text[:10] == limit.isoformat()
    try:
        return float(text.replace(",", ".")) == limit
    except ValueError:
        return False


def _text(setting: float | date) -> str:
    return setting.isoformat() if isinstance(setting, date) else f"{setting:.15g}"
