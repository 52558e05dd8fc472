"""The overlap of confidence intervals: how much the same analysis says the same (A. Karr et al. 2006).

The overlap of two intervals is the mean of the shares of each that lies in the other: 1 if they are equal, 0 if they
have nothing in common. Intervals of a mean are normal, those of a share Wilson's; those of a coefficient are normal
around its estimate by least squares or maximum likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.questions.columns import Column, NumberColumn
from shoal.measure.questions.intervals import Z
from shoal.measure.utility.features import Levels, design, levels, middles
from shoal.measure.utility.logistic import fitted_logistic
from shoal.measure.utility.result import MeanOverlap, RegressionOverlap, TableOverlap

LEAST = 10.0  # original rows of a cell of a table below which its share says little
MOST_PAIRS = 45  # pairs of columns whose tables are compared


def overlap(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats:
    """Return the overlap of intervals (low, high), each of one with that of the other."""
    common = np.maximum(0.0, np.minimum(one[1], other[1]) - np.maximum(one[0], other[0]))
    lengths = one[1] - one[0], other[1] - other[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (common / lengths[0] + common / lengths[1]) / 2
    points = (lengths[0] <= 0) | (lengths[1] <= 0)  # an interval of no length: in the other one, or not
    inside = (np.maximum(one[0], other[0]) <= np.minimum(one[1], other[1])).astype(np.float64)
    return np.where(points, inside, found)


def means(columns: Sequence[Column], n: int) -> tuple[MeanOverlap, ...]:
    """Return the means of all columns of numbers; missing and hidden numbers are left out."""
    found = []
    for column in columns:
        if not isinstance(column, NumberColumn):
            continue
        parts = [values[~np.isnan(values)] for values in (column.x[:n], middles(column)[column.of_row])]
        if min(map(len, parts)) < 2:
            continue
        ends = [_mean_interval(part) for part in parts]
        (a, b), (c, d) = ends
        found.append(
            MeanOverlap(
                column=column.name,
                original=float(parts[0].mean()),
                original_low=a,
                original_high=b,
                release=float(parts[1].mean()),
                release_low=c,
                release_high=d,
                overlap=float(overlap((np.array([a]), np.array([b])), (np.array([c]), np.array([d])))[0]),
            )
        )
    return tuple(found)


def _mean_interval(values: Floats) -> tuple[float, float]:
    half = Z * float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()) - half, float(values.mean()) + half


def tables(columns: Sequence[Column], n: int) -> tuple[TableOverlap, ...]:
    """Return the tables of every column and of every pair, with expected counts where cells leave values open."""
    made = [levels(column, n) for column in columns]
    found = [_table((one.name,), _one_way(one, released=False), _one_way(one, released=True)) for one in made]
    for a, b in list(combinations(made, 2))[:MOST_PAIRS]:
        counts = np.asarray((a.original_shares().T @ b.original_shares()).toarray()).ravel()
        found.append(_table((a.name, b.name), counts, _two_way(a, b)))
    return tuple(one for one in found if one is not None)


def _one_way(level: Levels, *, released: bool) -> Floats:
    if not released:
        return np.bincount(level.original, minlength=level.width).astype(np.float64)
    times = np.bincount(level.of_row, minlength=len(level.cells)).astype(np.float64)
    return np.asarray(times @ level.cells, dtype=np.float64)


def _two_way(a: Levels, b: Levels) -> Floats:
    """Return the expected counts of both columns together: the shares of a row's two cells, multiplied."""
    from scipy import sparse

    pairs = sparse.csr_array((np.ones(len(a.of_row)), (a.of_row, b.of_row)), shape=(len(a.cells), len(b.cells)))
    return np.asarray(a.cells.T @ (pairs @ b.cells), dtype=np.float64).ravel()


def _table(names: tuple[str, ...], original: Floats, released: Floats) -> TableOverlap | None:
    kept = original >= LEAST
    if not kept.any() or released.sum() <= 0:
        return None
    ends = [_share_intervals(part[kept] / part.sum(), part.sum()) for part in (original, released)]
    return TableOverlap(columns=names, cells=int(kept.sum()), overlap=float(overlap(ends[0], ends[1]).mean()))


def _share_intervals(share: Floats, n: float) -> tuple[Floats, Floats]:
    """Return Wilson's intervals of shares of `n` rows."""
    shrunk = 1 + Z * Z / n
    middle = (share + Z * Z / (2 * n)) / shrunk
    half = Z / shrunk * np.sqrt(np.maximum(share * (1 - share), 0.0) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half


def regression(
    columns: Sequence[Column], target: Column, n: int, originals: Ints, rows: Ints
) -> RegressionOverlap | None:
    """Return how the coefficients of a regression of the target on the other columns overlap.

    A number is regressed by least squares, the most frequent label against all others by a logistic regression.
    """
    others = [column for column in columns if column is not target]
    if not others:
        return None
    ours, theirs = design(others, n, originals, rows)
    if isinstance(target, NumberColumn):
        one, other = target.x[originals], middles(target)[target.of_row[rows]]
    else:
        level = levels(target, n)
        usual = int(np.bincount(level.original, minlength=level.width).argmax())
        one = (level.original[originals] == usual).astype(np.float64)
        other = level.cells[level.of_row[rows], usual]
    kept, there = ~np.isnan(one), ~np.isnan(other)
    ours, one, theirs, other = ours[kept], one[kept], theirs[there], other[there]
    varying = (np.ptp(ours, axis=0) > 0) & (np.ptp(theirs, axis=0) > 0) if len(ours) and len(theirs) else np.zeros(0)
    varying = np.asarray(varying, dtype=bool)
    if not varying.any() or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    varying[0] = True  # the constant
    fit = _least_squares if isinstance(target, NumberColumn) else fitted_logistic
    fits = [fit(part[:, varying], outcome) for part, outcome in ((ours, one), (theirs, other))]
    intervals = [(b[1:] - Z * se[1:], b[1:] + Z * se[1:]) for b, se in fits]
    found = overlap(intervals[0], intervals[1])
    found = found[np.isfinite(found)]
    if not len(found):
        return None
    return RegressionOverlap(
        target=target.name,
        kind="linear" if isinstance(target, NumberColumn) else "logistic",
        coefficients=len(found),
        overlap=float(found.mean()),
    )


def _least_squares(features: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients by least squares, and their standard errors."""
    inverse = np.linalg.pinv(features.T @ features, hermitian=True)
    slopes = inverse @ (features.T @ outcome)
    residuals = outcome - features @ slopes
    variance = float(residuals @ residuals) / max(len(outcome) - features.shape[1], 1)
    return slopes, np.sqrt(np.maximum(variance * np.diag(inverse), 0.0))
