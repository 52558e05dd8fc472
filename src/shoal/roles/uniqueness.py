"""Finding combinations of columns that single people out, with the number of rows they single out.

Problem     Rows that agree on a set of columns form an equivalence class. For sets of 1, 2 and 3 columns, and for a
            chain of larger ones, count the rows that are alone in their class, and those in classes below k.
Guarantee   Every number is an exact count over all rows. Missing counts as a value. With a person column, the size of
            a class is the number of different people in it. `limits` says which combinations were not counted.
Complexity  One pass (small domains, large tables) or one sort of n integers per combination; at most `ROW_VISITS`
            rows are visited, over at most `MOST_COLUMNS` columns. Counts do not depend on the order of rows.
Notes       More columns never make classes larger, so a superset of a set that already singles out everybody is not
            counted, and a set is *minimal* when each set with one column less singles out fewer rows. A set has at
            most as many classes, and so as many rows alone, as there are combinations of its values: a set with fewer
            of these than the last set to be listed singles out is not counted either. Rows that share their class
            within a part of the table share it in the whole table: in a large table a part of the rows often shows
            that a set singles out too few to be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import progress
from shoal._repr import brief
from shoal.roles.distinct_values import Codes, encode

if TYPE_CHECKING:
    from shoal.roles.refinement import Refinement

MOST_COLUMNS = 24  # columns whose combinations are counted: those with the most different values
ROW_VISITS = 180_000_000  # limit on rows times combinations, which bounds the time of the search
MOST_SETS = 5_000  # limit on the number of combinations, for tables of few rows
WORTH_REFINING = 30_000_000  # from so many rows times combinations on, the compiled counts of `refinement` are faster
SHOWN = 10  # combinations listed per number of columns
MOST_ROWS = 2**31 - 1  # rows of a table that `refinement` counts: it numbers them by 32-bit integers
AT_ONCE = 32  # combinations that are counted before it is decided again which others cannot be listed
PART = 1 << 16  # rows of a large table that are looked at first: are too many of them in the same class?
LARGE = 4 * PART  # from so many rows on, a look at a part saves more than it takes
_LARGEST = 2**62  # joined codes stay below this, so that they fit into 64-bit integers


@dataclass(frozen=True, slots=True)
class Combination:
    """The equivalence classes of a set of columns, counted."""

    columns: tuple[str, ...]
    classes: int
    unique_rows: int
    """The number of rows whose class holds one person."""
    rows_below_k: int
    smallest: int
    """The number of people in the smallest class; 0 for a table without rows."""

    def __repr__(self) -> str:
        return brief(self, f"{', '.join(self.columns)}: {self.unique_rows} rows singled out")


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """Minimal combinations of 1 to 3 columns that single out the most rows, and a chain of larger combinations."""

    combinations: tuple[Combination, ...]
    growing: tuple[Combination, ...]
    """The best set of 3, extended step by step by the column that singles out the most further rows."""
    limits: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self, f"{len(self.combinations)} combinations of columns")


def join(columns: Iterable[Codes], n_rows: int, *, room: int = 1) -> Codes:
    """Return one code per row for several columns, small enough that it can be multiplied by `room`."""
    codes, n_codes = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        if n_codes * column.n_codes > _LARGEST:
            codes, n_codes = _squeeze(codes)
            if n_codes == n_rows:  # all rows differ already
                break
        codes = codes * column.n_codes + column.codes
        n_codes *= max(column.n_codes, 1)
    if n_codes * room > _LARGEST:
        codes, n_codes = _squeeze(codes)
    return Codes(codes, n_codes)


def _squeeze(codes: npt.NDArray[np.int64]) -> Codes:
    """Return the same classes with consecutive codes from 0."""
    dense = encode(pl.Series(codes))
    return Codes(dense.codes.astype(np.int64), dense.n_codes)


def count(names: tuple[str, ...], joined: Codes, *, k: int, person: Codes | None = None) -> Combination:
    """Return the number of classes of equal codes, the people in the smallest, and the rows in classes below k."""
    rows, people = class_sizes(joined, person)
    return Combination(
        columns=names,
        classes=len(rows),
        unique_rows=int(rows[people == 1].sum()),
        rows_below_k=int(rows[people < k].sum()),
        smallest=int(people.min()) if len(people) else 0,
    )


def class_sizes(joined: Codes, person: Codes | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the numbers of rows and of people of every class."""
    if person is None:
        rows = _run_lengths(joined)
        return rows, rows
    keys = pl.Series(joined.codes * person.n_codes + person.codes).sort().to_numpy()
    first_of_pair = np.flatnonzero(np.diff(keys, prepend=-1))
    class_of_pair = keys[first_of_pair] // person.n_codes
    first_of_class = np.flatnonzero(np.diff(class_of_pair, prepend=-1))
    people = np.diff(first_of_class, append=len(first_of_pair))
    rows = np.diff(first_of_pair[first_of_class], append=len(keys))
    return rows, people


