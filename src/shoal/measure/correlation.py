"""Pearson's correlations between quasi-identifiers, before and after the release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.column_views import Numbers
from shoal.measure.equivalence_classes import Floats
from shoal.measure.loss_result import Correlation

MAX_COLUMNS = 50  # people do not read larger matrices


def correlation(columns: Sequence[tuple[str, Numbers]], sizes: Floats) -> Correlation | None:
    """Return both matrices over at most the first 50 columns of numbers; None if there are fewer than two.

    A correlation that is undefined in the release (a column became constant) counts as 0 in the largest change.
    """
    columns = columns[:MAX_COLUMNS]
    if len(columns) < 2:
        return None
    names = tuple(name for name, _ in columns)
    originals = np.column_stack([numbers.x for _, numbers in columns])
    released = np.column_stack([numbers.value for _, numbers in columns])
    before, after = pearson(originals, np.ones(len(originals))), pearson(released, sizes)
    change = np.triu(np.abs(np.nan_to_num(after) - np.nan_to_num(before)), 1)
    row, other = np.unravel_index(int(change.argmax()), change.shape)
    largest = float(change[row, other])
    return Correlation(
        columns=names,
        before=tuple(map(tuple, before.tolist())),
        after=tuple(map(tuple, after.tolist())),
        largest_change=largest,
        largest_pair=(names[row], names[other]) if largest > 0 else None,
    )


def pearson(values: Floats, weights: Floats) -> Floats:
    """Return weighted correlations, each over the rows that have both values; NaN if a column is constant there."""
    there = np.isfinite(values)
    there[weights <= 0] = False
    scaled = np.zeros_like(values)
    for j in range(values.shape[1]):
        mine = values[there[:, j], j]
        if len(mine) and np.ptp(mine) > 0:
            scaled[there[:, j], j] = (mine - mine.mean()) / mine.std()
    both = there.astype(np.float64)
    weighted = both * weights[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        n = weighted.T @ both
        mean = (
            (scaled * weights[:, None]).T @ both / n
        )  # [i, j]: of column i over the rows in which column j is not missing
        variance = (scaled**2 * weights[:, None]).T @ both / n - mean**2
        covariance = (scaled * weights[:, None]).T @ scaled / n - mean * mean.T
        # a constant column has a tiny variance by rounding; standardized columns otherwise have one of about 1
        variance = np.where(variance > 1e-12, variance, np.nan)
        found: Floats = np.clip(covariance / np.sqrt(variance * variance.T), -1.0, 1.0)
    return found
