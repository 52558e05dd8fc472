"""Someone who holds several releases and knows who is in them: what is left of k and of a sensitive value?

In every release a person's record is in the classes that fit the person. Two things are held against each other:

people   of the roster, those whom no release tells apart from the target: present in the same releases, and in each
         of them there is a class that fits both (a release without limits, such as one of means, tells nobody apart
         for sure: the nearest class is a guess);
rows     of every release, the rows of the fitting classes whose sensitive values also occur in the fitting classes of
         all others (a person's sensitive values are the same in all of them); the fewest that any release leaves.

With one release this is what k promises: `people` and `rows` are at least k. With several nothing is promised unless
the releases were made for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tests.attacks.reading import Bools, Ints, Seen

BLOCK = 500


@dataclass(frozen=True, eq=False)
class Intersection:
    """One entry per person; of who is in none of the releases, `attacked` is False and the sizes are 0."""

    attacked: Bools
    people: Ints
    rows: Ints
    values: dict[str, list[frozenset[str | None]]]
    """By sensitive column: the values that are left for each person."""

    @property
    def candidates(self) -> Ints:
        """Among how many the target is left."""
        return np.minimum(self.people, self.rows)

    def below(self, k: int) -> float:
        """The share of the attacked who are left among fewer than k."""
        return float((self.candidates[self.attacked] < k).mean()) if self.attacked.any() else 0.0

    def fewest_values(self, name: str) -> int:
        """The smallest number of values of a sensitive column that anybody is left with."""
        return min((len(left) for left, one in zip(self.values[name], self.attacked, strict=True) if one), default=0)

    def certain(self, name: str) -> int:
        """How many people's sensitive value is known."""
        return sum(len(left) == 1 for left, one in zip(self.values[name], self.attacked, strict=True) if one)


def intersect(
    releases: Sequence[Seen], persons: pl.DataFrame, present: Sequence[Bools] | None = None
) -> Intersection:
    """Hold all `releases` against each other, for every row of `persons` (raw quasi-identifiers, one row per person).

    `present` says, release by release, which persons are known to be in it (None: all of them in all). Who fits no
    class of a release that publishes limits was left out of it, and is taken as not present there.
    """
    n = len(persons)
    here = [np.ones(n, dtype=bool) for _ in releases] if present is None else [np.array(one) for one in present]
    classes = [seen.classes() for seen in releases]
    fits, limited = [], []
    for place, (seen, found) in enumerate(zip(releases, classes, strict=True)):
        limits = not seen.centers and seen.policy.publication not in ("aggregate", "centers")
        fits.append((found.fitting if limits else found.candidates)(persons))
        here[place] &= fits[-1].any(axis=1)
        fits[-1] &= here[place][:, None]
        limited.append(limits)
    attacked = np.any(here, axis=0) if here else np.zeros(n, dtype=bool)
    people = _told_apart_by_none(fits, here, limited) * attacked
    rows = np.zeros(n, dtype=np.int64)
    values: dict[str, list[frozenset[str | None]]] = {}
    together = list(classes[0].held if classes else {})
    rows_by = []
    for names in together:
        known = [(found.held[names], fit, h) for found, fit, h in zip(classes, fits, here, strict=True)]
        left = [_common([_held(held, fit[one]) for held, fit, h in known if h[one]]) for one in range(n)]
        rows_by.append([count for count, _ in left])
        for place, name in enumerate(names):
            values[name] = [frozenset(value[place] for value in kept) for _, kept in left]
    if rows_by:
        rows = np.min(np.array(rows_by), axis=0)
    else:
        for found, fit, h in zip(classes, fits, here, strict=True):
            inside = np.where(h, fit @ found.people, np.iinfo(np.int64).max)
            rows = inside if found is classes[0] else np.minimum(rows, inside)
        rows = np.where(attacked, rows, 0)
    return Intersection(attacked, people, rows, values)


def _told_apart_by_none(fits: Sequence[Bools], here: Sequence[Bools], limited: Sequence[bool]) -> Ints:
    """Of every person: how many of the roster, the person included, might be the same in all releases."""
    n = len(here[0]) if here else 0
    found = np.zeros(n, dtype=np.int64)
    for start in range(0, n, BLOCK):
        some = slice(start, start + BLOCK)
        alike = np.ones((len(here[0][some]), n), dtype=bool)
        for fit, h, limits in zip(fits, here, limited, strict=True):
            shared = fit[some].astype(np.float32) @ fit.T.astype(np.float32) > 0 if limits else h[None, :]
            # Present in the same releases: the target is in exactly those, and that is known of everybody.
            alike &= np.where(h[some, None], shared, ~h[None, :])
        found[some] = alike.sum(axis=1)
    return found


def _held(counts: Sequence[Counter[Any]], fit: Bools) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for group in np.flatnonzero(fit):
        total.update(counts[group])
    return total


def _common(held: Sequence[Counter[Any]]) -> tuple[int, set[Any]]:
    """The rows that the release with the fewest leaves, and the values that occur in all."""
    if not held:
        return 0, set()
    kept = set.intersection(*(set(counts) for counts in held))
    return min(sum(n for value, n in counts.items() if value in kept) for counts in held), kept
