"""The smallest threshold at which the test of r-gather passes, found exactly without listing all distances.

The test at a threshold t = 2R opens a maximal t-separated set of centers and shares out the points within t of them
(conditions 1 and 2 of the paper). It compares t only with distances from the centers that it opened. So a test that
failed at t fails as well at every threshold below the next of those distances, and one that passed at t passes
at the largest of them up to t. The search keeps a failed threshold, a passed one, and the distances that the failed
test would have compared in between; it bisects those, and ends when none is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.radius.assignment import Shares, assign
from shoal.partition.radius.balls import Balls, Metric, open_balls
from shoal.partition.result import Floats, Labels


class Passed(NamedTuple):
    """The threshold that passed, and nothing below it does: no grouping has a smaller largest diameter."""

    threshold: float
    balls: Balls
    shares: Shares


def smallest_threshold(metric: Metric, r: int, spread: Floats, sequence: Labels, max_groups: int | None) -> Passed:
    """`spread` is every point's distance to its r-th record, itself counted; centers open in `sequence`."""

    def test(threshold: float, reach: float) -> tuple[Balls, Shares | None]:
        advance(1)
        most = None if max_groups is None else max_groups + 1
        balls = open_balls(metric, sequence, threshold, reach=reach, most=most)
        if max_groups is not None and len(balls.centers) > max_groups:
            return balls, None
        return balls, assign(balls, threshold, metric.counts, r)

    with progress.step("trying radii") as advance:
        # Condition 1: below the largest spread some point has fewer than r records near it.
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
    """The largest compared distance up to `threshold`."""
    return float(balls.distances[balls.distances <= threshold].max())


def _between(balls: Balls, failed: float, passed: float) -> Floats:
    """The compared distances above the threshold that failed and below the one that passed."""
    return balls.distances[(balls.distances > failed) & (balls.distances < passed)]
