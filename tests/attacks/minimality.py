"""Minimality (R. Wong, A. Fu, K. Wang, J. Pei, VLDB 2007): why were these groups changed?

The attacker knows everybody's quasi-identifiers and the program, so he knows the groups that k alone would make, and
sees that some of them were merged or exchanged records. That was done because one of them missed l or t. So of all
ways in which the published values of the classes may belong to their people, only those remain under which some of
the groups that were changed together misses it, and a value may then be likelier for one person than for another of
the same class: more than its share in the class, which is all that l bounds.

`beliefs` works this out: groups and classes that share people are taken together, the values of every class are dealt
to its people at random many times, and only deals under which one of the groups fails are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.attacks.reading import Floats, Ints

Fails = Callable[[Ints], bool]
"""Whether a group with these counts of values misses what was asked."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Per person in a class that was changed: the likeliest value, how likely it is, and its share in the class."""

    person: Ints
    value: Ints
    belief: Floats
    share: Floats
    """The largest share of a value in the person's class: the belief of who does not ask why."""
    usual: Ints
    """That value."""


def beliefs(before: Ints, after: Ints, values: Ints, fails: Fails, *, deals: int = 4000, seed: int = 0) -> Beliefs:
    """`before`: the groups of k alone; `after`: the released ones; `values`: the truth, used by class only."""
    chance, n_values = np.random.default_rng(seed), int(values.max()) + 1
    found: list[tuple[int, int, float, float, int]] = []
    for people in changed(before, after):
        dealt = _deals(before[people], after[people], values[people], n_values, fails, deals, chance)
        if dealt is None:
            continue
        for place, person in enumerate(people):
            likely = np.bincount(dealt[:, place], minlength=n_values) / len(dealt)
            mates = after[people] == after[person]
            shares = np.bincount(values[people][mates], minlength=n_values) / mates.sum()
            found.append((person, int(likely.argmax()), likely.max(), shares.max(), int(shares.argmax())))
    columns = np.array(found, dtype=np.float64).reshape(-1, 5).T
    person, value, belief, share, usual = columns
    return Beliefs(person.astype(np.int64), value.astype(np.int64), belief, share, usual.astype(np.int64))


@dataclass(frozen=True)
class Sure:
    """Those of whom the attacker believes more than was promised, and how often that was right."""

    changed: int
    people: int
    right: int
    expected: float
    """How many the share in the class alone gets right of the same people."""

    def __add__(self, other: Sure) -> Sure:
        return Sure(
            self.changed + other.changed, self.people + other.people, self.right + other.right,
            self.expected + other.expected,
        )  # fmt: skip

    @property
    def above_chance(self) -> float:
        """In standard errors of what the share in the class would get."""
        rate = self.expected / self.people if self.people else 0.0
        error = np.sqrt(self.people * rate * (1 - rate))
        return float((self.right - self.expected) / error) if error else 0.0


def sure_of(found: Beliefs, values: Ints, promise: float) -> Sure:
    """`promise` is the largest belief that l promises: 1 / l by frequency, anything below 1 by different values."""
    sure = found.belief > promise
    right = values[found.person[sure]] == found.value[sure]
    return Sure(len(found.person), int(sure.sum()), int(right.sum()), float(found.share[sure].sum()))


def changed(before: Ints, after: Ints) -> Sequence[Ints]:
    """Sets of people whose groups of k alone were merged or exchanged with one another, and with nobody else's."""
    kept = np.flatnonzero(after >= 0)
    n_before, n_after = int(before.max()) + 1, int(after.max()) + 1
    links = coo_array(
        (np.ones(len(kept)), (before[kept], after[kept] + n_before)), shape=(n_before + n_after, n_before + n_after)
    )
    part = connected_components(links, directed=False)[1][before]
    sets = [np.flatnonzero((part == one) & (after >= 0)) for one in np.unique(part[kept])]
    return [people for people in sets if len(np.unique(before[people])) > 1]


def _deals(
    before: Ints, after: Ints, values: Ints, n_values: int, fails: Fails, deals: int, chance: np.random.Generator
) -> Ints | None:
    """Values dealt to the people of every class, as often as some group of k alone then fails; None where never."""
    groups = [np.flatnonzero(before == one) for one in np.unique(before)]
    classes = [np.flatnonzero(after == one) for one in np.unique(after)]
    kept = []
    for _ in range(deals):
        dealt = values.copy()
        for mates in classes:
            dealt[mates] = chance.permutation(values[mates])
        if any(fails(np.bincount(dealt[group], minlength=n_values)) for group in groups):
            kept.append(dealt)
    return np.array(kept) if len(kept) >= 30 else None
