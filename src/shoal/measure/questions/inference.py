"""Inference: a guess of a person's value in one column from the released rows that are nearest in the others.

The attacker knows the other columns of a person, takes the nearest released rows, and guesses the value that most of
them say (a cell of s labels counts for each with 1 / s, a range for its middle). A label must be right, a number
within 5 %, a date within 30 days. People whose value is missing are not attacked. The naive attacker guesses what the
whole release says most often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.questions.columns import Column, LabelColumn, Units, likeliest
from shoal.measure.questions.intervals import rate_of
from shoal.measure.questions.people import Attacked, Profiles, profiles
from shoal.measure.questions.result import Known, Question
from shoal.measure.questions.trial import question

MOST_SECRETS = 24  # the most columns that are inferred, sensitive ones first


def inferences(
    attacked: Attacked,
    columns: Sequence[Column],
    secrets: Sequence[Column],
    known: Known,
    *,
    attempts: int,
    seed: int,
) -> list[Question]:
    """Return for every secret how often it is guessed from `columns`; it is itself none of what is known."""
    secrets = [one for one in secrets if [other for other in columns if other is not one]][:MOST_SECRETS]
    if not secrets:
        return []
    rows = profiles(columns)
    chance = np.random.default_rng(seed)
    here = attacked.people(control=False, most=attempts, chance=chance)
    there = attacked.people(control=True, most=attempts, chance=chance)
    guesses, about_control = (_guesses(rows, secrets, people) for people in (here, there))
    found = []
    for place, secret in enumerate(secrets):
        usual = secret.guess(*_counted(secret.of_row))
        success = _scores(secret, guesses[place], here)
        control = _scores(secret, about_control[place], there) if len(there) else None
        naive = _scores(secret, np.full(len(here), usual), here)
        found.append(
            question(
                "inference",
                known,
                "the nearest rows",
                rate_of(success),
                float(naive.mean()) if len(naive) else 0.0,
                None if control is None else rate_of(control),
                secret.name,
            )
        )
    return found


def _scores(secret: Column, guesses: Floats, people: Ints) -> Floats:
    """Return 1 for every person whose value is guessed, 0 for the others; people without a value are left out."""
    there = secret.known(people)
    return secret.right(guesses[there], people[there]).astype(np.float64)


def _guesses(rows: Profiles, secrets: Sequence[Column], people: Ints) -> Floats:
    """Return the guess about every person (columns) for every secret (rows)."""
    found = np.full((len(secrets), len(people)), np.nan)
    readers = [_reader(rows, secret) for secret in secrets]
    places = [next((i for i, one in enumerate(rows.columns) if one is secret), None) for secret in secrets]
    begin = 0
    for some, apart in rows.blocks(people):
        total = apart[0].copy()
        for part in apart[1:]:
            total += part
        for one, (read, place) in enumerate(zip(readers, places, strict=True)):
            found[one, begin : begin + len(some)] = read(_near(total if place is None else total - apart[place]))
        begin += len(some)
    return found


def _reader(rows: Profiles, secret: Column) -> Callable[[Bools], Floats]:
    """Return a function that guesses the secret of people from the profiles that are nearest to each."""
    from scipy import sparse

    n_profiles, n_rows = len(rows.times), len(rows.of_row)
    if isinstance(secret, LabelColumn):
        of_profile = sparse.csr_array((np.ones(n_rows), (rows.of_row, secret.of_row)),
                                      shape=(n_profiles, len(secret.hidden)))  # fmt: skip
        votes = of_profile @ secret.weights()

        def vote(near: Bools) -> Floats:
            who, profile = np.divmod(np.flatnonzero(near), n_profiles)
            chosen = sparse.csr_array((np.ones(len(who)), (who, profile)), shape=near.shape)
            return likeliest((chosen @ votes).toarray())

        return vote
    order = np.argsort(rows.of_row, kind="stable")
    start = np.concatenate([[0], np.cumsum(rows.times)]).astype(np.int64)
    cells = secret.of_row[order]

    def read(near: Bools) -> Floats:
        guesses = np.full(len(near), np.nan)
        for person, fits in enumerate(near):
            chosen = [cells[start[p] : start[p + 1]] for p in np.flatnonzero(fits).tolist()]
            guesses[person] = secret.guess(*_counted(np.concatenate(chosen)))
        return guesses

    return read


def _near(total: Units) -> Bools:
    return np.asarray(total == total.min(axis=1, keepdims=True, initial=np.iinfo(np.int32).max))


def _counted(cells: Ints) -> tuple[Ints, Floats]:
    """Return the different cells and how often each occurs."""
    if len(cells) == 1:
        return cells, np.ones(1)
    kinds, times = np.unique(cells, return_counts=True)
    return kinds, times.astype(np.float64)
