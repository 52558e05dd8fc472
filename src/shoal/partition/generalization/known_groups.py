"""The groups that a lower bound knows, and what may be chosen of them: groups of low reduced cost.

The *reduced cost* of a group is what it costs beyond the duals of its members. A partition of low cost has groups of
low reduced cost only: theirs add up to its cost less the sum of the duals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.group_pool import GroupPool
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

Ids = npt.NDArray[np.int32]

CHEAP = 0.5
"""Groups may be chosen whose reduced cost is at most CHEAP times the mean cost of k records."""
NEAR = 6
"""Other points that are added to a group to make a larger one, for each of its points."""


class KnownGroups(NamedTuple):
    """The groups that a lower bound knows, and the duals of its linear program; points[point_of] are the records."""

    points: Space
    counts: Labels
    point_of: Labels
    k: int
    unit: float
    """The mean offer of a record."""
    duals: Floats
    pool: GroupPool


class Columns(NamedTuple):
    """Groups that may be chosen: group c has times[i] records of points[i], for starts[c] <= i < starts[c + 1]."""

    points: Labels
    times: Labels
    starts: Labels
    costs: Floats
    reduced: Floats

    def of(self, c: int) -> tuple[Labels, Labels]:
        """Return the points of a group, and how many records it has of each."""
        inside = slice(self.starts[c], self.starts[c + 1])
        return self.points[inside], self.times[inside]


def columns_of(known: KnownGroups, labels: Labels) -> Columns:
    """Return the groups of low reduced cost: those the bound knows, each with one more record, and groups of `labels`
    with one record less.
    """
    limit = CHEAP * known.unit * known.k
    pool, duals = known.pool, known.duals
    sizes = np.diff(pool.starts)
    by_size: dict[int, list[tuple[Ids, Floats]]] = {}
    for size in np.unique(sizes[sizes < 2 * known.k]).tolist():
        some = np.flatnonzero(sizes == size)
        rows = np.sort(pool.members[pool.starts[some][:, None] + np.arange(size)], axis=1)
        cheap = pool.costs[some] - duals[rows].sum(axis=1) <= limit
        by_size[size] = [(rows[cheap], pool.costs[some][cheap])]
    near = _near(by_size, duals, len(known.counts))
    for size, found in list(by_size.items()):
        if size < 2 * known.k - 1 and len(found[0][0]):
            larger = _with_one_more(*found[0], near, duals, known.counts, limit)
            by_size.setdefault(size + 1, []).append(_cheap(known, larger, limit))
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    for size in range(known.k + 1, 2 * known.k):
        some = ends[np.bincount(labels) == size]
        whole = known.point_of[order[some[:, None] - size + np.arange(size)]]
        for place in range(size if len(some) else 0):
            smaller = np.sort(np.delete(whole, place, axis=1), axis=1).astype(np.int32)
            by_size.setdefault(size - 1, []).append(_cheap(known, smaller, limit))
    return _columns(by_size, duals)


def _cheap(known: KnownGroups, rows: Ids, limit: float) -> tuple[Ids, Floats]:
    """Return those of `rows` whose reduced cost is at most `limit`, each once and sorted, with their costs."""
    size = rows.shape[1]
    costs = size * cost_of_groups(known.points, rows.ravel().astype(np.int64), np.arange(0, rows.size, size))
    cheap = np.flatnonzero(costs - known.duals[rows].sum(axis=1) <= limit)
    rows, first = np.unique(rows[cheap], axis=0, return_index=True)
    return rows, costs[cheap[first]]


def _near(by_size: dict[int, list[tuple[Ids, Floats]]], duals: Floats, n: int) -> Ids:
    """Return for each point the NEAR points with which it shares groups of the least reduced cost; -1 for none.

    A point of which a group has several records is near itself.
    """
    pairs, costs = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for size, [(rows, cost)] in by_size.items():
        one, other = (part.ravel() for part in np.nonzero(~np.eye(size, dtype=np.bool_)))
        pairs.append((rows[:, one].astype(np.int64) * n + rows[:, other]).ravel())
        costs.append(np.repeat(cost - duals[rows].sum(axis=1), len(one)))
    pair, reduced = np.concatenate(pairs), np.concatenate(costs)
    order = np.lexsort((reduced, pair))
    first = order[np.flatnonzero(np.diff(pair[order], prepend=-1))]
    first = first[np.lexsort((pair[first] % n, reduced[first], pair[first] // n))]
    point = pair[first] // n
    place = np.arange(len(first)) - np.searchsorted(point, point)
    listed = place < NEAR
    near = np.full((n, NEAR), -1, dtype=np.int32)
    near[point[listed], place[listed]] = pair[first][listed] % n
    return near


def _with_one_more(rows: Ids, costs: Floats, near: Ids, duals: Floats, counts: Labels, limit: float) -> Ids:
    """Return each group with one record more of a point near to one of its own, if it can be cheap enough."""
    n, size = len(counts), rows.shape[1]
    added = near[rows].reshape(len(rows), -1)
    pair = np.unique((np.arange(len(rows))[:, None] * n + added)[added >= 0])
    group, point = pair // n, (pair % n).astype(np.int32)
    # a larger group costs each of its records at least as much
    least = costs[group] * (1 + 1 / size) - duals[rows].sum(axis=1)[group] - duals[point]
    has_left = (rows[group] == point[:, None]).sum(axis=1) < counts[point]
    kept = (least <= limit) & has_left
    return np.sort(np.concatenate((rows[group[kept]], point[kept, None]), axis=1), axis=1)


def _columns(by_size: dict[int, list[tuple[Ids, Floats]]], duals: Floats) -> Columns:
    """Return the groups of all sizes in one list, with their points each once."""
    points, times, costs, reduced, widths = [], [], [], [], []
    for size, parts in sorted(by_size.items()):
        rows, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        is_first = np.diff(rows, axis=1, prepend=-1) != 0
        place = np.flatnonzero(is_first)
        points.append(rows.ravel()[place].astype(np.int64))
        row_ends = np.append(place[1:], rows.size)
        times.append(row_ends - place)
        widths.append(is_first.sum(axis=1))
        costs.append(cost)
        reduced.append(cost - duals[rows].sum(axis=1))
        assert size == rows.shape[1]
    empty = np.zeros(0, dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(np.concatenate([empty, *widths]))))
    return Columns(
        np.concatenate([empty, *points]),
        np.concatenate([empty, *times]),
        starts,
        np.concatenate([np.zeros(0), *costs]),
        np.concatenate([np.zeros(0), *reduced]),
    )
