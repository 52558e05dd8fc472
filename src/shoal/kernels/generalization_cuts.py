"""Splitting one group in two at the place where both parts together cost least."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import int64, jit
from shoal.kernels.generalization_groups import Groups, RecordArrays, extent_with

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@jit
def best_cut(records: RecordArrays, part: Groups, order: Ints, keys: Ints, k: int, last: Floats) -> tuple[float, int]:
    """Return the least cost of splitting `order` into its first m records and the rest, and that m.

    Both parts have at least k records and records with equal `keys` stay together; (inf, 0) if there is no such
    split. `part` is work space for the summary of one group, and last[m] for the cost per record of the last m.
    """
    n, nobody = len(order), int64(-1)
    best, place = np.inf, int64(0)
    for backward in (True, False):
        part.ends[0, :, :2] = np.inf
        part.ends[0, :, 2:] = -np.inf
        part.bits[0, :, :] = np.uint64(0)
        for m in range(1, n + 1 if backward else n - k + 1):
            r = order[n - m] if backward else order[m - 1]
            extent = extent_with(records, part, int64(0), nobody, r)
            for axis in range(part.ends.shape[1]):
                x = records.spans[r, axis]
                part.ends[0, axis, 0] = min(part.ends[0, axis, 0], x)
                part.ends[0, axis, 2] = max(part.ends[0, axis, 2], x)
            for word in range(part.bits.shape[1]):
                part.bits[0, word, 0] |= records.words[r, word]
            if backward:
                last[m] = extent
            elif m >= k and keys[m - 1] != keys[m] and m * extent + (n - m) * last[n - m] < best:
                best, place = m * extent + (n - m) * last[n - m], int64(m)
    return best, place
