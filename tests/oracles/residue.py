"""The fewest rows that must leave their class, and the cheapest l-diverse generalization, by trying everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations

from tests.oracles.generalization import Column, Rows, generalization_cost
from tests.oracles.groupings import groupings


def is_eligible(values: Sequence[int], l: int) -> bool:  # noqa: E741
    """Whether no value has more than one in l of the places."""
    return all(l * count <= len(values) for count in Counter(values).values())


def fewest_in_residue(classes: Sequence[int], values: Sequence[int], l: int, k: int) -> int | None:  # noqa: E741
    """The smallest number of rows whose removal leaves eligible classes, and that are eligible together.

    Each class and the residue must be empty or have at least `k` rows. None where no choice of rows will do.
    """
    rows = range(len(classes))
    for size in range(len(classes) + 1):
        for gone in combinations(rows, size):
            kept = [i for i in rows if i not in gone]
            parts = [[values[i] for i in gone]]
            parts += [[values[i] for i in kept if classes[i] == one] for one in set(classes)]
            if all(not part or (len(part) >= k and is_eligible(part, l)) for part in parts):
                return size
    return None


def best_eligible_cost(rows: Rows, columns: Sequence[Column], values: Sequence[int], l: int, k: int) -> Fraction:  # noqa: E741
    """The optimum over all groupings into blocks of at least `k` rows, no value in more than one in l of a block."""
    price = cache(partial(_of_block, rows, columns))
    return min(
        sum(map(price, blocks), Fraction(0))
        for blocks in groupings(range(len(rows)), max(k, l))
        if all(is_eligible([values[i] for i in block], l) for block in blocks)
    )


def _of_block(rows: Rows, columns: Sequence[Column], block: tuple[int, ...]) -> Fraction:
    return generalization_cost(rows, columns, [block])
