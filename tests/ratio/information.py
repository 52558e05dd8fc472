"""Random small tables whose cells cost the information they lose, as the oracle sees them and as a space.

The oracle counts what a cell leaves open from the rows themselves: it shares no code with `shoal.space`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.space.cell_costs import axis_of_sets, axis_of_tree, ranked
from shoal.space.hierarchy import flat_tree, tree_of_levels
from shoal.space.space import Axis, Space

# Eight leaves; nodes of one level have different numbers of leaves.
PATHS = ["a a1 a2 *", "b a1 a2 *", "c a1 a2 *", "d d1 a2 *", "e e1 e2 *", "f e1 e2 *", "g g1 g2 *", "h g1 g2 *"]
LEVELS = [[path.split()[h] for path in PATHS] for h in range(4)]


@dataclass(frozen=True)
class Information:
    """A column of which every set of values leaves some open: the set itself, what lies between, what is below."""

    kind: str
    values: tuple[int, ...]
    """The values of the column that a cell may leave open."""
    weight: int = 1

    def left_open(self, some: Sequence[int]) -> int:
        if self.kind == "number":
            return len([value for value in self.values if min(some) <= value <= max(some)])
        if self.kind == "set":
            return len(set(some))
        paths = [PATHS[value].split() for value in some]
        level = next(h for h in range(4) if len({path[h] for path in paths}) == 1)
        return len([path for path in PATHS if path.split()[level] == paths[0][level]])

    def cost(self, some: Sequence[int]) -> Fraction:
        return Fraction(self.weight * math.log(self.left_open(some)) / math.log(max(len(self.values), 2)))


def a_column(rng: np.random.Generator, n: int) -> tuple[np.ndarray, Information, np.ndarray, Axis]:
    kind, weight = str(rng.choice(["number", "set", "tree"])), int(rng.integers(1, 4))
    if kind == "tree":
        values = rng.integers(0, len(PATHS), n)
        tree = tree_of_levels("c", LEVELS, missing=False)
        place = [tree.leaf_labels.index("abcdefgh"[value]) for value in values]
        oracle = Information(kind, tuple(range(len(PATHS))), weight)
        return values, oracle, np.array(place, dtype=float), axis_of_tree(tree, weight, "c", "information")
    values = rng.choice([0, 1, 3, 4, 9, 20, 21], n)
    oracle = Information(kind, tuple(sorted(set(values.tolist()))), weight)
    if kind == "number":
        ((places, axis),) = ranked(values.astype(float), "c", weight)
        return values, oracle, places, axis
    tree = flat_tree("c", pl.Series(values))
    places = tree.ranks(pl.Series(values)).astype(float)
    return values, oracle, places, axis_of_sets(tree, weight, "c", "information")


def information_table(rng: np.random.Generator, n: int, d: int) -> tuple[list, list[Information], Space]:
    """Rows, the oracle's columns, and the space that Shoal makes of them."""
    columns = [a_column(rng, n) for _ in range(d)]
    rows = [tuple(int(values[i]) for values, *_ in columns) for i in range(n)]
    coordinates = np.stack([places for _, _, places, _ in columns], axis=1)
    return rows, [oracle for _, oracle, *_ in columns], Space(coordinates, tuple(axis for *_, axis in columns), 1)
