"""Lower bounds on the squared error of every grouping.

Problem     bound from below the within-group squared error of all groupings into groups of at least k.
Guarantee   `neighbor_bound` is at most the optimum: theorem SSE-1, docs/proofs/microaggregation.md. Rounded down.
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
    """No grouping of `points` into groups of at least `k` has a smaller squared error. Expects n >= 2k.

    A record in a group of m pays at least its m - 1 smallest squared distances over 2m.
    """
    distance, _ = nearest_neighbors(build_tree(points), 2 * k - 2, n_threads)
    sums = np.cumsum(distance, axis=1)
    sizes = np.arange(k, 2 * k)
    shares = (sums[:, k - 2 :] / (2 * sizes)).min(axis=1)
    # Roundings in a share: d + 2 in a distance (points differ by one rounding), 2k in the sum, 1 in the division.
    return rounded_down(math.fsum(shares), points.shape[1] + 2 * k + 8)
