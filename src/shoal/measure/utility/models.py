"""Models of chosen columns: trained on originals and on released rows, both tested on the same people.

The model is the ridge regression of `accuracy`. With a control, whose people are in neither table, all rows train and
the control tests. Without one, a third of the originals tests, and two thirds of the originals and of the released
rows train, each drawn by itself: it is not known which released row is whose, so people who test are among those who
train, on both sides alike, and both accuracies are a little too high.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.accuracy import HELD_OUT, explained, predicted_right, ridge
from shoal.measure.equivalence_classes import Ints
from shoal.measure.questions.columns import Column, NumberColumn
from shoal.measure.utility.features import design, levels, middles
from shoal.measure.utility.result import TargetModel


def target_model(
    columns: Sequence[Column], target: Column, n: int, originals: Ints, rows: Ints, control: Ints, *, seed: int
) -> TargetModel | None:
    """Return how well the target is predicted from all other columns; None if there is nothing to learn."""
    others = [column for column in columns if column is not target]
    if not others:
        return None
    chance = np.random.default_rng(seed)
    if len(control):
        train, test = originals, control
    else:
        test = originals[chance.random(len(originals)) < HELD_OUT]
        train, rows = (some[chance.random(len(some)) >= HELD_OUT] for some in (originals, rows))
    if not len(train) or not len(test) or not len(rows):
        return None
    ours, theirs = design(others, n, train, rows)
    tested, _ = design(others, n, test, rows)
    if isinstance(target, NumberColumn):
        said = middles(target)[target.of_row[rows]]
        known, seen, there = ~np.isnan(target.x[train]), ~np.isnan(target.x[test]), ~np.isnan(said)
        if not known.any() or not seen.any() or not there.any() or np.ptp(target.x[train][known]) == 0:
            return None
        outcome, truth = target.x[train][known][:, None], target.x[test][seen]
        judged = [
            explained(ridge(part, values, tested[seen]), truth, outcome)
            for part, values in ((ours[known], outcome), (theirs[there], said[there][:, None]))
        ]
        baseline = explained(np.full((len(truth), 1), outcome.mean()), truth, outcome)
    else:
        level = levels(target, n)
        outcome, truth = np.eye(level.width)[level.people[train]], level.people[test].astype(np.float64)
        if (outcome.sum(axis=0) > 0).sum() < 2:
            return None
        judged = [
            predicted_right(ridge(part, values, tested), truth, outcome)
            for part, values in ((ours, outcome), (theirs, level.cells[level.of_row[rows]]))
        ]
        baseline = predicted_right(np.broadcast_to(outcome.mean(axis=0), (len(test), level.width)), truth, outcome)
    return TargetModel(
        target=target.name,
        task="regression" if isinstance(target, NumberColumn) else "classification",
        baseline=baseline,
        original=judged[0],
        release=judged[1],
    )
