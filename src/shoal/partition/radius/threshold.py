"""The smallest threshold at which the r-gather test passes, found exactly without computing all distances.

The test at a threshold t = 2R opens a maximal t-separated set of centers and assigns the points within t of them
(conditions 1 and 2 of the paper). It compares t only with distances from the centers that it opens. So a test that
fails at t also fails at every threshold below the next of those distances, and a test that passes at t also passes at
the largest of those distances up to t. The search keeps a threshold that failed, one that passed, and the distances
between the two that the failed test would compare; it bisects these distances until none remains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.radius.assignment import Shares, assign
from shoal.partition.radius.balls import Balls, Metric, open_balls
from shoal.partition.result import Floats, Labels


class Passed(NamedTuple):
    """The smallest threshold that passes, its balls and assignment; no partition has a smaller maximum diameter."""

    threshold: float
    balls: Balls
    shares: Shares


def smallest_threshold(metric: Metric, r: int, spread: Floats, sequence: Labels, max_groups: int | None) -> Passed:
    """Return the smallest threshold at which the test passes.

    `spread` is the distance of each point to its r-th nearest record, itself counted. Centers are opened in the order
    of `sequence`, at most `max_groups` of them.
    """

    def test(threshold: float, reach: float) -> tuple[Balls, Shares | None]:
        advance(1)
        most = None if max_groups is None else max_groups + 1
        balls = open_balls(metric, sequence, threshold, reach=reach, most=most)
        if max_groups is not None and len(balls.centers) > max_groups:
            return balls, None
        return balls, assign(balls, threshold, metric.counts, r)

    with progress.step("trying radii") as advance:
        # Condition 1 fails at every threshold below the largest spread: some point has fewer than r records within.
        failed, guess = -1.0, float(spread.max())
        balls, shares = test(guess, guess)
        if shares is not None:
            return Passed(guess, balls, shares)
        while shares is None:
            failed = guess
            guess = 2 * failed if failed > 0 else float(metric.distances_from(0).max()) / len(metric)
            balls, shares = test(guess, guess)
        best = Passed(_largest(balls, guess), balls, shares)
        balls, _ = test(failed, best.threshold)
        open_between = _between(balls, failed, best.threshold)
        while len(open_between):
            middle = len(open_between) // 2
            guess = float(np.partition(open_between, middle)[middle])
            balls, shares = test(guess, best.threshold)
            if shares is None:
                open_between = _between(balls, guess, best.threshold)
            else:
                best = Passed(_largest(balls, guess), balls, shares)
                open_between = open_between[open_between < best.threshold]
    return best


def _largest(balls: Balls, threshold: float) -> float:
    """Return the largest distance, of those that the test compared, that is at most `threshold`."""
    return float(balls.distances[balls.distances <= threshold].max())


def _between(balls: Balls, failed: float, passed: float) -> Floats:
    """Return the distances that the test compared between the thresholds that failed and that passed."""
    return balls.distances[(balls.distances > failed) & (balls.distances < passed)]
