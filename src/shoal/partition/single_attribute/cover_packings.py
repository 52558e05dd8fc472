"""Every packing of items into a number of bins, one layer per item: a dynamic program over the bins' loads.

A state is the sorted row of loads; states that are alike are one. With b bins and loads of at most `most` there are
no more than `most` ** b of them whatever the number of items, so few bins or few items are searched to the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.partition.result import Labels

STATES = 400_000
"""Loads kept per layer, states times bins; more are not searched where the search was asked for."""


@dataclass(frozen=True, slots=True)
class Packings:
    """All packings of `sizes` as rows of loads, and how to get any of them back."""

    sizes: Labels
    loads: Labels
    parents: list[Labels]
    grown: list[Labels]
    """Layer by layer: the load, before it took the item, of the bin that did."""

    def bins_of(self, state: int) -> Labels:
        """The bin of every item in a packing with the loads of this row."""
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
    """The packings of `sizes` (heavy to light) into bins of at most `most` that `spare` can fill up to `least` each.

    None where there are too many of them to search. There may be no packing at all: then `loads` has no row.
    """
    left = int(sizes.sum()) + spare
    # Empty bins are the only row where there is no item, and none where all that there is cannot fill them.
    states = np.zeros((int(n_bins * least <= left), n_bins), dtype=np.int64)
    parents, grown = [], []
    for size in sizes.tolist():
        left -= size
        # Bins of equal load are interchangeable, so only the last of them takes the item.
        fresh = np.ones(states.shape, dtype=bool)
        fresh[:, :-1] = states[:, 1:] != states[:, :-1]
        fresh &= states + size <= most
        parent, column = np.nonzero(fresh)
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
    """The different rows in order, and where each first stands."""
    if not len(rows):
        return rows, np.empty(0, dtype=np.int64)
    order = np.lexsort(rows.T)
    ordered = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[new], order[new]


def least_largest(sizes: Labels, k: int, classes: Labels, *, limit: int = STATES) -> Labels | None:
    """Classes of at least k whose heaviest is the lightest there is, not above that of `classes`; None: too many."""
    total, cost = int(sizes.sum()), int(np.bincount(classes, sizes).max())
    for n_bins in range(total // k, 0, -1):
        if -(-total // n_bins) >= cost or sizes[0] >= cost:
            break  # fewer bins are heavier still
        found = packings(sizes, n_bins, least=k, most=cost - 1, limit=limit)
        if found is None:
            return None
        if len(found.loads):
            best = int(np.argmin(found.loads[:, -1]))
            classes, cost = found.bins_of(best), int(found.loads[best, -1])
    return classes
