"""Improving diverse groups: better centers, and a new assignment around them at a smaller radius. Never worse."""

from __future__ import annotations

import numpy as np

from shoal.partition.diversity.colored_points import Among, Colored, Reach
from shoal.partition.diversity.independent_set import Stars
from shoal.partition.diversity.star_tests import share_out
from shoal.partition.radius.assignment import Shares
from shoal.partition.radius.improve import around, recentered

TRIES, SMALL = 12, 5_000
"""How often a new assignment is tried, for at most SMALL records; in proportion fewer (at least 2) for more
records."""


def improved(whole: Among, reach: Reach, stars: Stars, l: int, bound: float) -> Stars:  # noqa: E741 (the field's own name)
    """Return better groups: centers move to better members, then the smallest feasible radius is bisected."""
    records = whole.records
    best, cost = recentered_stars(records, stars)
    tries = max(2, round(TRIES * min(1.0, SMALL / len(records))))
    refuted = bound
    while tries > 0 and refuted < cost:
        tries -= 1
        guess = refuted if refuted == bound else refuted + (cost - refuted) / 2
        if guess >= cost:
            break
        found = share_out(whole, reach.near, best.centers, guess, l)
        if isinstance(found, np.ndarray):
            best, cost = recentered_stars(records, Stars(best.centers, found))
            refuted = bound
        else:
            refuted = max(guess, float(np.nextafter(guess, np.inf)))
    return best


def recentered_stars(records: Colored, stars: Stars) -> tuple[Stars, float]:
    """Return the same groups, each around the best member that was tried, and the largest radius."""
    shares = Shares(np.arange(len(records)), stars.owner, np.ones(len(records), dtype=np.int64))
    groups = recentered(records.metric, around(records.metric, stars.centers, shares))
    return Stars(groups.centers, stars.owner), groups.cost
