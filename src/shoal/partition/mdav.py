"""MDAV: maximum distance to the average vector.

Problem     split n points into groups of at least k, minimising the squared distances to the groups' means.
Guarantee   the groups of the published algorithm, ties to the first point; nothing is proved about the error.
Complexity  O(n^2 d / k) time, O(n d) memory.

References
----------
.. [1] J. Domingo-Ferrer and V. Torra (2005). "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation." Data Mining and Knowledge Discovery 11(2), 195-212.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.mdav import mdav_groups
from shoal.partition.result import Floats, Labels


def mdav(points: Floats, k: int) -> Labels:
    """Groups of `k` around the point farthest from the centroid and the point farthest from that one, in turn."""
    labels: Labels = mdav_groups(np.ascontiguousarray((points - points.mean(axis=0)).T), k)
    return labels
