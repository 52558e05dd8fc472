"""A quick lower bound on the squared error of every partition, from nearest neighbors.

Problem     find a lower bound on the squared error of all partitions into groups of at least k.
Guarantee   `neighbor_bound` is at most the optimum: theorem SSE-1, docs/proofs/microaggregation.md. It is rounded
            down.
Complexity  one query of 2k - 2 nearest neighbors per record.

References
----------
.. [1] J. Domingo-Ferrer and J. M. Mateo-Sanz (2002). "Practical data-oriented microaggregation for statistical
   disclosure control." IEEE TKDE 14(1), 189-201: an optimal group has k to 2k - 1 records.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.partition.microaggregation.sse import rounded_down
from shoal.partition.result import Floats


def neighbor_bound(points: Floats, k: int, *, n_threads: int = 1) -> float:
    """Return a lower bound on the squared error of every partition into groups of at least `k`. Expects n >= 2k.

    The share of a record in the squared error of its group of m is at least the sum of its m - 1 smallest squared
    distances, divided by 2m.
    """
    distance, _ = nearest_neighbors(build_tree(points), 2 * k - 2, n_threads)
    sums = np.cumsum(distance, axis=1)
    sizes = np.arange(k, 2 * k)
    shares = (sums[:, k - 2 :] / (2 * sizes)).min(axis=1)
    # Rounding errors of a share: d + 2 in a distance (differences round once), 2k in the sum, 1 in the division.
    return rounded_down(math.fsum(shares), points.shape[1] + 2 * k + 8)
