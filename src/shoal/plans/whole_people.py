"""Assigning people instead of rows to the classes of a plan, and counting who shares the cells of a key set.

Guarantee   A person fits a class only if all rows of the person do, so all of them are published alike (PRIVACY-8).
            Classes whose combination of cells in a key set is shared by fewer people than its k are found, so that
            they can be closed (PRIVACY-10).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from shoal.partition.result import Labels
from shoal.plans.column_cells import Column
from shoal.policy.key_set import KeySet


def of_people(column: Column, people: Labels) -> Column:
    """Return a column whose records are people: a cell contains a person if it contains the values of all their rows.

    `people` has the number of the person of each row, 0, 1, ... without gaps.
    """
    pairs = np.unique(np.stack([people, column.codes]), axis=1)
    start = np.flatnonzero(np.diff(pairs[0], prepend=-1))
    number: dict[bytes, int] = {}
    codes = np.empty(len(start), dtype=np.int64)
    sets: list[Labels] = []
    for person, values in enumerate(np.split(pairs[1], start[1:])):
        place = number.setdefault(values.tobytes(), len(sets))
        if place == len(sets):
            sets.append(values)
        codes[person] = place
    fits = np.stack([column.fits[:, values].all(axis=1) for values in sets], axis=1)
    return replace(column, codes=codes, fits=fits)


def short_of_keys(keys: Mapping[str, KeySet], names: Sequence[str], table: Labels) -> Callable[[Labels], Labels]:
    """Return a function that returns, given the class of every person, the classes that miss the k of a key set.

    `names` are the columns of `table`, which has the cells of every class.
    """
    asked = []
    for one in keys.values():
        places = [names.index(name) for name in one.columns]
        combination = np.unique(table[:, places], axis=0, return_inverse=True)[1].reshape(-1)
        asked.append((combination, one.k))

    def short(classes: Labels) -> Labels:
        used = classes[classes >= 0]
        missed = np.zeros(len(table), dtype=bool)
        for combination, k in asked:
            people = np.bincount(combination[used], minlength=int(combination.max(initial=0)) + 1)
            missed[used] |= people[combination[used]] < k
        return np.flatnonzero(missed)

    return short
