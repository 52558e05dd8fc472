"""Distances between the distributions of a column before and after the release, and both as histograms.

A published range stands for its values evenly; of whole numbers, [20, 29] is ten values of equal mass, which equals
the uniform distribution over 19.5 to 29.5 if evaluated halfway between whole numbers. So ranges of whole numbers are
widened by half at both ends, and one formula serves both cases. A published point has its mass in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.loss_result import Histogram

MAX_BARS = 30  # the most bars of a histogram, as many as a small chart can show
EXACT = 2.0**53
"""Whole numbers that span more than this get bars like other numbers, because floats no longer hold every one."""
_POINT = 1e-9  # relative to the column's span: a narrower range counts as a point, because sums would lose digits
Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Masses spread evenly from `low` to `high`, evaluated as a distribution function."""

    low: Floats
    high: Floats
    mass: Floats

    def below(self, at: Floats, side: Side) -> Floats:
        """Return the share of the mass below `at` (left), or below and at it (right)."""
        if not len(self.low):
            return np.zeros(len(at))
        origin, span = self.low.min(), self.high.max() - self.low.min() or 1.0
        low, high, x = ((part - origin) / span for part in (self.low, self.high, at))
        point = high - low <= _POINT
        found = _cumulative((low[point] + high[point]) / 2, self.mass[point], x, side)
        low, high, mass = low[~point], high[~point], self.mass[~point]
        slope = mass / (high - low)
        # every range adds its slope from its low end on, and subtracts it again from its high end on
        found += x * _cumulative(low, slope, x, "left") - _cumulative(low, slope * low, x, "left")
        found -= x * _cumulative(high, slope, x, "left") - _cumulative(high, slope * high, x, "left")
        return np.asarray(np.clip(found / self.mass.sum(), 0.0, 1.0), dtype=np.float64)


def _cumulative(at: Floats, mass: Floats, x: Floats, side: Side) -> Floats:
    order = np.argsort(at, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(mass[order])])
    return np.asarray(total[np.searchsorted(at[order], x, side=side)])


def is_whole(values: Floats) -> bool:
    """Return whether all values are whole numbers."""
    return bool((values == np.floor(values)).all())


def kolmogorov(values: Floats, counts: Ints, after: Spread, *, half: float) -> float:
    """Return the largest difference of the two distribution functions.

    `values` are distinct and sorted, `counts` how often each occurs, and `half` is what the ranges of `after` were
    widened by. Between the points that are evaluated both functions are linear, so the largest difference is at one
    of them.
    """
    if not len(values) or not len(after.low):
        return 0.0 if len(values) == len(after.low) else 1.0
    at = np.unique(np.concatenate([values - half, values + half, after.low, after.high]))
    total = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    sides: tuple[Side, Side] = ("left", "right")
    return max(
        float(np.abs(total[np.searchsorted(values, at, side=side)] - after.below(at, side)).max()) for side in sides
    )


def number_bars(
    values: Floats, counts: Ints, after: Spread, *, whole: bool, missing: tuple[float, float]
) -> Histogram:
    """Return at most 30 bars of equal width; `missing` are the shares of missing values before and after."""
    if not len(values):
        return Histogram(edges=(), before=(), after=(), missing_before=missing[0], missing_after=missing[1])
    edges = _edges(float(values[0]), float(values[-1]), whole)
    total = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    # the last bar includes both its ends
    left, right = np.searchsorted(values, edges[:-1]), np.searchsorted(values, edges[-1:], side="right")
    before = np.diff(total[np.concatenate([left, right])])
    later = np.diff(np.concatenate([after.below(edges[:-1], "left"), after.below(edges[-1:], "right")]))
    return Histogram(
        edges=tuple(edges.tolist()),
        before=tuple((before * (1 - missing[0])).tolist()),
        after=tuple((later * (1 - missing[1])).tolist()),
        missing_before=missing[0],
        missing_after=missing[1],
    )


def _edges(low: float, high: float, whole: bool) -> Floats:
    """Return the edges of at most `MAX_BARS` bars of equal width; for whole numbers they are between the numbers."""
    if whole and high - low < EXACT:
        width = float(np.ceil((high - low + 1) / MAX_BARS))
        n_bars = int(np.ceil((high - low + 1) / width))
        return np.asarray(low - 0.5 + width * np.arange(n_bars + 1), dtype=np.float64)
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    along = np.arange(MAX_BARS + 1) / MAX_BARS
    return low * (1 - along) + high * along  # high - low may exceed the range of a float


def total_variation(before: Floats, after: Floats) -> float:
    """Return half the sum of absolute differences of two distributions; 1 if one of them is empty."""
    if not before.sum() or not after.sum():
        return 0.0 if before.sum() == after.sum() else 1.0
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def label_bars(domain: tuple[str | None, ...], before: Floats, after: Floats) -> Histogram:
    """Return bars for the most frequent labels, and one last bar for the rest if there are more than 30."""
    order = np.lexsort((np.arange(len(domain)), -before))
    shown, rest = (order, order[:0]) if len(domain) <= MAX_BARS else (order[: MAX_BARS - 1], order[MAX_BARS - 1 :])

    def bars(mass: npt.NDArray[np.float64]) -> tuple[float, ...]:
        share = mass / (mass.sum() or 1.0)
        return tuple(share[shown].tolist()) + ((float(share[rest].sum()),) if len(rest) else ())

    return Histogram(
        labels=tuple(domain[code] for code in shown.tolist()),
        n_other=len(rest),
        before=bars(before),
        after=bars(after),
    )
