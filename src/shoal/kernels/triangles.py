"""Checking the triangle inequality of a distance matrix for all triples."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]
TOGETHER = 8
"""Rows that are checked in one pass over the matrix, which is usually too large for the processor's cache."""


@jit
def broken_triangles(matrix: Floats, allowed: Floats, begin: int, end: int) -> int:
    """Return the number of violated triangle inequalities d(i, j) <= d(i, k) + d(k, j) with begin <= i < end, i < j.

    `allowed` has the distances minus the tolerance for rounding; both matrices are square, symmetric and
    C-contiguous. O((end - begin) n^2) time. The inner loop only counts, so that the compiler can vectorize it.
    """
    n = matrix.shape[0]
    broken = 0
    for first in range(begin, end, TOGETHER):
        for k in range(n):
            for i in range(first, min(first + TOGETHER, end)):
                to_third = matrix[i, k]
                for j in range(i + 1, n):
                    broken += allowed[i, j] > to_third + matrix[k, j]
    return broken
