"""Equivalence classes of rows, refined by one column at a time, and counted.

A partition is given by `rows` and `start`: the rows of class c are rows[start[c]:start[c + 1]]. Only classes of two
rows or more are listed, because no column splits a class of one row any further.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Codes = npt.NDArray[np.int32]


@jit
def refine(rows: Codes, start: Codes, codes: Codes, n_codes: int) -> tuple[Codes, Codes]:
    """Return the classes of rows that also agree on a column, without those of one row.

    Expects codes below `n_codes`. The rows of a class keep their order. O(len(rows) + n_codes) time.
    """
    counter = np.zeros(n_codes, dtype=np.int32)  # rows of a code; then minus the next place of its class, minus one
    finer = np.empty(rows.shape[0], dtype=np.int32)
    held = np.empty(rows.shape[0], dtype=np.int32)  # the codes of the class, so that each is looked up once
    starts = np.empty(rows.shape[0] // 2 + 2, dtype=np.int32)
    n_classes, end = 0, 0
    for group in range(start.shape[0] - 1):
        first = start[group]
        size = start[group + 1] - first
        for at in range(size):
            code = codes[rows[first + at]]
            held[at] = code
            counter[code] += 1
        for at in range(size):
            code = held[at]
            if counter[code] == 1:
                continue
            if counter[code] > 1:
                starts[n_classes] = end
                n_classes += 1
                of_code = counter[code]
                counter[code] = -end - 1
                end += of_code
            finer[-counter[code] - 1] = rows[first + at]
            counter[code] -= 1
        for at in range(size):
            counter[held[at]] = 0
    starts[n_classes] = end
    return finer[:end].copy(), starts[: n_classes + 1].copy()


@jit
def count_refined(
    rows: Codes, start: Codes, codes: Codes, n_codes: int, people: Codes, k: int
) -> tuple[int, int, int, int]:
    """Return the counts of the classes of rows that also agree on a column, without a list of them.

    These are the number of classes, the rows in classes of one person, the rows in classes of fewer than k people,
    and the people in the smallest class (the number of rows if there is none). `people` has the person of each row,
    and all rows of a person within a class are neighbors in it; if it is empty, every row is a person.
    """
    n_rows = np.zeros(n_codes, dtype=np.int32)
    in_class = np.empty(rows.shape[0], dtype=np.int32)  # the codes of the class, so that each is looked up once
    several = people.shape[0] > 0
    n_people = np.zeros(n_codes if several else 1, dtype=np.int32)
    latest = np.full(n_people.shape[0], -1, dtype=np.int32)
    n_classes, unique, below, smallest = 0, 0, 0, rows.shape[0]
    for group in range(start.shape[0] - 1):
        first = start[group]
        total = start[group + 1] - first
        for at in range(total):
            row = rows[first + at]
            code = codes[row]
            in_class[at] = code
            n_rows[code] += 1
            if several and latest[code] != people[row]:
                n_people[code] += 1
                latest[code] = people[row]
        for at in range(total):
            code = in_class[at]
            size = n_rows[code]
            if size == 0:
                continue
            held = n_people[code] if several else size
            n_classes += 1
            if held == 1:
                unique += size
            if held < k:
                below += size
            smallest = min(smallest, held)
            n_rows[code] = 0
            if several:
                n_people[code], latest[code] = 0, -1
    return n_classes, unique, below, smallest
