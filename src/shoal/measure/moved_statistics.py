"""How far perturbed or synthetic values moved the statistics of a column: mean, spread, frequencies, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.measure.result import Result
from shoal.tables.text import text_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Result):
    """The statistics of one column before and after its values were changed; missing cells do not count."""

    name: str
    cells: int
    """The number of cells that are not missing before."""
    changed: int | None
    """The number of cells with another value than before; None if rows before and after are not the same records."""
    mean_before: float | None
    """The mean of numbers, and of dates in days since 1970; None for labels. So with the next three."""
    mean_after: float | None
    deviation_before: float | None
    deviation_after: float | None
    frequencies: float
    """The share of the cells that would have to change for the frequencies of values to be what they were: the
    variational distance."""
    correlation: float | None
    """The largest change of a correlation with another column of numbers or dates; None if there is none."""
    correlated: str | None
    """The column of that correlation."""

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}: frequencies moved by {self.frequencies:.1%}")


def moved(
    before: pl.DataFrame, after: pl.DataFrame, names: Sequence[str], *, same_records: bool = True
) -> tuple[Moved, ...]:
    """Return how far the columns `names` moved from `before` to `after`, which have the same columns.

    Correlations are those with all other columns of numbers and dates of the two tables, over rows that have both.
    """
    numbers = {name: pair for name in before.columns if (pair := _numbers(before[name], after[name])) is not None}
    return tuple(_moved(before[name], after[name], numbers, same_records=same_records) for name in names)


def _moved(
    before: pl.Series, after: pl.Series, numbers: dict[str, tuple[Floats, Floats]], *, same_records: bool
) -> Moved:
    """Return how far one column moved."""
    name = before.name
    texts = [text_of(column) for column in (before, after)]
    if name in numbers:
        texts = [pl.Series(values).fill_nan(None).cast(pl.String) for values in numbers[name]]
    parts = [part[~np.isnan(part)] for part in numbers.get(name, ())]
    means = [float(part.mean()) if len(part) else None for part in parts] or [None, None]
    spreads = [float(part.std()) if len(part) else None for part in parts] or [None, None]
    change, other = _largest_change(name, numbers)
    there = int(texts[0].is_not_null().sum())
    return Moved(
        name=name,
        cells=there,
        changed=int((~texts[0].eq_missing(texts[1])).sum()) if same_records else None,
        mean_before=means[0],
        mean_after=means[1],
        deviation_before=spreads[0],
        deviation_after=spreads[1],
        frequencies=_distance(*texts),
        correlation=change,
        correlated=other,
    )


def _numbers(before: pl.Series, after: pl.Series) -> tuple[Floats, Floats] | None:
    """Return both columns as numbers, NaN if missing; None unless both are numbers or dates, or texts of numbers."""
    found = []
    for column in (before, after):
        if column.dtype == pl.String:
            column = column.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        if column.dtype.is_temporal() and column.dtype not in (pl.Time, pl.Duration):
            column = column.cast(pl.Datetime("us")).cast(pl.Int64) / 86_400_000_000
        if not column.dtype.is_numeric() or column.null_count() == len(column):
            return None
        found.append(column.cast(pl.Float64).fill_null(float("nan")).to_numpy())
    if before.dtype == pl.String and np.isnan(found[0]).sum() > before.null_count():
        return None
    return found[0], found[1]


def _distance(before: pl.Series, after: pl.Series) -> float:
    """Return the variational distance of two distributions of texts; 0 if there is no text."""
    counts = [dict(column.drop_nulls().alias("text").value_counts().iter_rows()) for column in (before, after)]
    totals = [sum(count.values()) for count in counts]
    if not all(totals):
        return 0.0 if totals[0] == totals[1] else 1.0
    values = counts[0].keys() | counts[1].keys()
    apart: float = sum(abs(counts[0].get(v, 0) / totals[0] - counts[1].get(v, 0) / totals[1]) for v in values) / 2
    return apart


def _largest_change(name: str, numbers: dict[str, tuple[Floats, Floats]]) -> tuple[float | None, str | None]:
    """Return the largest change of a correlation of a column, and with which other column."""
    found: list[tuple[float, str]] = []
    for other, theirs in numbers.items():
        if other != name and name in numbers:
            values = [_correlation(own, one) for own, one in zip(numbers[name], theirs, strict=True)]
            if values[0] is not None and values[1] is not None:
                found.append((abs(values[1] - values[0]), other))
    return max(found, default=(None, None), key=lambda one: one[0] or 0.0)


def _correlation(one: Floats, other: Floats) -> float | None:
    both = ~(np.isnan(one) | np.isnan(other))
    if both.sum() < 2:
        return None
    a, b = one[both] - one[both].mean(), other[both] - other[both].mean()
    length = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / length) if length > 0 else None
