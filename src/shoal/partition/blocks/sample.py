"""A sample of records that depends on the records alone: those with the smallest hashes.

The hash is computed from the bits of the coordinates by 64-bit integers only, so that it is the same in any order of
rows, on any machine and in any engine. Copies of a record have the same hash; they are in the sample together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

Words = npt.NDArray[np.uint64]

GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""The constants of splitmix64."""


class Sample(NamedTuple):
    """The rows of a sample, and the share of the counted rows of the table that they are."""

    rows: Labels
    share: float


def row_hashes(coordinates: Floats, seed: int = 0) -> Words:
    """Return a 64-bit hash of every row of an array of numbers; -0.0 has the hash of 0.0."""
    hashes = np.full(len(coordinates), (seed + GOLDEN) % 2**64, dtype=np.uint64)
    for column in coordinates.T:
        hashes = mixed(hashes ^ np.ascontiguousarray(column + 0.0).view(np.uint64))
    return hashes


def mixed(words: Words) -> Words:
    """Return the words scrambled by splitmix64."""
    words = words + np.uint64(GOLDEN)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(FIRST)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(SECOND)
    scrambled: Words = words ^ (words >> np.uint64(31))
    return scrambled


def counted_rows(space: Space, most: int | None) -> npt.NDArray[np.bool_]:
    """Return which rows count: of the copies of each record the first `most`, all rows if `most` is None."""
    counted = np.ones(len(space), dtype=bool)
    if most is not None:
        _, counts, point_of = space.distinct()
        order = np.argsort(point_of, kind="stable")
        place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        counted[order] = place < most
    return counted


def costly_rows(space: Space, k: int) -> npt.NDArray[np.bool_]:
    """Return which rows the search has work with: those with fewer than `k` copies, and one of all other copies."""
    _, counts, point_of = space.distinct()
    return counted_rows(space, 1) | (counts < k)[point_of]


def sample_of(space: Space, counted: npt.NDArray[np.bool_], size: int, seed: int = 0) -> Sample:
    """Return about `size` of the counted rows: those with the smallest hashes, copies of the last one included."""
    rows = np.flatnonzero(counted)
    if len(rows) <= size:
        return Sample(rows, 1.0)
    hashes = row_hashes(space.coordinates[rows], seed)
    chosen = rows[hashes <= np.partition(hashes, size - 1)[size - 1]]
    return Sample(chosen, len(chosen) / len(rows))
