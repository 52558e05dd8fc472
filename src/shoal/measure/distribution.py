"""How far apart the distribution of a column is before and after, and both as bars.

A published range stands for its values evenly; of whole numbers, [20, 29] is ten values of equal mass, which is
the even distribution over 19.5 to 29.5 looked at between whole numbers. So ranges of whole numbers are widened by
half at both ends, and then one formula serves both. A published point is a point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.result import Histogram

MAX_BARS = 30
EXACT = 2.0**53
"""Whole numbers further apart are bars like any others."""
_POINT = 1e-9  # of the column's span: a narrower range is a point, or the sums below would lose their digits
Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Masses spread evenly from `low` to `high`, as a distribution function."""

    low: Floats
    high: Floats
    mass: Floats

    def below(self, at: Floats, side: Side) -> Floats:
        """Share of the mass below `at` (left), or below and at it (right)."""
        if not len(self.low):
            return np.zeros(len(at))
        origin, span = self.low.min(), self.high.max() - self.low.min() or 1.0
        low, high, x = ((part - origin) / span for part in (self.low, self.high, at))
        point = high - low <= _POINT
        found = _cumulative((low[point] + high[point]) / 2, self.mass[point], x, side)
        low, high, mass = low[~point], high[~point], self.mass[~point]
        slope = mass / (high - low)
        # Every range adds its slope from its low end on and takes it back from its high end on.
        found += x * _cumulative(low, slope, x, "left") - _cumulative(low, slope * low, x, "left")
        found -= x * _cumulative(high, slope, x, "left") - _cumulative(high, slope * high, x, "left")
        return np.asarray(np.clip(found / self.mass.sum(), 0.0, 1.0), dtype=np.float64)


def _cumulative(at: Floats, mass: Floats, x: Floats, side: Side) -> Floats:
    order = np.argsort(at, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(mass[order])])
    return np.asarray(total[np.searchsorted(at[order], x, side=side)])


def is_whole(values: Floats) -> bool:
    """Only whole numbers, among values that are there."""
    return bool((values == np.floor(values)).all())


def kolmogorov(values: Floats, counts: Ints, after: Spread, *, half: float) -> float:
    """Largest difference of the two distribution functions; `values` are distinct and sorted, `counts` how often.

    `half` is what `after` was widened by. Both functions are straight between the places looked at.
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
    """At most 30 bars of equal width; `missing` are the shares before and after that are not in them."""
    if not len(values):
        return Histogram(edges=(), before=(), after=(), missing_before=missing[0], missing_after=missing[1])
    edges = _edges(float(values[0]), float(values[-1]), whole)
    total = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    # The last bar has both its ends.
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
    if whole and high - low < EXACT:
        width = float(np.ceil((high - low + 1) / MAX_BARS))
        n_bars = int(np.ceil((high - low + 1) / width))
        return np.asarray(low - 0.5 + width * np.arange(n_bars + 1), dtype=np.float64)
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    along = np.arange(MAX_BARS + 1) / MAX_BARS
    return low * (1 - along) + high * along  # high - low may be more than a float can hold


def total_variation(before: Floats, after: Floats) -> float:
    """Half the sum of differences of two distributions; 1 where one of them is empty."""
    if not before.sum() or not after.sum():
        return 0.0 if before.sum() == after.sum() else 1.0
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def label_bars(domain: tuple[str | None, ...], before: Floats, after: Floats) -> Histogram:
    """The most frequent labels, and one last bar for the rest where there are more than 30."""
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
