"""`best`: the lowest squared error for a given amount of work.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   never worse than its start, the best of MDAV, the spanning tree and dynamic programs over orders;
            nothing is proved against the optimum, for which there is the lower bound.
Complexity  `effort` proposals of O(d) per record, on blocks of at most `BLOCK` records; deterministic for a seed and
            an effort, on any number of threads, and never worse for a larger effort. A time limit stops earlier and
            says so.

Notes
-----
Annealing over moves, swaps, ejections, dissolved and new groups between neighboring groups, in turns: from new
heat, or from a little to refine. Of the best groups and those at the end of a turn the better parts are kept. For
small inputs and small k set partitioning merges the groups of all turns into the best grouping that they hold, and
regions of growing size are regrouped with the groups that column generation adds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

import numpy as np

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.microaggregation.annealing import (
    HEATS,
    Found,
    Improved,
    as_columns,
    better_parts,
    lengths,
    neighbor_lists,
    search,
)
from shoal.partition.microaggregation.best_blocks import improve_blocks
from shoal.partition.microaggregation.column_generation import distinct
from shoal.partition.microaggregation.fixed_size import split_tree
from shoal.partition.microaggregation.large_neighborhoods import improve_regions
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.set_partitioning import ENDLESS, NODES, best_of_columns
from shoal.partition.microaggregation.sse import sse
from shoal.partition.microaggregation.univariate import cut_order
from shoal.partition.result import Floats, Labels

BLOCK = 8192
"""Records searched together; larger inputs are searched in blocks, with other borders in every turn."""
CHAINS = 2
"""Schedules of a small input side by side."""
TIMED_FIRST, TIMED_LONGER, TIMED_MOST = 500, 1.3, 4000
"""Proposals per record of the first turn, how much longer a turn is than the one before, and of the longest, where
only the clock ends the search."""
MERGED, MERGED_K, MERGED_EFFORT = 5000, 6, 2000
"""The groupings found are merged by set partitioning for up to so many records, for k up to this, from this effort
on, after every turn of refinement."""
SIZES, REGIONS_EFFORT, LITTLE = (50, 80, 120, 180, 270, 400, 2000), 5000, 2e-5
"""Records of a region that is regrouped on its own, by passes: one after every merging, from this effort on. After a
pass that gains less than this share a size is left out, but never the last, which is for inputs of up to its size."""
ANNEALED = 0.3
"""Share of the time for turns before regions are regrouped, where only the clock ends the search."""


def improve(
    points: Floats, k: int, *, seed: int, effort: int | None, time_limit: float | None, n_threads: int
) -> Improved:
    """The best groups found with `effort` proposals per record, or until `time_limit` seconds are over.

    Expects sorted points and n >= 2k. Without an effort, only the clock ends the search.
    """
    centered = points - points.mean(axis=0)
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    most = max(BLOCK, 8 * k)
    if len(points) <= most:
        return _whole(centered, k, seed, effort, deadline, n_threads)
    return improve_blocks(centered, k, most, seed=seed, effort=effort, deadline=deadline, n_threads=n_threads)


class _Search:
    """The best groups of a small input so far, and the groups of all groupings found."""

    def __init__(self, points: Floats, k: int, seed: int, n_threads: int, labels: Labels) -> None:
        self.points, self.k, self.seed, self.n_threads = points, k, seed, n_threads
        self.labels = labels
        self.neighbor = neighbor_lists(points, k, n_threads)
        self.groups = distinct(as_columns(labels, k))
        self.merging = len(points) <= MERGED and k <= MERGED_K
        self.sizes = [size for size in SIZES if len(points) <= SIZES[-1] or size < SIZES[-1]] if self.merging else []

    def turn(self, number: int, effort: int, deadline: float) -> bool:
        """Independent schedules from the best groups; whether the clock stopped one."""
        runs: dict[int, Found] = {}

        def run(chain: int, _stop: int) -> None:
            runs[chain] = search(
                self.points, self.neighbor, self.labels, self.k, seed=self.seed * 1009 + number * CHAINS + chain,
                effort=effort, hot=HEATS[number % len(HEATS)], deadline=deadline,
            )  # fmt: skip

        in_slots(run, CHAINS, self.n_threads, slot=1)
        for chain in range(CHAINS):
            self.labels = better_parts(self.points, self.labels, runs[chain].labels)
        if self.merging:
            ends = [as_columns(labels, self.k) for labels in (self.labels, *(run.last for run in runs.values()))]
            self.groups = distinct(np.concatenate([self.groups, *ends]))
        return any(run.stopped for run in runs.values())

    def merge(self, deadline: float, nodes: int = NODES) -> None:
        """Set partitioning over the groups of all groupings found; these are forgotten where they were too many."""
        self.labels, ended = best_of_columns(self.points, self.groups, self.labels, deadline=deadline, nodes=nodes)
        if not ended:
            self.groups = distinct(as_columns(self.labels, self.k))

    def regroup(self, deadline: float, nodes: int = NODES) -> None:
        """Regions of the next size regrouped, with the groups of all groupings found and those that are priced in.

        The last size has `nodes`.
        """
        before, size = sse(self.points, self.labels), self.sizes.pop(0)
        self.labels, self.groups = improve_regions(
            self.points, self.k, self.labels, self.groups, size=size, deadline=deadline, n_threads=self.n_threads,
            nodes=NODES if self.sizes else nodes,
        )  # fmt: skip
        if sse(self.points, self.labels) > before * (1 - LITTLE) and len(self.sizes) > 1:
            self.sizes.pop(0)


def _whole(points: Floats, k: int, seed: int, effort: int | None, deadline: float, n_threads: int) -> Improved:
    """Schedules of growing length from the best groups so far, their results merged."""
    labels = min(starts(points, k), key=lambda found: sse(points, found))
    start_cost = sse(points, labels)
    if start_cost == 0:
        return Improved(labels, start_cost, False)
    work = _Search(points, k, seed, n_threads, labels)
    if effort is None:
        return _timed(work, start_cost, deadline)
    stopped = False
    with progress.step("improving groups", effort) as advance:
        done = 0
        for number, length in enumerate(lengths(effort // CHAINS)):
            stopped = work.turn(number, length, deadline)
            done += CHAINS * length
            if done >= MERGED_EFFORT and work.merging and number % 2 == 1 and not stopped:
                work.merge(deadline)
                if done >= REGIONS_EFFORT and work.sizes:
                    work.regroup(deadline)
            advance(CHAINS * length)
            stopped |= time.monotonic() > deadline
            if stopped:
                break
    return Improved(work.labels, start_cost, stopped)


def _timed(work: _Search, start_cost: float, deadline: float) -> Improved:
    """Turns, then regions if the input is small, then turns until the clock ends the search."""
    left, numbers = deadline - time.monotonic(), count()
    with progress.step("improving groups") as advance:
        if work.sizes:
            _turns_until(deadline - (1 - ANNEALED) * left, work, numbers, advance)
            work.merge(min(time.monotonic() + left / 12, deadline), ENDLESS)
        while work.sizes and time.monotonic() < deadline:
            work.regroup(deadline, ENDLESS)
        _turns_until(deadline - 0.05 * left, work, numbers, advance)
    return Improved(work.labels, start_cost, True)


def _turns_until(deadline: float, work: _Search, numbers: Iterator[int], advance: progress.Advance) -> None:
    """Turns of growing length; the last takes what is left, unless it would be too short to find anything."""
    length = float(TIMED_FIRST)
    while (begin := time.monotonic()) < deadline:
        work.turn(next(numbers), int(length), deadline)
        advance(int(length))
        now = time.monotonic()
        fits = length * (deadline - now) / (now - begin) * 0.95
        if fits < length / 2:
            break
        length = min(fits, length * TIMED_LONGER, TIMED_MOST)


def starts(points: Floats, k: int) -> Iterator[Labels]:
    """Groupings of a small input to begin with."""
    yield mdav(points, k)
    yield split_tree(points, k, by_diameter=True)
    # Of more columns than points, the smaller matrix has the projections themselves.
    wide = points.shape[1] > points.shape[0]
    axis = np.linalg.eigh(points @ points.T if wide else points.T @ points)[1][:, -1]
    yield cut_order(points, np.argsort(axis if wide else points @ axis, kind="stable"), k)
