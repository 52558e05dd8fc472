"""Counting the equivalence classes of many sets of columns in a large table, by refining those of smaller sets.

Guarantee   The counts are those of `shoal.roles.uniqueness.count`, whatever the number of threads.
Complexity  O(remaining rows) for a set, where the remaining rows are those that share their class with another row
            before the last column is added: a row that is alone in its class stays alone with more columns.

References
----------
.. [1] Y. Huhtala, J. Kärkkäinen, P. Porkka and H. Toivonen (1999). "TANE: an efficient algorithm for discovering
   functional and approximate dependencies." The Computer Journal 42(2), 100-111 (stripped partitions).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.refinement import count_refined, refine
from shoal.roles.distinct_values import Codes


class Counted(NamedTuple):
    """The counts of the equivalence classes of a set of columns."""

    classes: int
    unique_rows: int
    rows_below_k: int
    smallest: int


class Refinement:
    """The columns of a table as codes, and the person of each row if people may have several rows."""

    def __init__(self, columns: Mapping[str, Codes], n_rows: int, k: int, person: Codes | None) -> None:
        self.columns, self.n_rows, self.k = columns, n_rows, k
        self._codes: dict[str, npt.NDArray[np.int32]] = {}
        self.people = np.empty(0, dtype=np.int32) if person is None else person.codes.astype(np.int32)
        order = np.arange(n_rows) if person is None else np.argsort(person.codes, kind="stable")
        self.order = order.astype(np.int32)  # the rows of a person are neighbors, and stay so in every class

    def count_all(self, sets: Mapping[tuple[str, ...], Sequence[str]]) -> Iterator[tuple[tuple[str, ...], Counted]]:
        """Yield every set of columns with its counts; `sets` gives, for each set, the set without one of its columns.

        Sets with the same smaller set are counted together, each such batch on one of two threads.
        """
        batches: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for names, known in sets.items():
            batches.setdefault(tuple(known), []).append(names)
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            for found in pool.map(self._count, batches.keys(), batches.values()):
                yield from found

    def _count(self, known: tuple[str, ...], sets: list[tuple[str, ...]]) -> list[tuple[tuple[str, ...], Counted]]:
        """Return the counts of sets that have one column more than `known`."""
        rows, start = self._classes(known)
        n_alone = self.n_rows - len(rows)
        found = []
        for names in sets:
            (added,) = set(names) - set(known)
            column = self.columns[added]
            codes = self._codes_of(added)
            classes, unique, below, smallest = count_refined(rows, start, codes, column.n_codes, self.people, self.k)
            smallest = min(smallest, 1) if n_alone else smallest
            found.append((names, Counted(classes + n_alone, unique + n_alone, below + n_alone, smallest)))
        return found

    def _classes(self, names: tuple[str, ...]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the classes of at least two rows that agree on `names`: their rows, and where each class starts.

        Columns with the most values are used first, because they leave the fewest rows.
        """
        rows, start = self.order, np.array([0, self.n_rows], dtype=np.int32)
        for name in sorted(names, key=lambda name: -self.columns[name].n_codes):
            column = self.columns[name]
            rows, start = refine(rows, start, self._codes_of(name), column.n_codes)
        return rows, start

    def _codes_of(self, name: str) -> npt.NDArray[np.int32]:
        """Return the codes of a column as the kernels take them, converted once."""
        if name not in self._codes:
            self._codes[name] = self.columns[name].codes.astype(np.int32)
        return self._codes[name]
