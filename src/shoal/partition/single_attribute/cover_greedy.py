"""Fold, spread and halves: greedy algorithms for min-max bin covering, with proofs in docs/proofs/cover.md.

All take `sizes`, the weights of labels, sorted from heavy to light (for fold in any order), positive and at least k
in all, and return the class of every label. Comments use the words of the proofs: an item is *oversize* if it weighs
at least k, *large* if it weighs more than k / 2 but less than k, and *small* otherwise. The *rest* are the items that
remain when no further class can be filled.
"""

from __future__ import annotations

import heapq

import numpy as np

from shoal.partition.result import Labels


def cut_runs(sizes: Labels, k: int) -> tuple[Labels, int]:
    """Cut `sizes` into runs that are closed as soon as they weigh k.

    Returns the run of each item (-1 for the rest) and the number of runs.
    """
    after = np.cumsum(sizes)
    classes = np.full(len(sizes), -1, dtype=np.int64)
    begin, full, n_classes = 0, 0, 0
    while True:
        end = int(np.searchsorted(after, full + k))
        if end == len(sizes):
            return classes, n_classes
        classes[begin : end + 1] = n_classes
        begin, full, n_classes = end + 1, int(after[end]), n_classes + 1


def loads_of(sizes: Labels, classes: Labels, n_classes: int | None = None) -> Labels:
    """Return the weight of each class."""
    placed = classes >= 0
    return np.bincount(classes[placed], sizes[placed], minlength=n_classes or 0).astype(np.int64)


def spread_out(sizes: Labels, classes: Labels, n_classes: int) -> Labels:
    """Add every item of the rest, in the order of `sizes`, to the class that is lightest at that moment."""
    rest = np.flatnonzero(classes < 0)
    heap = [(int(load), number) for number, load in enumerate(loads_of(sizes, classes, n_classes))]
    heapq.heapify(heap)
    for item, size in zip(rest.tolist(), sizes[rest].tolist(), strict=True):
        load, number = heap[0]
        classes[item] = number
        heapq.heapreplace(heap, (load + size, number))
    return classes


def fold(sizes: Labels, k: int) -> Labels:
    """Return the classes of theorem 7 (COVER-1): oversize items alone, runs of the others, rest to the lightest."""
    classes, n_classes = _with_oversize_alone(sizes, k)
    classes[classes < 0] = np.argmin(loads_of(sizes, classes, n_classes))
    return classes


def _with_oversize_alone(sizes: Labels, k: int) -> tuple[Labels, int]:
    """Return classes of single oversize items and of runs of the others (-1 for the rest), and their number."""
    oversize = sizes >= k
    classes = np.empty(len(sizes), dtype=np.int64)
    classes[oversize] = np.arange(np.count_nonzero(oversize))
    runs, n_runs = cut_runs(sizes[~oversize], k)
    classes[~oversize] = np.where(runs < 0, -1, runs + np.count_nonzero(oversize))
    return classes, n_runs + int(np.count_nonzero(oversize))


def spread(sizes: Labels, k: int) -> Labels | None:
    """Return the classes of theorem 10 (COVER-2), or None in the case in which its proof needs an exact search.

    That is the case if there are fewer than three full classes, no oversize item, and a rest.
    """
    classes, n_classes = _with_oversize_alone(sizes, k)
    rest = np.flatnonzero(classes < 0)
    if not len(rest):
        return classes
    if sizes[0] >= k:  # the rest weighs less than k: added to oversize items, it gives at most twice the optimum
        return spread_out(sizes, classes, n_classes)
    if n_classes < 3:
        return None
    first = rest[0]
    if 2 * sizes[first] <= k:  # case 1: no item of the rest is large
        return spread_out(sizes, classes, n_classes)
    small = int(sizes[rest[1:]].sum())
    if sizes[0] + small >= k:  # case 2.1: the largest item is swapped for the large item of the rest
        classes[rest] = n_classes
        classes[0], classes[first] = n_classes, classes[0]
        return classes
    return fold(sizes, k)  # case 2.2: three large items share a class in every solution


def halves(sizes: Labels, k: int) -> Labels:
    """Return classes of at most twice the optimum (COVER-3): large items with small ones, or two of them together."""
    if sizes[0] >= k:
        classes, n_classes = _with_oversize_alone(sizes, k)
        return spread_out(sizes, classes, n_classes)
    n_large = int(np.searchsorted(-2 * sizes, -k))  # 2 x size > k
    small = sizes[n_large:]
    after = np.concatenate(([0], np.cumsum(small)))
    classes = np.full(len(sizes), -1, dtype=np.int64)
    used, single = 0, 0  # small items used so far; large items that are in a class with small ones only
    while single < n_large and after[-1] - after[used] >= k - sizes[single]:
        begin, used = used, int(np.searchsorted(after, after[used] + k - sizes[single]))
        classes[[single, *range(n_large + begin, n_large + used)]] = single
        single += 1
    if single == n_large:  # only small items, or none, remain
        runs, n_runs = cut_runs(small[used:], k)
        classes[n_large + used :] = np.where(runs < 0, -1, runs + single)
        return spread_out(sizes, classes, single + n_runs)
    # The remaining small items are too light to fill a class with the next large item.
    if (n_large - single) % 2 and single:  # an odd number remains: the last class is dissolved to pair its large item
        single -= 1
        classes[classes == single] = -1
    pairs = (n_large - single) // 2
    classes[single : single + 2 * pairs] = single + np.arange(2 * pairs) // 2
    if sizes[classes < 0].sum() >= k:
        classes[classes < 0] = single + pairs
    return spread_out(sizes, classes, single + pairs)
