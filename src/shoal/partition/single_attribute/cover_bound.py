"""Lower bounds on the heaviest class of every cover: docs/proofs/cover.md, lower bound."""

from __future__ import annotations

import numpy as np

from shoal.partition.result import Labels
from shoal.partition.single_attribute.weights import class_bound


def most_classes(sizes: Labels, k: int) -> int:
    """Return an upper bound on the number of classes of at least k that can be made of `sizes` (heavy to light)."""
    oversize, large, single = _counts(sizes, k)
    others = sizes[oversize:]
    room = int(others.sum()) // k
    return oversize + (room if single == large else min(room, (large + single) // 2))


def cover_bound(sizes: Labels, k: int) -> int:
    """Return a lower bound on the heaviest class when `sizes` (heavy to light) form classes of at least k each."""
    oversize, large, single = _counts(sizes, k)
    bound = max(class_bound(sizes, k), -(-int(sizes.sum()) // most_classes(sizes, k)))
    if single == large or oversize + large < 2:
        return bound
    # Some large item must share its class with another large item or an oversize one.
    least = sizes[: oversize + large]
    together = 3 if single == 0 and oversize == 0 and large % 2 else 2
    return max(bound, int(least[-together:].sum()))


def _counts(sizes: Labels, k: int) -> tuple[int, int, int]:
    """Return the numbers of oversize items, of large items, and of large items that small ones alone can fill up."""
    oversize = int(np.count_nonzero(sizes >= k))
    large = int(np.count_nonzero(2 * sizes > k)) - oversize
    gaps = np.cumsum(k - sizes[oversize : oversize + large])
    return oversize, large, int(np.searchsorted(gaps, sizes[oversize + large :].sum(), side="right"))
