"""A start for large groups: the table cut in two where both parts cost least, and so on.

Problem     groups of at least k records that generalize to little.
Guarantee   every group has at least k records. Nothing is proved about the cost; where k is large it is well below
            that of cuts at medians.
Complexity  a sort and a pass over a part's records for every column and every cut: O(d^2 n log n) where cuts are
            balanced. Deterministic for an order of the records, and equal for any number of threads.

Notes
-----
A part is cut between two values of a number or two leaves of a hierarchy in their order, or between the more and the
less frequent of its labels: wherever the sum over both parts of size x extents is least, as long as each keeps k.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.generalization_cuts import weigh_cuts
from shoal.kernels.generalization_groups import Groups, Records
from shoal.partition.result import Labels
from shoal.space.space import Space

Ranks = npt.NDArray[np.uint16] | Labels
LARGE = 2000
"""Records of a part whose columns are weighed on several threads."""


def cut_at_best(space: Space, records: Records, k: int, n_threads: int) -> Labels:
    """Groups; `records` are those of `space` by kind of axis."""
    ranks = [_ranks(column) for column in space.coordinates.T]
    by_label = [axis.label_cost > 0 for axis in space.axes]
    labels, n_groups = np.empty(len(space), dtype=np.int64), 0
    parts = [np.arange(len(space))]

    def weighed(job: tuple[int, Labels]) -> tuple[float, int, Labels]:
        j, rows = job
        values = ranks[j][rows]
        keys = _by_frequency(values) if by_label[j] else values
        order = np.argsort(keys, kind="stable")
        scratch = _one_group(records), np.empty(len(rows) + 1)
        cost, place = weigh_cuts(records, scratch[0], rows[order], keys[order].astype(np.int64), k, scratch[1])
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
    """Places of the values in their order; short numbers are sorted far faster."""
    values, ranks = np.unique(column, return_inverse=True)
    return ranks.astype(np.uint16) if len(values) < 2**16 else ranks.astype(np.int64)


def _by_frequency(values: Ranks) -> Ranks:
    """Places of the labels from the most frequent to the rarest; ties in their own order."""
    counts = np.bincount(values)
    places = np.empty(len(counts), dtype=values.dtype)
    places[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return places[values]


def _one_group(records: Records) -> Groups:
    return Groups(
        label=np.zeros(0, dtype=np.int64),
        members=np.zeros((1, 0), dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        extent=np.zeros(1),
        deficit=np.zeros(1),
        ends=np.zeros((1, records.spans.shape[1], 4)),
        bits=np.zeros((1, records.words.shape[1], 2), dtype=np.uint64),
    )
