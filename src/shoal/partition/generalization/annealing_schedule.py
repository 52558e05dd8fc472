"""How much an annealing does in each of its rounds, and how hot it is."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from shoal.effort import GENERALIZATION

MANY = 250_000
"""Records beyond which the usual effort also falls with the share that costs something: there is less to gain."""
PATIENT, TRIAL = 2000.0, 0.5
"""The most of them where only a time limit is given, and how many tell how long they take."""
ROUNDS = 24
HOT, COLD = 1.0, 0.05
"""Temperatures at the start and the end, in units of the mean cost of a record that costs something. A hotter start
helps hierarchies a little, where a step up is dear, and harms sets."""
MILD = 0.4
"""Of the heat, and of groups dissolved and founded, where there are rules or groups to keep."""
LEAST_HEAT = 0.15
"""Of the heat where the start has the cheapest cells and is good: all of it pays only with the usual effort."""

CUT_HEAT = 0.3
"""Of the heat at most where the start was cut from above: more of it undoes what single records do not find again."""


def usual_effort(most: float, n_costly: int, n_rows: int) -> float:
    """Proposals per costly record where none are asked for."""
    return most * min(1.0, GENERALIZATION.large / n_costly) * min(1.0, max(n_costly, MANY) / n_rows)


def heat_of(effort: float, n_costly: int) -> float:
    """Part of the heat for a good start: more of it takes more proposals to cool down from."""
    enough = math.sqrt(effort * n_costly / (GENERALIZATION.usual * min(n_costly, GENERALIZATION.large)))
    return min(1.0, max(LEAST_HEAT, enough))


class Pace:
    """How much of its work a round may do so that all rounds end in time, and the temperature falls to its end.

    Where there is time enough, or no limit, the share is 1 and the clock decides nothing.
    """

    def __init__(self, deadline: float | None) -> None:
        self.deadline, self.begun = deadline, time.monotonic()
        self.work = 0.0
        self.hurried = False

    def share(self, turn: int) -> float:
        """Of the work of round `turn` that fits, if the rounds to come fare like those before."""
        if self.deadline is None:
            return 1.0
        now = time.monotonic()
        needed = (now - self.begun) / self.work * (ROUNDS - turn) if self.work else 0.0
        left = max(0.0, self.deadline - now)
        if needed <= left and left > 0.0:
            return 1.0
        self.hurried = True
        # The descent of the last round gets what the others got on average, or they were in vain.
        least = self.work / turn if turn == ROUNDS - 1 else 0.0
        return max(least, left / needed if needed else 0.0)

    def done(self, work: float) -> None:
        self.work += work


@dataclass(frozen=True, slots=True)
class Round:
    """What one round may spend, and how hot it is: the temperature falls evenly, and the last round descends."""

    turn: int
    mean: float
    effort: float
    seed: int
    deadline: float | None
    fixed: bool
    part: float

    @property
    def is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def heat(self, done: float) -> float:
        """The temperature when so much of the round is done."""
        if self.turn == ROUNDS - 1:
            return 0.0
        hot = HOT * self.part
        return hot * self.mean * float((COLD / hot) ** ((self.turn + done) / (ROUNDS - 1)))
