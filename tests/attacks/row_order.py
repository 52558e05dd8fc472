"""Somebody who is in the table reads the order of released rows: who comes after me in the list of names has what?

The attacker holds a roster (names and quasi-identifiers, no diagnosis), knows her own diagnosis, and finds her own
row in the released file. She guesses that the people next to her in the list stand next to her in the file. Plain
Python on the published texts; nothing is shared with the code under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
import polars as pl

from tests.api.oracle import parse_multiset

N_ILLNESSES = 300
"""So many that people mostly know which row is theirs: a guess is right once in about as many times as there are
equals."""


def roster(n: int = 600, *, ages: int = 20, seed: int = 0) -> pl.DataFrame:
    """People of whom about n / ages share every quasi-identifier; names in no order, columns that betray one."""
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"N{number:05}" for number in chance.permutation(n)],
            "note": [f"n{number}" for number in chance.permutation(n)],
            "ill": [f"ill {number}" for number in chance.integers(0, N_ILLNESSES, n)],
            "age": 10 * chance.integers(0, ages, n),
        }
    )


@dataclass(frozen=True)
class Tries:
    """Guesses: how many, how many were right, and how many would be right by chance."""

    attempts: float
    right: float
    expected: float
    variance: float

    @property
    def rate(self) -> float:
        return self.right / self.attempts

    @property
    def chance(self) -> float:
        return self.expected / self.attempts

    @property
    def standard_errors(self) -> float:
        """How far the guesses are above chance."""
        return (self.right - self.expected) / sqrt(self.variance)


def together(several: Iterable[Tries]) -> Tries:
    tried = list(several)
    return Tries(*(sum(getattr(one, part) for one in tried) for part in Tries.__dataclass_fields__))


Places = Callable[[int, int], Sequence[int]]
"""Of a row's place among the rows of its class, and of how many there are: the places of the rows to look at."""


def beside(place: int, n: int) -> Sequence[int]:
    return [other for other in (place - 1, place + 1) if 0 <= other < n]


def in_one_block_of(k: int) -> Places:
    """Where groups of k are written one after the other."""

    def mates(place: int, n: int) -> Sequence[int]:
        first = place // k * k
        return [other for other in range(first, min(first + k, n)) if other != place]

    return mates


def names_beside(table: pl.DataFrame, released: pl.DataFrame, order: str, places: Places) -> Tries:
    """Everybody guesses what the next one of those equal to her, sorted by the column `order`, has.

    By chance: what a random one of all who are equal to her has.
    """
    people = released.columns.count("people") > 0
    classes: dict[float, list[Counter[str | None]]] = {}
    for age, ill in released.select("age", "ill").rows():
        held = parse_multiset(ill) if people else Counter([ill])
        classes.setdefault(_number(age), []).append(held)
    found = []
    for (age,), equal in table.group_by("age"):
        listed = equal.sort(order)["ill"].to_list()
        rows, all_ill = classes.get(float(age), []), Counter(listed)
        for me, neighbor in pairwise(listed):
            belief = _belief(me, rows, places, people=people)
            if belief is None:
                continue
            others = all_ill - Counter([me])
            chance = sum(belief.get(ill, 0.0) * count for ill, count in others.items()) / others.total()
            squares = sum(belief.get(ill, 0.0) ** 2 * count for ill, count in others.items()) / others.total()
            found.append(Tries(1, belief.get(neighbor, 0.0), chance, squares - chance**2))
    return together(found)


def _belief(
    me: str, rows: Sequence[Counter[str | None]], places: Places, *, people: bool
) -> dict[str | None, float] | None:
    """How likely each illness is the neighbor's, by the rows that may be mine; None without any to look at."""
    seen: Counter[str | None] = Counter()
    for place, held in enumerate(rows):
        if me in held:
            if people:  # a row is a group: the others in it
                seen += held - Counter([me])
            else:
                for other in places(place, len(rows)):
                    seen += rows[other]
    return {ill: count / seen.total() for ill, count in seen.items()} if seen else None


def _number(cell: str | float | int) -> float:
    """The age of a class; a range is nobody's age."""
    try:
        return float(cell)
    except ValueError:
        return -1.0
