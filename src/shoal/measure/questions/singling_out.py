"""Singling out: a description made from one released row that fits exactly one person of the table.

The attacker draws a released row and says that somebody's values are in its cells, in some columns or in all. He may
also take plain numbers for limits, `at least 63` above the median and `at most 17` below. He is right if exactly one
person of the table fits. A naive description has every cell from another row. So the rate is the share of the
released rows that single somebody out. The ways to choose columns are tried on rows of their own first, and the best
of them is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.questions.columns import Column
from shoal.measure.questions.intervals import rate_of
from shoal.measure.questions.isolation import isolated_by_chance
from shoal.measure.questions.people import Attacked
from shoal.measure.questions.result import Known, Question
from shoal.measure.questions.trial import best_way, question

SIZES = (1, 3, 5)  # numbers of columns in a description; all columns together are tried as well
SETS = 12  # sets of columns of one size that descriptions are made of


@dataclass(frozen=True, slots=True)
class Way:
    """How descriptions are made: of how many columns, and whether plain numbers are limits."""

    size: int
    beyond: bool

    def __str__(self) -> str:
        limits = ", numbers as limits" if self.beyond else ""
        return f"{self.size} column{'s' if self.size > 1 else ''} of a row{limits}"


def singling_out(
    attacked: Attacked, columns: Sequence[Column], known: Known, *, attempts: int, seed: int
) -> Question:
    """Return how often descriptions made from the release single out one person of the table, and by chance."""
    sizes = sorted({*(size for size in SIZES if size < len(columns)), len(columns)})
    limits = (False, True) if any(column.plain for column in columns) else (False,)
    ways = [Way(size, beyond) for size in sizes for beyond in limits]

    def tried(way: Way, attempts: int, seed: int) -> tuple[Floats, Floats | None]:
        return _tried(attacked, columns, way, attempts, np.random.default_rng(seed))

    way = best_way(ways, tried, attempts=attempts, seed=seed)
    success, control = tried(way, attempts, seed)
    naive, _ = _tried(attacked, columns, way, attempts, np.random.default_rng(seed + 1), naive=True)
    return question(
        "singling out",
        known,
        str(way),
        rate_of(success),
        float(naive.mean()) if len(naive) else 0.0,
        None if control is None else rate_of(control),
    )


def _tried(
    attacked: Attacked,
    columns: Sequence[Column],
    way: Way,
    attempts: int,
    chance: np.random.Generator,
    *,
    naive: bool = False,
) -> tuple[Floats, Floats | None]:
    """Return for every description whether it singles out a person of the table, and the chance by the control."""
    n_rows = len(columns[0].of_row)
    sets = _sets(columns, way.size, chance)
    rows = chance.permutation(n_rows)[:attempts]
    here, elsewhere = (np.zeros(len(rows), dtype=np.int64) for _ in range(2))
    seen = _Seen(attacked)
    for attempt, row in enumerate(rows.tolist()):
        some = sets[int(chance.integers(len(sets)))]
        cells = [int(column.of_row[chance.integers(n_rows) if naive else row]) for column in some]
        here[attempt], elsewhere[attempt] = seen.fitting(some, cells, beyond=way.beyond)
    success = (here == 1).astype(np.float64)
    if attacked.n == len(attacked.who):
        return success, None
    n_people, n_others = (len(np.unique(part)) for part in (attacked.who[: attacked.n], attacked.who[attacked.n :]))
    return success, isolated_by_chance(elsewhere, n_others, n_people)


def _sets(columns: Sequence[Column], size: int, chance: np.random.Generator) -> list[list[Column]]:
    """Return sets of columns, the most telling column of each first: it leaves the fewest people to compare."""
    every = list(columns)
    drawn = [every] if size >= len(every) else [
        [every[place] for place in chance.choice(len(every), size, replace=False)] for _ in range(SETS)
    ]  # fmt: skip
    return [sorted(some, key=lambda column: -int(column.of_row.max(initial=0))) for some in drawn]


class _Seen:
    """Counts the people who fit a description; whom the first cell covers is kept, for many descriptions share it."""

    def __init__(self, attacked: Attacked) -> None:
        self.attacked = attacked
        self.rows_are_people = len(np.unique(attacked.who)) == len(attacked.who)
        self.kept: dict[tuple[str, int, bool], Ints] = {}

    def fitting(self, columns: Sequence[Column], cells: Sequence[int], *, beyond: bool) -> tuple[int, int]:
        """Return how many people of the table, and of the control, a description fits."""
        first = (columns[0].name, cells[0], beyond)
        people = self.kept.get(first)
        if people is None:
            everybody = np.arange(len(self.attacked.who))
            people = np.flatnonzero(columns[0].covers(cells[0], everybody, beyond=beyond))
            self.kept[first] = people
        for column, cell in zip(columns[1:], cells[1:], strict=True):
            if len(people) == 0:
                break
            people = people[column.covers(cell, people, beyond=beyond)]
        n, who = self.attacked.n, self.attacked.who
        if self.rows_are_people:  # people are in ascending order
            here = int(np.searchsorted(people, n))
            return here, len(people) - here
        return len(np.unique(who[people[people < n]])), len(np.unique(who[people[people >= n]]))