def _run_lengths(joined: Codes) -> npt.NDArray[np.int64]:
    """Return how often each code occurs."""
    if joined.n_codes <= 4 * len(joined.codes):  # counting is faster than sorting while there are few codes
        counts = np.bincount(joined.codes)
        return counts[counts > 0]
    ordered = pl.Series(joined.codes).sort().to_numpy()
    return np.diff(np.flatnonzero(np.diff(ordered, prepend=-1)), append=len(ordered))


def search(columns: Mapping[str, Codes], n_rows: int, *, k: int, person: Codes | None = None) -> Uniqueness:
    """Return the counts of sets of `columns`; those with the most different values are counted first."""
    varied = [name for name, column in columns.items() if column.n_codes > 1]
    names = sorted(varied, key=lambda name: -columns[name].n_codes)[:MOST_COLUMNS]
    limits = []
    if len(varied) > MOST_COLUMNS:
        limits.append(
            f"combinations are counted over the {MOST_COLUMNS} columns with the most different values, "
            f"of {len(varied)} that vary."
        )
    position = {name: at for at, name in enumerate(columns)}
    counting = _Counting(columns, n_rows, k, person)
    for size in (1, 2, 3):
        # sets with many different values single out the most rows: if the limit is reached, weaker sets are missing
        sets = sorted(combinations(names, size), key=lambda s: -prod(columns[name].n_codes for name in s))
        done = counting.count_all([tuple(sorted(s, key=position.__getitem__)) for s in sets])
        if done < len(sets):
            limits.append(f"{done} of {len(sets)} combinations of {size} columns were counted, and no larger ones.")
            break
    minimal = [found for found in list(counting.found.values()) if found.unique_rows and counting.is_minimal(found)]
    minimal.sort(key=lambda c: (len(c.columns), -c.unique_rows, -c.rows_below_k, [position[n] for n in c.columns]))
    shown = [c for size in (1, 2, 3) for c in [c for c in minimal if len(c.columns) == size][:SHOWN]]
    return Uniqueness(tuple(shown), tuple(counting.grow(names)), tuple(limits))


