"""The nearest rows of the whole table, as far as searches inside blocks have found them.

By BLOCKS-2 (docs/proofs/blocks.md) the nearest rows of a record inside its block are those of the whole table if the
last of them is not farther than any other block.
"""

from __future__ import annotations

import math
import threading

import numpy as np

from shoal.partition.generalization.annealing_starts import list_length
from shoal.partition.generalization.forest import KnownNearest, first_width
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space


class NearestInBlocks:
    """Gathers the nearest rows that are found in the blocks of a space."""

    def __init__(self, space: Space, k: int) -> None:
        self.k, self.width = k, first_width(k)
        _, self.counts, self.point_of = space.distinct()
        n_points = len(self.counts)
        self.distances = np.full((n_points, self.width), np.inf)
        self.nearest = np.full((n_points, self.width), -1, dtype=np.int64)
        self.last = np.full(n_points, np.inf)
        self.lock = threading.Lock()

    def lists_of(self, space: Space, rows: Labels) -> Labels:
        """Return the neighbor lists of the different records of a block, for the search, and keep their beginning.

        `space` is the block, with the given rows of the whole table.
        """
        points, _, _ = space.distinct()
        found, near = Neighbors(points, n_threads=1).nearest(list_length(self.k, len(points)))
        # both orders are canonical: the different records of the block, and those of the whole table
        numbers = np.unique(self.point_of[rows])
        width = min(self.width, near.shape[1])
        nearest, distances = numbers[near[:, :width]], found[:, :width].copy()
        held = np.cumsum(self.counts[nearest], axis=1)
        unused = held - self.counts[nearest] >= self.width
        nearest[unused], distances[unused] = -1, np.inf
        enough = held[:, -1] >= self.width
        last = np.where(enough, np.where(unused, -np.inf, distances).max(axis=1), np.inf)
        with self.lock:
            self.nearest[numbers, :width], self.distances[numbers, :width] = nearest, distances
            self.last[numbers] = last
        return near

    def known(self, apart: Floats) -> KnownNearest:
        """Return what is known of the whole table, given a bound on each row's distance to other blocks.

        Rows of one different record must be in one block.
        """
        reach = np.empty(len(self.counts))
        reach[self.point_of] = apart
        return KnownNearest(self.last <= reach, self.distances, self.nearest)

    def least_cost(self, apart: Floats) -> float:
        """Return what all records cost at least in every grouping of a table of which the space is a part (BLOCKS-4).

        `apart` is at most the distance of each row to the records of other parts.
        """
        own = np.full(len(self.counts), np.inf)
        np.minimum.at(own, self.point_of, apart)
        # a list that ends before the record wanted says nothing about its distance
        found = np.isfinite(self.last) & (self.counts < self.k)
        return math.fsum(self.counts * np.where(found, np.minimum(self.last, own), 0.0))
