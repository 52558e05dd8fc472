"""Exponents: how a time grows with a size, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Fit:
    """Seconds grow as the size to the power `slope`; with 95 % confidence it lies in `low` to `high`.

    The interval is that of a straight line through logarithms with even, independent errors; it is infinite where
    two points leave nothing to judge it by.
    """

    slope: float
    low: float
    high: float
    count: int


def power(sizes: Sequence[float], seconds: Sequence[float]) -> Fit:
    """Least squares on the logarithms; two sizes at least."""
    x, y = np.log(np.asarray(sizes, dtype=float)), np.log(np.asarray(seconds, dtype=float))
    if len(np.unique(x)) < 2:
        raise ValueError("an exponent needs two different sizes.")
    slope, start = np.polyfit(x, y, 1)
    free = len(x) - 2
    error = math.inf
    if free > 0:
        left = float(((y - start - slope * x) ** 2).sum()) / free
        spread = float(((x - x.mean()) ** 2).sum())
        error = float(student.ppf((1 + CONFIDENCE) / 2, free)) * math.sqrt(left / spread)
    return Fit(float(slope), float(slope) - error, float(slope) + error, len(x))


def per_record(sizes: Sequence[float], peaks: Sequence[float]) -> float:
    """By how many bytes the peak (in MB of 2^20) grows with each record."""
    slope, _ = np.polyfit(np.asarray(sizes, dtype=float), np.asarray(peaks, dtype=float) * 2.0**20, 1)
    return float(slope)
