"""Confidence intervals of success rates and of the risk.

Guarantee   A rate has Wilson's interval. Scores between 0 and 1 (a guess among equals) vary less than successes and
            failures with the same mean, so the interval holds for their mean, too.
            The risk is 1 - q with q the ratio of the failure rates on the table and on the control; the interval of q
            is recovered from both Wilson intervals (A. Donner, G. Zou: Closed-form confidence intervals for functions
            of the normal mean and standard deviation, Stat. Methods Med. Res. 2012).
"""

from __future__ import annotations

import math

from shoal.measure.equivalence_classes import Floats
from shoal.measure.questions.result import Rate

Z = 1.959963984540054  # the normal quantile of 97.5 %: intervals of 95 %


def rate_of(scores: Floats) -> Rate:
    """Return the mean of the scores with its interval; of no attempts, 0 with the interval from 0 to 1."""
    n = len(scores)
    if n == 0:
        return Rate(attempts=0, rate=0.0, low=0.0, high=1.0)
    mean = min(1.0, max(0.0, float(scores.mean())))
    low, high = wilson(mean, n)
    return Rate(attempts=n, rate=mean, low=low, high=high)


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a rate of `n` attempts."""
    shrunk = 1 + Z * Z / n
    middle = (rate + Z * Z / (2 * n)) / shrunk
    half = Z / shrunk * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))
    # at the ends the limits are 0 and 1 exactly, which rounding would miss
    return (0.0 if rate == 0 else max(0.0, middle - half)), (1.0 if rate == 1 else min(1.0, middle + half))


def risk_of(success: Rate, control: Rate | None) -> tuple[float | None, float | None, float | None]:
    """Return the risk and its interval, from 0 to 1; None if there is no control, or all attacks on it succeed."""
    if control is None or control.attempts == 0 or success.attempts == 0 or control.rate >= 1:
        return None, None, None
    ratio_low, ratio_high = _ratio(
        (1 - success.rate, 1 - success.high, 1 - success.low), (1 - control.rate, 1 - control.high, 1 - control.low)
    )
    risk = 1 - (1 - success.rate) / (1 - control.rate)
    return _share(risk), _share(1 - ratio_high), _share(1 - ratio_low)


def _ratio(above: tuple[float, float, float], below: tuple[float, float, float]) -> tuple[float, float]:
    """Return the interval of a ratio from the estimate, lower and upper limit of its parts."""
    a, a_low, a_high = above
    b, b_low, b_high = below
    product = a * b
    low_under = b_high * (2 * b - b_high)
    low_root = math.sqrt(max(0.0, product**2 - a_low * b_high * (2 * a - a_low) * (2 * b - b_high)))
    high_under = b_low * (2 * b - b_low)
    high_root = math.sqrt(max(0.0, product**2 - a_high * b_low * (2 * a - a_high) * (2 * b - b_low)))
    low = (product - low_root) / low_under if low_under > 0 else 0.0
    high = (product + high_root) / high_under if high_under > 0 else math.inf
    return max(0.0, low), high


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
