"""A search for less loss, block by block on all cores, and then along the borders between blocks.

Problem     given a search that improves groups, apply it to a table that is too large for it.
Guarantee   the groups found in blocks are groups of the whole table; nothing else is claimed here. Whoever compares
            them with the groups of a method with a theorem, and takes the cheaper ones, keeps its ratio
            (docs/proofs/blocks.md). The result depends neither on the order of rows nor on the number of threads.
Complexity  that of the search on blocks of BLOCK records, which work in parallel; the choice of blocks is serial and
            needs one search on a sample of SAMPLE records.

Notes
-----
A record gains nothing by a group across a cut if it would be farther from that group's records than its present group
costs it. So after the blocks only groups with a record that is clearly nearer to another block are searched again.
Their records are cut into other blocks, by the same sample: it has groups across the first borders, which are
therefore not cut again. Groups stay whole there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.blocks.plan import Admissible, Blocks, Grouped, cut_blocks
from shoal.partition.blocks.sample import costly_rows, counted_rows, sample_of
from shoal.partition.generalization.annealing import regroup
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Floats, Labels
from shoal.partition.rules import Regrouped
from shoal.space.space import Space

BLOCK, BLOCK_OF_K, MANY_BLOCKS = 20_000, 400, 2.5
"""A block has at most BLOCK records, or BLOCK_OF_K times k if that is more. Tables of fewer than MANY_BLOCKS blocks
are searched as a whole: there blocks lose .3 % more, and save a third of the time of a search that is short anyway
(docs/scale.md)."""
SAMPLE, SAMPLE_EFFORT = 20_000, 20.0
"""Records of the sample, and the effort of its search."""
IN_BLOCKS = 0.8
"""The share of a time limit that the blocks have; the borders have the rest."""
NEAR_BORDER = 0.5
"""A group is searched again if one of its records is nearer to another block than this share of what the group costs
each of its records: most that gain by a group across the border are."""
COPIES = 2
"""The sample has at most COPIES times k copies of a record: the others are in groups of their own."""


@dataclass(frozen=True, slots=True)
class Part:
    """One call of the search: the rows, the groups to begin with, and what the search has to know of the whole."""

    rows: Labels
    labels: Labels
    """The groups to begin with, of these rows: one group of all if there was no search before."""
    continued: bool
    """Whether the groups are those of an earlier search, which are to be improved and not to be made again."""
    from_cells: bool
    """Whether groups from the cheapest cells are worth trying as a start: they were found in the sample."""
    number: int
    """The number of the part, by which random numbers of different parts differ."""
    time_limit: float | None


Search = Callable[[Part], Regrouped]


class InBlocks(NamedTuple):
    """The groups that were found, whether a time limit ended the search early, and the first blocks."""

    labels: Labels
    timed_out: bool
    blocks: Blocks


def worth_cutting(space: Space, k: int, *, copies_count: bool) -> bool:
    """Return whether a table is large enough for blocks; `k` copies of a record or more may count as one."""
    if len(space) <= MANY_BLOCKS * block_size(k):
        return False
    return copies_count or costly_rows(space, k).sum() > MANY_BLOCKS * block_size(k)


def block_size(k: int) -> int:
    """Return the largest number of records in a block."""
    return max(BLOCK, BLOCK_OF_K * k)


def search_in_blocks(
    space: Space,
    k: int,
    search: Search,
    *,
    labels: Labels | None = None,
    people: Labels | None = None,
    admissible: Admissible | None = None,
    copies_count: bool = False,
    size: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    n_threads: int | None = None,
) -> InBlocks:
    """Return groups that `search` found in blocks, and then along the borders between these.

    With `labels`, these groups are improved in blocks of whole groups instead. Rows of equal `people` are in one
    block, and only cuts that are `admissible` are made. Every block has at most `size` records as far as these allow.
    """
    begun, most = time.monotonic(), block_size(k) if size is None else size
    counted = np.ones(len(space), dtype=bool) if copies_count else costly_rows(space, k)
    with progress.step("blocks"):
        sample = _solved_sample(space, k, seed)
        blocks = cut_blocks(
            space,
            np.arange(len(space)),
            sample,
            most,
            counted=counted,
            units=people if labels is None else labels,
            admissible=admissible if labels is None else None,
        )
        from_cells = cheapest_first(space.take(sample.rows), k) is not None
    runner = _Runner(search, begun, time_limit, n_threads, from_cells=from_cells)
    first = np.zeros(len(space), dtype=np.int64) if labels is None else labels
    found = runner.run(blocks, first, until=IN_BLOCKS if labels is None else 1.0, continued=labels is not None)
    border = _near_borders(space, found, blocks)
    if labels is None and len(border):
        known = np.isin(sample.rows, border)
        near = Grouped(sample.rows[known], sample.labels[known])
        again = cut_blocks(space, border, near, most, counted=counted, units=found)
        found = runner.run(again, found, continued=True)
    return InBlocks(number_groups(found), runner.timed_out, blocks)


def _solved_sample(space: Space, k: int, seed: int) -> Grouped:
    """Return a sample of the rows with its groups.

    In a sample of a share s of the records, groups of s times k are as wide as groups of k are among all records.
    """
    sample = sample_of(space, counted_rows(space, COPIES * k), SAMPLE, seed)
    least = max(2, round(k * sample.share))
    together = np.zeros(len(sample.rows), dtype=np.int64)
    return Grouped(
        sample.rows, regroup(space.take(sample.rows), together, least, effort=SAMPLE_EFFORT, seed=seed).labels
    )


def _near_borders(space: Space, labels: Labels, blocks: Blocks) -> Labels:
    """Return the rows of groups that have a record nearer to another block than the group costs each record."""
    if blocks.n_blocks < 2:
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    costs: Floats = cost_of_groups(space, order, starts)
    near = np.minimum.reduceat(blocks.apart[order], starts) < NEAR_BORDER * costs
    sizes = np.diff(starts, append=len(order))
    return np.sort(order[np.repeat(near, sizes)])


class _Runner:
    """Runs a search on blocks, as many at a time as there are cores, and shares out the time that is left."""

    def __init__(
        self, search: Search, begun: float, time_limit: float | None, n_threads: int | None, *, from_cells: bool
    ) -> None:
        self.from_cells = from_cells
        self.search, self.begun, self.time_limit = search, begun, time_limit
        self.n_threads = n_threads or available_cores()
        self.timed_out = False
        self.runs = 0

    def run(self, blocks: Blocks, labels: Labels, *, continued: bool, until: float = 1.0) -> Labels:
        """Return the labels after the search of every block; rows that are in no block keep their groups.

        The search ends when the share `until` of the time limit has passed.
        """
        found = labels.copy()
        order = np.argsort(blocks.block, kind="stable")[np.count_nonzero(blocks.block < 0) :]
        parts = np.split(order, np.cumsum(np.bincount(blocks.block[order], minlength=blocks.n_blocks))[:-1])
        left = len(order)
        largest_first = sorted(range(len(parts)), key=lambda number: (-len(parts[number]), number))
        results: list[Regrouped | None] = [None] * len(parts)

        def one(number: int) -> None:
            nonlocal left
            rows = parts[number]
            part = Part(
                rows=rows,
                labels=number_groups(labels[rows]),
                continued=continued,
                from_cells=self.from_cells,
                number=self.runs + number,
                time_limit=self._share(len(rows) / max(left, 1), until),
            )
            results[number] = self.search(part)
            left -= len(rows)

        with progress.step("regrouping", total=len(order)) as advance, ThreadPoolExecutor(self.n_threads) as pool:
            jobs = {pool.submit(one, number): len(parts[number]) for number in largest_first}
            for job in as_completed(jobs):
                job.result()
                advance(jobs[job])
        n_groups = int(labels.max(initial=-1)) + 1
        for rows, result in zip(parts, results, strict=True):
            assert result is not None
            found[rows] = result.labels + n_groups
            n_groups += int(result.labels.max(initial=-1)) + 1
            self.timed_out = self.timed_out or result.timed_out
        self.runs += len(parts)
        return number_groups(found)

    def _share(self, share: float, until: float) -> float | None:
        """Return the seconds for a part with this share of the rows that are left; None without a time limit."""
        if self.time_limit is None:
            return None
        left = max(0.0, self.begun + until * self.time_limit - time.monotonic())
        return min(left, left * share * self.n_threads)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
