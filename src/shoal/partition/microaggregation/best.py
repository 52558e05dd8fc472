"""Method "best": the lowest squared error that is found with a given amount of work.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   never worse than its start, the best of MDAV, the spanning tree and a dynamic program over an order;
            nothing is proved about the optimum, but there is a lower bound.
Complexity  `effort` proposals of O(d) per record, on blocks of at most `MOST_BLOCK_RECORDS` records; deterministic
            for a seed and an effort, on any number of threads, and never worse for a larger effort. A time limit may
            end it early, which is reported.

Notes
-----
The search consists of turns of simulated annealing: moves, swaps, ejections, and dissolving and forming groups. Some
turns start at a high temperature, others at a low one to refine. After a turn, the better parts of its result and of
the best partition so far are kept. For small inputs and small k, set partitioning combines the groups of all turns
into the best partition that they allow, and regions of growing size are regrouped with further groups from column
generation.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

import numpy as np

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.microaggregation.annealing import (
    TEMPERATURES,
    Found,
    Improved,
    as_columns,
    better_points,
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

MOST_BLOCK_RECORDS = 8192
"""Most records that are searched as a whole; larger inputs are searched in blocks, with other borders in every
turn."""
CHAINS = 2
"""Independent annealing schedules per turn of a small input."""
TIMED_FIRST, TIMED_LONGER, TIMED_MOST = 500, 1.3, 4000
"""If only the time limit ends the search: proposals per record in the first turn, factor from one turn to the next,
and proposals per record in the longest turn."""
MERGED, MERGED_K, MERGED_EFFORT = 5000, 6, 2000
"""Set partitioning combines the partitions found, after every second turn, for at most MERGED records, k of at most
MERGED_K, and from MERGED_EFFORT proposals per record on."""
SIZES, REGIONS_EFFORT, LITTLE = (50, 80, 120, 180, 270, 400, 2000), 5000, 2e-5
"""Records of the regions that are regrouped on their own, one size after each set partitioning, from REGIONS_EFFORT
proposals per record on. After a pass with a relative gain below LITTLE the next size is skipped, but never the last,
which is used only for inputs of at most that size."""
ANNEALED = 0.3
"""If only the time limit ends the search: share of the time for turns before regions are regrouped."""


def improve(
    points: Floats, k: int, *, seed: int, effort: int | None, time_limit: float | None, n_threads: int
) -> Improved:
    """Return the best groups found with `effort` proposals per record, or within `time_limit` seconds.

    Expects sorted points and n >= 2k. Without an effort, only the time limit ends the search.
    """
    centered = points - points.mean(axis=0)
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    most = max(MOST_BLOCK_RECORDS, 8 * k)
    if len(points) <= most:
        return _whole(centered, k, seed, effort, deadline, n_threads)
    return improve_blocks(centered, k, most, seed=seed, effort=effort, deadline=deadline, n_threads=n_threads)


class _Search:
    """The best partition of a small input so far, and the groups of all partitions found."""

    def __init__(self, points: Floats, k: int, seed: int, n_threads: int, labels: Labels) -> None:
        self.points, self.k, self.seed, self.n_threads = points, k, seed, n_threads
        self.labels = labels
        self.neighbor = neighbor_lists(points, k, n_threads)
        self.groups = distinct(as_columns(labels, k))
        self.merging = len(points) <= MERGED and k <= MERGED_K
        self.sizes = [size for size in SIZES if len(points) <= SIZES[-1] or size < SIZES[-1]] if self.merging else []

    def turn(self, number: int, effort: int, deadline: float) -> bool:
        """Run independent schedules from the best partition; return whether the deadline ended one of them."""
        runs: dict[int, Found] = {}

        def run(chain: int, _stop: int) -> None:
            runs[chain] = search(
                self.points, self.neighbor, self.labels, self.k, seed=self.seed * 1009 + number * CHAINS + chain,
                effort=effort, hot=TEMPERATURES[number % len(TEMPERATURES)], deadline=deadline,
            )  # fmt: skip

        in_slots(run, CHAINS, self.n_threads, slot=1)
        for chain in range(CHAINS):
            self.labels = better_points(self.points, self.labels, runs[chain].labels)
        if self.merging:
            ends = [as_columns(labels, self.k) for labels in (self.labels, *(run.last for run in runs.values()))]
            self.groups = distinct(np.concatenate([self.groups, *ends]))
        return any(run.timed_out for run in runs.values())

    def merge(self, deadline: float, nodes: int = NODES) -> None:
        """Combine the groups of all partitions found by set partitioning; forget them if they were too many."""
        self.labels, ended = best_of_columns(self.points, self.groups, self.labels, deadline=deadline, nodes=nodes)
        if not ended:
            self.groups = distinct(as_columns(self.labels, self.k))

    def regroup(self, deadline: float, nodes: int = NODES) -> None:
        """Regroup regions of the next size, using the groups of all partitions found and those of column generation.

        `nodes` is the solver's limit for the last size.
        """
        before, size = sse(self.points, self.labels), self.sizes.pop(0)
        self.labels, self.groups = improve_regions(
            self.points, self.k, self.labels, self.groups, size=size, deadline=deadline, n_threads=self.n_threads,
            nodes=NODES if self.sizes else nodes,
        )  # fmt: skip
        if sse(self.points, self.labels) > before * (1 - LITTLE) and len(self.sizes) > 1:
            self.sizes.pop(0)


def _whole(points: Floats, k: int, seed: int, effort: int | None, deadline: float, n_threads: int) -> Improved:
    """Search a small input as a whole: turns of growing length, each from the best partition so far."""
    labels = min(starts(points, k), key=lambda found: sse(points, found))
    start_cost = sse(points, labels)
    if start_cost == 0:
        return Improved(labels, start_cost, False)
    work = _Search(points, k, seed, n_threads, labels)
    if effort is None:
        return _timed(work, start_cost, deadline)
    timed_out = False
    with progress.step("improving groups", effort) as advance:
        done = 0
        for number, length in enumerate(lengths(effort // CHAINS)):
            timed_out = work.turn(number, length, deadline)
            done += CHAINS * length
            if done >= MERGED_EFFORT and work.merging and number % 2 == 1 and not timed_out:
                work.merge(deadline)
                if done >= REGIONS_EFFORT and work.sizes:
                    work.regroup(deadline)
            advance(CHAINS * length)
            timed_out |= time.monotonic() > deadline
            if timed_out:
                break
    return Improved(work.labels, start_cost, timed_out)


def _timed(work: _Search, start_cost: float, deadline: float) -> Improved:
    """Search until the deadline: turns, then regions if the input is small, then turns again."""
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
    """Run turns of growing length until the deadline; the last takes the remaining time, unless that is too short."""
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
    """Yield first partitions of a small input."""
    yield mdav(points, k)
    yield split_tree(points, k, by_diameter=True)
    # Points in the order of their projection on the first principal component. With more columns than points, the
    # eigenvector of the smaller matrix points @ points.T gives the projections themselves.
    wide = points.shape[1] > points.shape[0]
    axis = np.linalg.eigh(points @ points.T if wide else points.T @ points)[1][:, -1]
    yield cut_order(points, np.argsort(axis if wide else points @ axis, kind="stable"), k)
