"""Whether a matrix of distances keeps the triangle inequality, for all triples."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]
TOGETHER = 8
"""Records that share one pass over the matrix, which is too large for the processor's own memory."""


@jit
def broken_triangles(matrix: Floats, allowed: Floats, begin: int, end: int) -> int:
    """How many distances from a record in begin .. end - 1 are longer than a way by a third record, over all thirds.

    `allowed` has the distances less what rounding may have added; both are square, symmetric and C-contiguous.
    O((end - begin) n^2) time: the inner loop only counts, so that the compiler can take several records at once.
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
