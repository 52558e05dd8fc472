"""Cut a table into blocks where a solved sample loses least.

Problem     blocks of at most a given number of records, such that few records of good groups are separated.
Guarantee   every record is in one block; the rows of one unit (a person, or a group that must stay whole) are in one
            block; every block passes `admissible`; the blocks do not depend on the order of rows.
Complexity  O(d m log m) for each block and a sample of m records, and a pass over its records for each cut.

Notes
-----
The sample was grouped as a whole. A cut separates those records of a group that are on its smaller side: they have to
find other groups. The cut is taken that separates the fewest, in relation to how much it divides (the entropy of its
two sides): a cut in halves saves more further cuts than one that takes a small part off. So tables are cut along the
columns that groups keep exact, whatever kind of column it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.blocks.cuts import Cut, Sides, distance_across, possible_cuts
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

Admissible = Callable[[Labels, Sides], bool]
"""Whether rows may be divided into those that a mask marks and the others."""


class Grouped(NamedTuple):
    """The rows of a sample, and the groups of a search among them."""

    rows: Labels
    labels: Labels


class Blocks(NamedTuple):
    """The block of each row (-1 for rows that were not divided), and a bound on its distance to other blocks."""

    block: Labels
    apart: Floats
    cuts: tuple[Cut, ...]

    @property
    def n_blocks(self) -> int:
        return int(self.block.max(initial=-1)) + 1


def cut_blocks(
    space: Space,
    rows: Labels,
    sample: Grouped,
    size: int,
    *,
    counted: npt.NDArray[np.bool_],
    units: Labels | None = None,
    admissible: Admissible | None = None,
) -> Blocks:
    """Return blocks of the given rows with at most `size` rows that are `counted`, if cuts that may be made suffice.

    Rows with equal `units` stay together: they go where most of them belong.
    """
    block, apart = np.full(len(space), -1, dtype=np.int64), np.full(len(space), np.inf)
    pending, cuts, n_blocks = [(rows, sample)], [], 0
    while pending:
        inside, known = pending.pop()
        found = best_cut(space, inside, known, units, admissible) if counted[inside].sum() > size else None
        if found is None:
            block[inside] = n_blocks
            n_blocks += 1
            continue
        cut, first = found
        cuts.append(cut)
        apart[inside] = np.minimum(apart[inside], distance_across(space, inside, cut))
        mine = cut.first_side(space.coordinates[known.rows])
        pending.append((inside[~first], _part(known, ~mine)))
        pending.append((inside[first], _part(known, mine)))
    return Blocks(block, apart, tuple(cuts))


def _part(sample: Grouped, mask: Sides) -> Grouped:
    """Return the part of a sample that a mask marks."""
    return Grouped(sample.rows[mask], sample.labels[mask])


def best_cut(
    space: Space, rows: Labels, sample: Grouped, units: Labels | None, admissible: Admissible | None
) -> tuple[Cut, Sides] | None:
    """Return the cut that separates fewest records of the sample's groups, and the first side; None without any."""
    if not len(sample.rows):
        return None
    _, group = np.unique(sample.labels, return_inverse=True)
    scored: list[tuple[float, int, int, Cut]] = []
    for cut in possible_cuts(space, sample.rows):
        side = cut.first_side(space.coordinates[sample.rows])
        scored.append((_separated(group, side), cut.axis, len(scored), cut))
    for _, _, _, cut in sorted(scored, key=lambda one: one[:3]):
        first = cut.first_side(space.coordinates[rows])
        if units is not None:
            first = _whole_units(first, units[rows])
        if first.any() and not first.all() and (admissible is None or admissible(rows, first)):
            return cut, first
    return None


def _separated(group: Labels, side: Sides) -> float:
    """Return the share of records that a cut separates from the larger part of their group, per bit of division."""
    sizes = np.bincount(group)
    there = np.bincount(group, weights=side)
    moved = float(np.minimum(there, sizes - there).sum()) / len(group)
    share = float(side.mean())
    return moved / -(share * math.log2(share) + (1 - share) * math.log2(1 - share))


def _whole_units(side: Sides, units: Labels) -> Sides:
    """Return the sides with all rows of a unit on the side of most of them, the first if both have equally many."""
    _, own = np.unique(units, return_inverse=True)
    there: Sides = 2 * np.bincount(own, weights=side) >= np.bincount(own)
    return there[own]
