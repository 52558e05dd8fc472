"""Cuts of a set of records in two: between two numbers, between labels, or between nodes of a hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Floats, Labels
from shoal.space.space import Axis, Space

Sides = npt.NDArray[np.bool_]

PLACES = (0.25, 0.35, 0.5, 0.65, 0.75)
"""Where lines are cut: at the values that this share of the records does not exceed."""
LEAST_SIDE = 0.15
"""The least share of the records on either side of a cut."""
MOST_UNIONS = 8
"""How many sets of labels or nodes are tried per column, and as many single ones."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The first side has the records whose coordinate on `axis` is at most `until`, or is one of `values`."""

    axis: int
    until: float | None = None
    values: tuple[float, ...] = ()

    def first_side(self, coordinates: Floats) -> Sides:
        """Return which of the rows of coordinates are on the first side."""
        column = coordinates[:, self.axis]
        side: Sides = column <= self.until if self.until is not None else np.isin(column, self.values)
        return side


def possible_cuts(space: Space, rows: Labels) -> Iterator[Cut]:
    """Yield the cuts that are tried on the given rows, with LEAST_SIDE of them or more on both sides."""
    for j, axis in enumerate(space.axes):
        values, counts = np.unique(space.coordinates[rows, j], return_counts=True)
        if len(values) < 2:
            continue
        if axis.ancestors is None:
            yield from _on_line(j, values, counts)
        else:
            yield from _in_tree(j, axis, values, counts)


def _on_line(j: int, values: Floats, counts: Labels) -> Iterator[Cut]:
    """Yield cuts near the quantiles of PLACES, between two different values."""
    shares = np.cumsum(counts) / counts.sum()
    places = np.minimum(np.searchsorted(shares, PLACES), len(values) - 2)
    for place in np.unique(places):
        if LEAST_SIDE <= shares[place] <= 1 - LEAST_SIDE:
            yield Cut(j, until=float(values[place]))


def _in_tree(j: int, axis: Axis, values: Floats, counts: Labels) -> Iterator[Cut]:
    """Yield cuts between the nodes of the highest level on which the values differ, or between labels.

    On the first side are the most frequent nodes together, or one node alone.
    """
    assert axis.ancestors is not None
    above = axis.ancestors[values.astype(np.int64)]
    level = 0 if axis.in_sets else int(np.flatnonzero((above != above[0]).any(axis=0)).max())
    _, node = np.unique(above[:, level], return_inverse=True)
    held = np.bincount(node, weights=counts) / counts.sum()
    falling = np.argsort(-held, kind="stable")
    unions = [falling[: m + 1] for m in range(min(len(falling) - 1, MOST_UNIONS))]
    seen = set()
    for nodes in [*unions, *falling[1 : MOST_UNIONS + 1, None]]:
        inside = np.isin(node, nodes)
        if LEAST_SIDE <= held[nodes].sum() <= 1 - LEAST_SIDE and inside.tobytes() not in seen:
            seen.add(inside.tobytes())
            yield Cut(j, values=tuple(values[inside].tolist()))


def distance_across(space: Space, rows: Labels, cut: Cut) -> Floats:
    """Return for each row a lower bound on its distance to the records on the other side of the cut.

    The distance on the axis of the cut is the least over both neighbors among the values of the other side: on lines
    and in hierarchies, whose leaves are ranked depth-first, others are as far or farther.
    """
    values, place = np.unique(space.coordinates[rows, cut.axis], return_inverse=True)
    alone = np.zeros((len(values), len(space.axes)))
    alone[:, cut.axis] = values
    first = cut.first_side(alone)
    axis, positions = space.axes[cut.axis], np.arange(len(values))
    least = np.full(len(values), np.inf)
    for side in (first, ~first):
        if not side.any() or side.all():
            continue
        other, mine = np.flatnonzero(~side), positions[side]
        after = np.searchsorted(other, mine)
        for near, there in ((after - 1, after > 0), (np.minimum(after, len(other) - 1), after < len(other))):
            to = values[other[near[there]]]
            at = values[mine[there]]
            across = axis.spanned(np.minimum(at, to), np.maximum(at, to))
            least[mine[there]] = np.minimum(least[mine[there]], across)
    return least[place]
