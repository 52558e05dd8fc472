"""What the largest class of labels weighs in any case: COVER, lower bound, in docs/proofs/cover.md."""

from __future__ import annotations

import numpy as np

from shoal.partition.result import Labels
from shoal.partition.single_attribute.weights import class_bound


def most_classes(sizes: Labels, k: int) -> int:
    """No more classes of at least k can be made of `sizes` (heavy to light)."""
    oversize, large, single = _counts(sizes, k)
    others = sizes[oversize:]
    room = int(others.sum()) // k
    return oversize + (room if single == large else min(room, (large + single) // 2))


def cover_bound(sizes: Labels, k: int) -> int:
    """No classes of `sizes` (heavy to light) of at least k each have a largest one below this."""
    oversize, large, single = _counts(sizes, k)
    bound = max(class_bound(sizes, k), -(-int(sizes.sum()) // most_classes(sizes, k)))
    if single == large or oversize + large < 2:
        return bound
    # Some large item shares its class with another one, or with something heavier.
    least = sizes[: oversize + large]
    together = 3 if single == 0 and oversize == 0 and large % 2 else 2
    return max(bound, int(least[-together:].sum()))


def _counts(sizes: Labels, k: int) -> tuple[int, int, int]:
    """How many items are oversize, how many large, and how many of these could be alone with small ones at best."""
    oversize = int(np.count_nonzero(sizes >= k))
    large = int(np.count_nonzero(2 * sizes > k)) - oversize
    gaps = np.cumsum(k - sizes[oversize : oversize + large])
    return oversize, large, int(np.searchsorted(gaps, sizes[oversize + large :].sum(), side="right"))
