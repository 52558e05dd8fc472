"""Enumerating all packings of items into a number of bins: a dynamic program over the loads of the bins.

A state is the sorted row of loads; there is one layer of states per item, and equal states are merged. With b bins
and loads of at most `most` there are at most `most` ** b states per layer, whatever the number of items. So the
search is feasible if there are few bins or few items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.partition.result import Labels

STATES = 400_000
"""Most loads (states times bins) per layer of a search that the user asked for; with more it is given up (3 MB)."""


@dataclass(frozen=True, slots=True)
class Packings:
    """All packings of `sizes` as rows of loads, with what is needed to reconstruct each of them."""

    sizes: Labels
    loads: Labels
    parents: list[Labels]
    grown: list[Labels]
    """For each layer and state: the load, before it took the item, of the bin that took it."""

    def bins_of(self, state: int) -> Labels:
        """Return the bin of every item in a packing with the loads of row `state`."""
        steps = []
        for parents, grown in zip(reversed(self.parents), reversed(self.grown), strict=True):
            steps.append(int(grown[state]))
            state = int(parents[state])
        loads = [0] * self.loads.shape[1]
        bins = np.empty(len(self.sizes), dtype=np.int64)
        for item, load in enumerate(reversed(steps)):
            bins[item] = loads.index(load)
            loads[bins[item]] += int(self.sizes[item])
        return bins


def packings(
    sizes: Labels, n_bins: int, *, least: int, most: int, spare: int = 0, limit: int = STATES
) -> Packings | None:
    """Return the packings of `sizes` (heavy to light) into bins that hold at most `most` and could reach `least`.

    `spare` is further weight that may fill bins up to `least`. Returns None if there are too many states. If there is
    no packing at all, `loads` has no rows.
    """
    left = int(sizes.sum()) + spare
    # The first layer has one state, all bins empty, or none if the total weight cannot fill all bins.
    states = np.zeros((int(n_bins * least <= left), n_bins), dtype=np.int64)
    parents, grown = [], []
    for size in sizes.tolist():
        left -= size
        # Bins of equal load are interchangeable, so only the last of them may take the item.
        may_take = np.ones(states.shape, dtype=bool)
        may_take[:, :-1] = states[:, 1:] != states[:, :-1]
        may_take &= states + size <= most
        parent, column = np.nonzero(may_take)
        loads = states[parent]
        grown_from = loads[np.arange(len(parent)), column]
        loads[np.arange(len(parent)), column] += size
        can = np.maximum(least - loads, 0).sum(axis=1) <= left
        loads, parent, grown_from = np.sort(loads[can], axis=1), parent[can], grown_from[can]
        loads, first = _distinct(loads)
        if loads.size > limit:
            return None
        states = loads
        parents.append(parent[first])
        grown.append(grown_from[first])
    return Packings(sizes, states, parents, grown)


def _distinct(rows: Labels) -> tuple[Labels, Labels]:
    """Return the different rows, sorted, and the position of one occurrence of each."""
    if not len(rows):
        return rows, np.empty(0, dtype=np.int64)
    order = np.lexsort(rows.T)
    ordered = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[new], order[new]


def least_largest(sizes: Labels, k: int, classes: Labels, *, limit: int = STATES) -> Labels | None:
    """Return optimal classes of at least k, or `classes` if they are optimal; None if there are too many states."""
    total, cost = int(sizes.sum()), int(np.bincount(classes, sizes).max())
    for n_bins in range(total // k, 0, -1):
        if -(-total // n_bins) >= cost or sizes[0] >= cost:
            break  # with fewer bins the heaviest would be heavier still
        found = packings(sizes, n_bins, least=k, most=cost - 1, limit=limit)
        if found is None:
            return None
        if len(found.loads):
            best = int(np.argmin(found.loads[:, -1]))
            classes, cost = found.bins_of(best), int(found.loads[best, -1])
    return classes