class _Counting:
    """The sets counted so far, and how many more may be counted."""

    def __init__(self, columns: Mapping[str, Codes], n_rows: int, k: int, person: Codes | None) -> None:
        self.columns, self.n_rows, self.k, self.person = columns, n_rows, k, person
        self.room = person.n_codes if person else 1
        visits = n_rows if person is None else 2 * n_rows  # counting people needs a sort instead of counters
        self.left = min(MOST_SETS, ROW_VISITS // max(visits, 1))
        self.found: dict[frozenset[str], Combination] = {}
        self.at_most: dict[frozenset[str], int] = {}
        """Numbers of rows that sets which were not counted do not exceed."""
        self._refinement: Refinement | None = None
        self.too_small: set[frozenset[str]] = set()
        """Sets that were not counted because they single out too few rows to be listed."""

    def count(self, names: tuple[str, ...]) -> Combination:
        joined = join((self.columns[name] for name in names), self.n_rows, room=self.room)
        return count(names, joined, k=self.k, person=self.person)

    def count_all(self, sets: list[tuple[str, ...]]) -> int:
        """Count sets of one size until the limit is reached; return how many of them are done."""
        open_sets = [(at, names) for at, names in enumerate(sets) if not self._settled(names)]
        single = bool(sets) and len(sets[0]) == 1  # single columns are always counted
        counted: dict[tuple[str, ...], Combination] = {}
        with progress.step("combinations of columns", total=len(open_sets)) as advance:
            at_once = max(AT_ONCE, WORTH_REFINING // max(self.n_rows, 1) + 1)  # fewer would be counted more slowly
            for start in range(0, len(open_sets), at_once):
                allowed = len(open_sets) if single else max(self.left, 0)
                some = [names for _, names in open_sets[start : start + at_once]]
                if not single and self._at_most(some[0]) < self._least_listed(counted):
                    self.too_small.update(frozenset(names) for _, names in open_sets[start:])
                    break
                asked = some[:allowed]
                self.left -= len(asked)
                likely = asked if single else self._not_too_small(asked, self._least_listed(counted))
                for names, found in self._counted(likely):
                    counted[names] = found
                    advance(1)
                advance(len(asked) - len(likely))
                self.found |= {frozenset(names): counted[names] for names in likely}  # order decides ties
                if len(asked) < len(some):
                    return open_sets[start + len(asked)][0]
        return len(sets)

    def _at_most(self, names: Iterable[str]) -> int:
        """Return a number that the rows singled out by a set do not exceed."""
        part = frozenset(names)
        if part in self.found:
            return self.found[part].unique_rows
        return self.at_most.get(part) or prod(self.columns[name].n_codes for name in part)

    def _not_too_small(self, sets: list[tuple[str, ...]], least: int) -> list[tuple[str, ...]]:
        """Return the sets of a large table without those that single out fewer than `least` rows, as a part shows.

        Every row that shares its class within the part shares it in the whole table, so the part gives a limit that
        is always right, whichever rows it has.
        """
        if least == 0 or self.n_rows < LARGE:
            return sets
        likely = []
        for names in sets:
            limit = self.n_rows - self._sharing(names)
            if limit < least:
                self.too_small.add(frozenset(names))
                self.at_most[frozenset(names)] = limit
            else:
                likely.append(names)
        return likely

    def _sharing(self, names: tuple[str, ...]) -> int:
        """Return how many rows of the part are in a class of two people or more within it."""
        step = self.n_rows // PART
        part = [Codes(self.columns[name].codes[::step], self.columns[name].n_codes) for name in names]
        people = Codes(self.person.codes[::step], self.person.n_codes) if self.person else None
        n_rows = len(part[0].codes)
        return n_rows - count(names, join(part, n_rows, room=self.room), k=self.k, person=people).unique_rows

    def _least_listed(self, counted: Mapping[tuple[str, ...], Combination]) -> int:
        """Return how many rows every set that will be listed singles out at least; 0 while any may be listed."""
        best = sorted((found.unique_rows for found in counted.values() if self.is_minimal(found)), reverse=True)
        return best[SHOWN - 1] if len(best) >= SHOWN else 0

    def _counted(self, sets: list[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], Combination]]:
        """Yield the sets with their counts, in any order."""
        if self._refinement is None:
            if len(sets) * self.n_rows < WORTH_REFINING or self.n_rows > MOST_ROWS:
                yield from ((names, self.count(names)) for names in sets)
                return
            from shoal.roles.refinement import Refinement  # loads the compiler, for which small tables need not wait

            self._refinement = Refinement(self.columns, self.n_rows, self.k, self.person)
        for names, found in self._refinement.count_all({names: self._most_telling_part(names) for names in sets}):
            yield names, Combination(names, *found)

    def _most_telling_part(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the set without one of its columns: of these subsets, the one that singles out the most rows."""
        parts = list(combinations(names, len(names) - 1))
        if len(names) == 1:
            return parts[0]
        sizes = {part: prod(self.columns[name].n_codes for name in part) for part in parts}
        counted = [part for part in parts if frozenset(part) in self.found] or parts
        return max(counted, key=lambda part: (self._at_most(part), sizes[part]))

    def _settled(self, names: tuple[str, ...]) -> bool:
        """Return whether a subset is known to single out everybody, so that the set cannot be minimal."""
        # a subset is missing only if one of its own subsets singles out everybody: at the limit `search` ends
        parts = [frozenset(names) - {name} for name in names] if len(names) > 1 else []
        counted = [self.found.get(part) for part in parts if part not in self.too_small]
        return any(part is None or part.unique_rows == self.n_rows for part in counted)

    def is_minimal(self, found: Combination) -> bool:
        names = frozenset(found.columns)
        parts = [names - {name} for name in names] if len(names) > 1 else []
        return all(self._singles_out_fewer(part, found.unique_rows) for part in parts)

    def _singles_out_fewer(self, part: frozenset[str], n_rows: int) -> bool:
        if part in self.too_small and self._at_most(part) >= n_rows:
            self.found[part] = self.count(tuple(name for name in self.columns if name in part))
        return self._at_most(part) < n_rows

    def grow(self, names: list[str]) -> list[Combination]:
        """Return a chain of sets from the best set of 3; each adds the column that singles out the most rows.

        The chain ends when no column singles out any further row.
        """
        triples = [found for found in self.found.values() if len(found.columns) == 3]
        if not triples:
            return []
        best, chain = max(triples, key=lambda c: (c.unique_rows, c.rows_below_k)), list[Combination]()
        while best.unique_rows < self.n_rows:
            rest = [name for name in names if name not in best.columns]
            self.left -= len(rest)
            if not rest or self.left < 0:
                break
            larger = max((self.count((*best.columns, name)) for name in rest), key=lambda c: c.unique_rows)
            if larger.unique_rows <= best.unique_rows:
                break
            best = larger
            chain.append(best)
        return chain
