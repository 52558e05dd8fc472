"""How many rows of every person are published: alike for at least k people, so that a number of rows names nobody.

People with equally many rows in every table are one *kind*. A kind of fewer than k people is joined with another, and
all its people keep as many rows as the one with the fewest, or its people are left out, whatever drops fewer rows.

Guarantee   Every number of rows per table (a vector) that is published is that of at least k people. The number of
            dropped rows is heuristic: kinds are joined one after the other, each with the cheapest partner.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def published_counts(counts: Ints, k: int) -> Ints:
    """Return the number of rows that every person keeps in every table, (people, tables); all 0 for who is left out.

    `counts` has the rows that everybody has, at least one in some table.
    """
    kinds, kind_of, people = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
    kinds, people = kinds.astype(np.int64), people.astype(np.int64)
    fate = np.arange(len(kinds))  # the kind that every kind has become
    alive = np.ones(len(kinds), dtype=bool)
    while (rare := np.flatnonzero(alive & (people < k))).size:
        one = rare[np.argmax(kinds[rare].sum(axis=1))]  # those with most rows first: they have the fewest equals
        others = np.flatnonzero(alive & (np.arange(len(kinds)) != one))
        low = np.minimum(kinds[others], kinds[one]).sum(axis=1)
        kept = people[others] * kinds[others].sum(axis=1) + people[one] * kinds[one].sum()
        dropped = kept - (people[others] + people[one]) * low
        alone = people[one] * kinds[one].sum()
        if not len(others) or alone <= dropped.min():
            alive[one] = False
            kinds[one] = 0
            continue
        other = others[np.argmin(dropped)]
        kinds[other] = np.minimum(kinds[other], kinds[one])
        people[other] += people[one]
        alive[one] = False
        fate[fate == one] = other
        same = others[(kinds[others] == kinds[other]).all(axis=1) & (others != other)]
        for equal in same:  # joining may make two kinds equal
            people[other] += people[equal]
            alive[equal] = False
            fate[fate == equal] = other
    found: Ints = kinds[fate[kind_of.reshape(-1)]]
    return found
