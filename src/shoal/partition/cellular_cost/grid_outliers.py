"""Groups of at least r for many records: duals on a grid, then cheaper groups in blocks; some may be left out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.partition.cellular_cost.grid_duals import GRID, NET, STRETCH, Raised, by_payers, raise_on_grid
from shoal.partition.cellular_cost.groups import Cells
from shoal.partition.cellular_cost.improve import LEAST_GAIN
from shoal.partition.cellular_cost.improve_blocks import Records, improved_in_blocks, leaves
from shoal.partition.cellular_cost.primal_dual import of_at_least
from shoal.partition.radius.improve import Reach
from shoal.partition.radius.outliers import all_but
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors

PASSES, LEAST_PASS = 4, 0.02
"""Passes of the improvement, as long as one saves this part of the cost."""
DROP_ROUNDS = 40
ROUNDING = 1e-9


class Start(NamedTuple):
    """What the theorem gives, a bound from its duals, and whether its cost is within what its proof allows.

    `least` is a bound without duals, `duals` are those by record, where there is one list of them. `plain` are duals
    for the opening costs alone, where there are some and groups have a least size.
    """

    cells: Cells
    bound: float
    holds: bool
    least: float = 0.0
    duals: Floats | None = None
    plain: Floats | None = None


def by_guesses(records: Records, reach: Reach, r: int, allowed: int) -> Start:
    """Groups of at least r of all but `allowed` records.

    The optimum's largest radius is guessed on the grid, and larger balls are no candidates.

    A run that ended before the largest candidate was set up is that of every larger guess.
    """
    counts = records.metric.counts
    guess = 2 * all_but(reach.need, counts, allowed) / (1 - float(NET))
    best, least, bound, holds = math.inf, 0.0, math.inf, True
    while True:
        largest = float(GRID) * guess
        raised = raise_on_grid(records.metric, reach.spread, r, largest=largest, n_spared=allowed)
        if raised is not None:
            spared = _spared(raised, counts, allowed)
            total = math.fsum(((counts - spared) * raised.alpha).tolist())
            tried = _groups(records, raised, r, spared)
            cost = cost_of(records, tried, np.zeros(len(tried.labels)))
            holds &= cost <= 18 * (total + r * float(raised.paid.radii[-1])) * (1 + ROUNDING)
            bound = min(bound, max(_bound(total), r * least * (1 - ROUNDING)))
            if cost < best:
                best, cells = cost, tried
            if raised.end <= largest or cost <= r * least:
                return Start(cells, bound, holds)
        least = guess * (1 - float(NET)) / 2
        guess = guess * float(GRID) if guess > 0 else float(reach.spread[reach.spread > 0].min())


def _bound(total: float) -> float:
    """What the optimum costs at least, from the sum of the duals."""
    return total / float(2 * GRID * STRETCH) * (1 - ROUNDING)


def _spared(raised: Raised, counts: Labels, allowed: int) -> Labels:
    """Of each point, how many records are left out: those that still rise, then some that the last ball stopped."""
    spared = np.where(raised.witness < 0, counts, 0)
    last = np.flatnonzero(raised.witness == len(raised.paid.centers) - 1)[::-1]
    before = np.cumsum(counts[last]) - counts[last]
    spared[last] = np.clip(allowed - spared.sum() - before, 0, counts[last])
    return spared


def _groups(records: Records, raised: Raised, r: int, spared: Labels) -> Cells:
    """Groups of at least r records; of a point, the last `spared` records need not be in one."""
    counts = records.metric.counts
    owner, opened = by_payers(raised, np.flatnonzero(spared < counts))
    place = np.arange(len(records.point)) - records.first[records.point]
    labels = np.where(place < (counts - spared)[records.point], owner[records.point], -1)
    nearest = records.nearest(records.first[raised.paid.centers[opened]], r)
    # The first of the nearest is the center, or equal to it, and in a group: no center is left out.
    return of_at_least(records.away, nearest, np.zeros(len(labels)), Cells(labels, nearest[:, 0]), r)


def cost_of(records: Records, cells: Cells, opening: Floats) -> float:
    """Every record in a group pays its radius, every group the opening of its center; rounded once."""
    radii = records.radii(cells)[cells.labels[cells.labels >= 0]]
    return math.fsum(np.concatenate((radii, opening[cells.centers])).tolist())


def improved_at_scale(records: Records, opening: Floats, reach: Reach, cells: Cells, r: int, allowed: int) -> Cells:
    """Cheaper groups out of those of the theorem, or out of the leaves of a tree where they are cheaper."""
    if isinstance(records.metric, Neighbors):
        needy_last = np.argsort(reach.need[records.point], kind="stable")
        kept = np.sort(needy_last[: len(needy_last) - allowed])
        # Opening costs make larger groups cheaper.
        larger = [r << power for power in range(1, (len(kept) // r).bit_length())] if opening.any() else []
        cut = (leaves(records, kept, size) for size in (r, *larger))
        cells = min((cells, *cut), key=lambda some: cost_of(records, some, opening))
    cost = cost_of(records, cells, opening)
    for turn in range(PASSES):
        cells = _fewer(records, improved_in_blocks(records, opening, cells, r, turn), r, allowed)
        before, cost = cost, cost_of(records, cells, opening)
        if not cost < before * (1 - LEAST_PASS):
            break
    return _with_free(records, cells)


def _with_free(records: Records, cells: Cells) -> Cells:
    """Records that were left out and equal the center of a group of radius 0 come back: nothing was saved by them."""
    group_at = np.full(len(records.first), -1, dtype=np.int64)
    free = np.flatnonzero(records.radii(cells) == 0)
    group_at[records.point[cells.centers[free]]] = free
    return Cells(np.where(cells.labels < 0, group_at[records.point], cells.labels), cells.centers)


def _fewer(records: Records, cells: Cells, r: int, allowed: int) -> Cells:
    """More records left out while some are allowed and that saves something: the dearest, one of a group a round.

    Never a center, and never one of a group of r.
    """
    labels = cells.labels.copy()
    is_center = np.zeros(len(labels), dtype=bool)
    is_center[cells.centers] = True
    for _ in range(DROP_ROUNDS):
        spare = allowed - int(np.count_nonzero(labels < 0))
        if spare <= 0:
            break
        kept = np.flatnonzero(labels >= 0)
        group = labels[kept]
        away = records.metric.distance(records.point[kept], records.point[cells.centers[group]])
        far_first = np.lexsort((-away, group))
        sizes = np.bincount(group, minlength=len(cells.centers))
        starts = np.cumsum(sizes) - sizes
        farthest, radii = kept[far_first[starts]], away[far_first[starts]]
        second = away[far_first[np.minimum(starts + 1, len(kept) - 1)]]
        gain = sizes * radii - (sizes - 1) * second
        gain[(sizes <= r) | is_center[farthest]] = 0.0
        best = np.argsort(-gain, kind="stable")[: max(1, spare // 4)]
        best = best[gain[best] > LEAST_GAIN * float(sizes @ radii)]
        if not len(best):
            break
        labels[farthest[best]] = -1
    return Cells(labels, cells.centers)
