"""The choice of the strongest way to attack, by a trial run with a seed of its own.

The luck that made a way the best of the trial is not in the result, so the interval of the result is honest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from shoal.measure.equivalence_classes import Floats
from shoal.measure.questions.intervals import rate_of, risk_of
from shoal.measure.questions.result import Known, Name, Question, Rate

TRIAL = 4  # a trial run has one attempt in so many
AFTER = 1_000  # seeds of the trial runs begin so far behind that of the result

Way = TypeVar("Way")
Tried = Callable[[Way, int, int], tuple[Floats, Floats | None]]
"""A function of a way, a number of attempts and a seed that returns the scores on the table and on the control."""


def best_way(ways: Sequence[Way], tried: Tried[Way], *, attempts: int, seed: int) -> Way:
    """Return the way with the highest risk in a trial run; without a control, with the highest rate."""
    if len(ways) == 1:
        return ways[0]
    found = []
    for place, way in enumerate(ways):
        success, control = tried(way, max(1, attempts // TRIAL), seed + AFTER + place)
        here, there = rate_of(success), None if control is None else rate_of(control)
        risk, _, _ = risk_of(here, there)
        found.append((risk if risk is not None else 0.0 if there is not None else here.rate, here.rate, -place))
    return ways[-max(found)[2]]


def question(
    name: Name,
    known: Known,
    how: str,
    success: Rate,
    naive: float,
    control: Rate | None,
    column: str | None = None,
) -> Question:
    """Return the answer with the risk that follows from the rates."""
    risk, low, high = risk_of(success, control)
    return Question(
        name=name,
        known=known,
        column=column,
        how=how,
        success=success,
        naive=naive,
        control=control,
        risk=risk,
        risk_low=low,
        risk_high=high,
    )
