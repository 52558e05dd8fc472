"""Rows that leave their class, so that the rows of every class and the residue are l-diverse: few of them.

Problem     rows in classes, each row with a value. A set of rows is l-eligible if no value has more than 1/l of them.
            Take rows out of their classes, as few as can be, so that the rest of every class and the rows taken out
            (the residue) are l-eligible, and each is empty or has at least k rows.
Guarantee   at most `tuple_ratio(k, l)` times the fewest rows, which is l for k <= l: the lemma of RESIDUE-1,
            docs/proofs/residue.md. Exactly the fewest where no class has to be taken apart in units of l rows.
            `at_least` is a lower bound on the fewest.
Complexity  O(n log n) for sorting, then O(v) for each row taken out of a class of v values, and O(c) in all for each
            value that is most frequent in the residue, where c is the number of classes; O(n) memory.

References
----------
.. [1] X. Xiao, K. Yi and Y. Tao (2010). "The hardness and approximation algorithms for l-diversity." EDBT 2010,
   135-146: section 5.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Labels
from shoal.requirements.frequencies import fewest_dropped


class Residue(NamedTuple):
    """The rows that leave their class, the fewest that must (a lower bound), and how many of each class must."""

    rows: npt.NDArray[np.bool_]
    at_least: int
    forced: Labels


def tuple_ratio(k: int, l: int) -> Fraction:  # noqa: E741 (the field's own name)
    """Return how many times the fewest rows may be taken out at most, for groups of at least `k` rows."""
    return Fraction(l) if k <= l else max(Fraction(2), Fraction(1 + (k + l - 1) * (l - 1) ** 2, l))


def residue_rows(classes: Labels, values: Labels, l: int, k: int) -> Residue:  # noqa: E741 (the field's own name)
    """Return which rows leave their class, at most `tuple_ratio(k, l)` times the fewest that can.

    `classes` and `values` are codes 0, 1, ... of every row. The table as a whole must be l-eligible and have at least
    `k` rows. Which rows leave depends on the order of rows only among rows of one class and one value.
    """
    state = _State(classes, values, l, k)
    if not state.size:
        return Residue(state.left, 0, state.forced)
    at_least = max(state.size, l * state.height, k)
    state.take_singly(at_least)
    while state.size < l * state.height:
        state.take_units()
    while state.size < k:
        state.take_any()
    return Residue(state.left, at_least, state.forced)


class _Class:
    """The rows that stay in one class, by value: the last row of a list is the next one to leave."""

    def __init__(self, rows: dict[int, list[int]]) -> None:
        self.rows = rows
        self.size = sum(map(len, rows.values()))

    @property
    def height(self) -> int:
        """The number of rows of the most frequent value."""
        return max(map(len, self.rows.values()), default=0)

    def take(self, value: int) -> int:
        """Take out one row of a value."""
        held = self.rows[value]
        self.size -= 1
        row = held.pop()
        if not held:
            del self.rows[value]
        return row


class _State:
    """The classes and the residue; at first, the residue has the rows that are in every one."""

    def __init__(self, classes: Labels, values: Labels, l: int, k: int) -> None:  # noqa: E741
        self.l, self.k = l, k
        self.left = np.zeros(len(classes), dtype=np.bool_)
        self.held: Counter[int] = Counter()
        self.size = self.height = 0
        self.values = values
        self.classes: list[_Class] = []
        order = np.lexsort((values, classes))
        starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
        self.forced = np.zeros(len(starts), dtype=np.int64)
        for number, members in enumerate(np.split(order, starts[1:])):
            stay = self._staying(members) if len(members) >= max(k, l) else None
            self.forced[number] = len(members) - (stay.size if stay else 0)
            kept = {row for rows in stay.rows.values() for row in rows} if stay else set()
            self._add([row for row in members.tolist() if row not in kept])
            if stay:
                self.classes.append(stay)
        self.first: dict[int, int] = {}
        """For a value, the classes before this one are of no use to `take_units`, now and later."""

    def _staying(self, members: Labels) -> _Class | None:
        """Return the most rows of a class that may stay: all but those above the largest possible height."""
        held, counts = np.unique(self.values[members], return_counts=True)
        most, dropped = fewest_dropped(counts, self.l)
        if not most or len(members) - dropped < self.k:
            return None
        begins = np.cumsum(counts) - counts
        return _Class(
            {
                int(value): members[begin : begin + min(int(count), most)].tolist()[::-1]
                for value, begin, count in zip(held, begins, counts, strict=True)
            }
        )

    def _add(self, rows: list[int]) -> None:
        """Put rows into the residue."""
        self.left[rows] = True
        self.size += len(rows)
        for value in self.values[rows].tolist():
            self.held[value] += 1
            self.height = max(self.height, self.held[value])

    def take_singly(self, enough: int) -> None:
        """Take single rows out of classes that can spare them, until the residue has `enough` rows."""
        for one in self.classes:
            while self.size < enough and one.size > max(self.l * one.height, self.k):
                value = min(one.rows, key=lambda value: (self.held[value], value))
                if self.l * (self.held[value] + 1) > enough:
                    break
                self._add([one.take(value)])

    def take_units(self) -> None:
        """Take units out of classes so that the height of the residue rises by less than their size / l.

        For every value that is most frequent in the residue, one of the units has it in less than 1 / l of its rows.
        """
        top = {value for value, count in self.held.items() if count == self.height}
        open_values = set(top)
        while open_values and self.size < self.l * self.height:
            unit = self._unit(self._useful(min(open_values)), top, open_values)
            counts = Counter(self.values[unit].tolist())
            open_values = {value for value in open_values if self.l * counts[value] >= len(unit)}
            self._add(unit)

    def _useful(self, value: int) -> _Class:
        """Return the first class in which a value has less than 1 / l of the rows; there is one by the theorem."""
        place = self.first.get(value, 0)
        while self.l * len(self.classes[place].rows.get(value, ())) >= self.classes[place].size:
            place += 1
        self.first[value] = place
        return self.classes[place]

    def _unit(self, one: _Class, top: set[int], wanted: set[int]) -> list[int]:
        """Take out l rows of different values, all most frequent values among them; the whole class if k asks for it.

        Of the other values, those in `wanted` are taken last, and before them those in `top`.
        """
        if one.size - self.l < self.k or one.size > self.l * one.height:
            return self._all(one)
        height = one.height
        by_use = sorted(
            one.rows,
            key=lambda value: (len(one.rows[value]) < height, value in wanted, value in top, self.held[value], value),
        )
        return [one.take(value) for value in by_use[: self.l]]

    def take_any(self) -> None:
        """Take out the smallest set of rows that is eligible and leaves a class eligible, of at least k rows or none.

        Rows in the order of their values, dealt to as many sets as have l rows each, make sets of different values.
        """
        units = {number: self._dealt(one) for number, one in enumerate(self.classes) if one.size}
        smallest = min(units, key=lambda number: (len(units[number]) or self.classes[number].size, number))
        one, unit = self.classes[smallest], units[smallest]
        self._add([one.take(value) for value in unit] if unit else self._all(one))

    def _dealt(self, one: _Class) -> list[int]:
        """Return the values of one of the sets to which a class is dealt; none if fewer than k rows would stay."""
        listed = [value for value, rows in sorted(one.rows.items()) for _ in rows]
        unit = listed[:: one.size // self.l]
        return unit if one.size - len(unit) >= self.k else []

    @staticmethod
    def _all(one: _Class) -> list[int]:
        """Take out all rows of a class."""
        return [one.take(value) for value in [value for value, rows in one.rows.items() for _ in rows]]
