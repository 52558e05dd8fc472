"""The schedule of the annealing: how many proposals each round makes, and at which temperature."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

from shoal.effort import GENERALIZATION, GENERALIZATION_UNIT
from shoal.space.space import Space

MANY = 250_000
"""In tables of more records than this, the default effort also falls with the share of costly records."""
PATIENT, TRIAL = 2000.0, 0.5
"""Largest effort, in proposals per costly record, if only a time limit is given; and the effort of the trial that
measures how long proposals take."""
TEMPERATURE_ROUNDS = 24
"""Rounds of the annealing; blocks are drawn again in each, and the last one accepts only improvements."""
HOT, COLD = 1.0, 0.05
"""Temperatures at the start and the end, in units of the mean cost of a costly record. A higher start helps a little
with hierarchies, where one level up costs much, and harms sets of labels."""
MILD = 0.4
"""Factor for the temperature, and for the share of groups dissolved or formed, if there are rules or fixed groups."""
LEAST_START = 0.15
"""Least factor for the temperature if the start is good (from the cheapest cells): a higher temperature pays only if
there are enough proposals to cool down again."""
MOST_START_FROM_CUTS = 0.3
"""Largest factor for the temperature if the start comes from cutting the table: a higher temperature would destroy
large groups that moves of single records do not find again."""


class Whole(NamedTuple):
    """The rows of a table of which a part is searched, and about how many of them will be in groups with a cost."""

    n_rows: int
    n_costly: int

    @classmethod
    def of(cls, space: Space, k: int) -> Whole:
        """Return the numbers of a table: records with fewer than `k` copies cannot be in a group without a cost."""
        counts = space.distinct()[1]
        return cls(len(space), max(1, int(counts[counts < k].sum())))


def usual_effort(most: float, n_costly: int, n_rows: int) -> float:
    """Return the default effort in proposals per costly record; at most `most`."""
    return most * min(1.0, GENERALIZATION.large / n_costly) * min(1.0, max(n_costly, MANY) / n_rows)


def start_temperature(effort: float, n_costly: int) -> float:
    """Return the factor for the temperature with a good start, LEAST_START to 1; it grows with the effort."""
    enough = math.sqrt(effort * n_costly / (GENERALIZATION_UNIT * min(n_costly, GENERALIZATION.large)))
    return min(1.0, max(LEAST_START, enough))


class Pace:
    """Decides how much of its work each round may do, so that all rounds end before the deadline.

    If there is enough time or no deadline, each round does all of its work and results do not depend on the clock.
    `timed_out` tells whether a round had to do less.
    """

    def __init__(self, deadline: float | None) -> None:
        self.deadline, self.begun = deadline, time.monotonic()
        self.work = 0.0
        self.timed_out = False

    def share(self, turn: int) -> float:
        """Return the share of its work that round `turn` may do, if the next rounds are as fast as the last ones."""
        if self.deadline is None:
            return 1.0
        now = time.monotonic()
        needed = (now - self.begun) / self.work * (TEMPERATURE_ROUNDS - turn) if self.work else 0.0
        left = max(0.0, self.deadline - now)
        if needed <= left and left > 0.0:
            return 1.0
        self.timed_out = True
        # The last round, which accepts only improvements, gets at least the average share of the others: without it
        # their work at positive temperatures would be lost.
        least = self.work / turn if turn == TEMPERATURE_ROUNDS - 1 else 0.0
        return max(least, left / needed if needed else 0.0)

    def done(self, work: float) -> None:
        """Note that a round has done this share of its work."""
        self.work += work


@dataclass(frozen=True, slots=True)
class Round:
    """The settings of one round. The temperature falls geometrically over the rounds; in the last one it is 0."""

    turn: int
    mean: float
    """Mean cost of a costly record, the unit of the temperature."""
    effort: float
    """Proposals per costly record over all rounds."""
    seed: int
    deadline: float | None
    fixed: bool
    """Whether groups may be neither dissolved nor formed."""
    warmth: float
    """Factor for the temperature and for the share of groups dissolved or formed."""

    @property
    def timed_out(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def temperature(self, done: float) -> float:
        """Return the temperature when the share `done` of the round is done."""
        if self.turn == TEMPERATURE_ROUNDS - 1:
            return 0.0
        hot = HOT * self.warmth
        return hot * self.mean * float((COLD / hot) ** ((self.turn + done) / (TEMPERATURE_ROUNDS - 1)))
