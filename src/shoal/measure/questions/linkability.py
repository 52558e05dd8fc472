"""Linkability: two parts of a person's values that lead to the same released row.

The attacker knows some columns of a person from one list and the others from another, looks up the nearest released
row for each part, and concludes that both lists speak of the same person if it is the same row. Among rows that are
equally near he takes one at random, for both parts separately, so an attempt scores the chance that he takes the same
one. In a release with k people in every class, attackers who know quasi-identifiers never score more than 1 / k. The
naive attacker compares one person's first part with another person's second part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.questions.columns import Column, Units
from shoal.measure.questions.intervals import rate_of
from shoal.measure.questions.people import Attacked, Profiles, profiles
from shoal.measure.questions.result import Known, Question
from shoal.measure.questions.trial import best_way, question

SPLITS = 4  # ways to split the columns in two parts that are tried


def linkability(
    attacked: Attacked, columns: Sequence[Column], known: Known, *, attempts: int, seed: int
) -> Question | None:
    """Return how often two parts of a person's values lead to the same row; None with fewer than two columns."""
    if len(columns) < 2:
        return None
    rows = profiles(columns)

    def tried(first: Bools, attempts: int, seed: int) -> tuple[Floats, Floats | None]:
        chance = np.random.default_rng(seed)
        here = attacked.people(control=False, most=attempts, chance=chance)
        there = attacked.people(control=True, most=attempts, chance=chance)
        return _scores(rows, first, here)[0], _scores(rows, first, there)[0] if len(there) else None

    first = best_way(_splits(len(columns), seed), tried, attempts=attempts, seed=seed)
    success, control = tried(first, attempts, seed)
    here = attacked.people(control=False, most=attempts, chance=np.random.default_rng(seed))
    naive = _scores(rows, first, here)[1]
    names = [
        [column.name for column, side in zip(columns, first, strict=True) if side == part] for part in (True, False)
    ]
    return question(
        "linkability",
        known,
        f"{', '.join(names[0])} with {', '.join(names[1])}",
        rate_of(success),
        float(naive.mean()) if len(naive) else 0.0,
        None if control is None else rate_of(control),
    )


def _splits(n: int, seed: int) -> list[Bools]:
    """Return ways to split the columns in halves, the first one by turns."""
    chance = np.random.default_rng(seed)
    found = [np.arange(n) % 2 == 0]
    for _ in range(SPLITS - 1):
        side = chance.permutation(n) < (n + 1) // 2
        if not any(np.array_equal(side, one) or np.array_equal(~side, one) for one in found):
            found.append(side)
    return found


def _scores(rows: Profiles, first: Bools, people: Ints) -> tuple[Floats, Floats]:
    """Return the score of every person, and that of the naive attacker."""
    scores, naive = [], []
    for _, apart in rows.blocks(people):
        one, two = (
            _nearest([part for part, side in zip(apart, first, strict=True) if side == wanted])
            for wanted in (True, False)
        )
        scores.append(_same(one, two, rows.times))
        naive.append(_same(one, np.roll(two, 1, axis=0), rows.times))
    return (np.concatenate(scores), np.concatenate(naive)) if scores else (np.zeros(0), np.zeros(0))


def _nearest(apart: Sequence[Units]) -> Bools:
    """Return which released rows are nearest to every person in the sum of these columns."""
    total = apart[0].copy()
    for part in apart[1:]:
        total += part
    return np.asarray(total == total.min(axis=1, keepdims=True, initial=np.iinfo(np.int32).max))


def _same(one: Bools, two: Bools, times: Floats) -> Floats:
    """Return the chance that a row of the first and a row of the second set are the same row."""
    both, first, second = (
        (part @ times) for part in ((one & two).astype(np.float64), one.astype(float), two.astype(float))
    )
    found: Floats = both / np.maximum(first * second, 1.0)
    return found
