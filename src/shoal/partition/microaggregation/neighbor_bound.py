"""A quick lower bound on the squared error of every partition, from nearest neighbors.

Problem     find a lower bound on the squared error of all partitions into groups of at least k.
Guarantee   `neighbor_bound` is at most the optimum: theorem SSE-1, docs/proofs/microaggregation.md. It is rounded
            down.
Complexity  one query of k - 1 nearest neighbors per record.
"""

from __future__ import annotations

import math

from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.partition.microaggregation.sse import rounded_down
from shoal.partition.result import Floats


def neighbor_bound(points: Floats, k: int, *, n_threads: int = 1) -> float:
    """Return a lower bound on the squared error of every partition into groups of at least `k`. Expects n >= k >= 2.

    The share of a record in the squared error of its group of m is at least the sum of its m - 1 smallest squared
    distances, divided by 2m; that is smallest for m = k.
    """
    distance, _ = nearest_neighbors(build_tree(points), k - 1, n_threads)
    shares = distance.sum(axis=1) / (2 * k)
    # Rounding errors of a share: d + 2 in a distance (differences round once), k in the sum, 1 in the division.
    return rounded_down(math.fsum(shares), points.shape[1] + k + 8)
