"""A first partition for large k: the table is cut in two where both parts together cost least, recursively.

Problem     find groups of at least k records with a small generalization cost.
Guarantee   every group has at least k records. Nothing is proved about the cost; for large k it is well below that of
            cuts at medians.
Complexity  a sort and a pass over the records of a part for every column and every cut: O(d^2 n log n) if cuts are
            balanced. Deterministic for a given order of the records, and equal for any number of threads.

Notes
-----
A part is cut between two values of a number, between two leaves of a hierarchy in depth-first order, or between its
more and its less frequent labels: at the place where the sum of size x extent over both parts is least and each part
keeps k records.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.generalization_cuts import best_cut
from shoal.kernels.generalization_groups import Groups, RecordArrays
from shoal.partition.result import Labels
from shoal.space.space import Space

Ranks = npt.NDArray[np.uint16] | Labels
LARGE = 2000
"""Parts of more records than this examine their columns on several threads."""


def cut_at_best(space: Space, records: RecordArrays, k: int, n_threads: int) -> Labels:
    """Return the group of each record; `records` are the records of `space` in the form that the kernels read."""
    ranks = [_ranks(column) for column in space.coordinates.T]
    by_label = [axis.in_sets for axis in space.axes]
    labels, n_groups = np.empty(len(space), dtype=np.int64), 0
    parts = [np.arange(len(space))]

    def weighed(job: tuple[int, Labels]) -> tuple[float, int, Labels]:
        j, rows = job
        values = ranks[j][rows]
        keys = _by_frequency(values) if by_label[j] else values
        order = np.argsort(keys, kind="stable")
        scratch = _one_group(records), np.empty(len(rows) + 1)
        cost, place = best_cut(records, scratch[0], rows[order], keys[order].astype(np.int64), k, scratch[1])
        return cost, place, order

    with progress.step("cuts", total=len(space)) as advance, ThreadPoolExecutor(n_threads) as pool:
        while parts:
            rows = parts.pop()
            if len(rows) >= 2 * k:
                run = pool.map if len(rows) > LARGE else map
                jobs = [(j, rows) for j in range(len(ranks))]
                _, place, order = min(run(weighed, jobs), key=lambda found: found[0])
                if place:
                    parts += [rows[np.sort(order[:place])], rows[np.sort(order[place:])]]
                    continue
            labels[rows] = n_groups
            n_groups += 1
            advance(len(rows))
    return labels


def _ranks(column: npt.NDArray[np.float64]) -> Ranks:
    """Return the rank of each value; 16-bit ranks, if there are few values, are sorted much faster."""
    values, ranks = np.unique(column, return_inverse=True)
    return ranks.astype(np.uint16) if len(values) < 2**16 else ranks.astype(np.int64)


def _by_frequency(values: Ranks) -> Ranks:
    """Return the rank of each label from the most frequent to the rarest; ties keep the order of the labels."""
    counts = np.bincount(values)
    places = np.empty(len(counts), dtype=values.dtype)
    places[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return places[values]


def _one_group(records: RecordArrays) -> Groups:
    """Return work space for the summary of one group."""
    return Groups(
        label=np.zeros(0, dtype=np.int64),
        members=np.zeros((1, 0), dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        extent=np.zeros(1),
        deficit=np.zeros(1),
        ends=np.zeros((1, records.spans.shape[1], 4)),
        bits=np.zeros((1, records.words.shape[1], 2), dtype=np.uint64),
    )
