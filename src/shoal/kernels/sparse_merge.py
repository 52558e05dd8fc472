"""Merging rows of a sparse matrix in pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def merge_rows(
    start: Ints, keys: Ints, weights: Ints, first: Ints, second: Ints, once: bool, ends: Ints, found: Ints, sums: Ints
) -> None:
    """Write the sum of the rows first[i] and second[i] (-1: none) of a sparse matrix as row i of the result.

    Row r of the matrix has the entries start[r]:start[r + 1] of `keys` and `weights`, with increasing keys. Weights
    of equal keys are added; with `once`, the first one is taken. The result goes to `found` and `sums`, which have
    room for all entries, and ends[i] is where its row i ends. O(entries) time.
    """
    at = 0
    for i in range(len(first)):
        a, a_end = start[first[i]], start[first[i] + 1]
        b, b_end = 0, 0
        if second[i] >= 0:
            b, b_end = start[second[i]], start[second[i] + 1]
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and keys[a] < keys[b]):
                found[at], sums[at] = keys[a], weights[a]
                a += 1
            elif a == a_end or keys[b] < keys[a]:
                found[at], sums[at] = keys[b], weights[b]
                b += 1
            else:
                found[at], sums[at] = keys[a], weights[a] if once else weights[a] + weights[b]
                a += 1
                b += 1
            at += 1
        ends[i] = at
