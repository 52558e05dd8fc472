"""`best`: the lowest squared error for a given amount of work.

Problem     split n points into groups of at least k, minimising the squared distances to the groups' means.
Guarantee   never worse than its start, the best of MDAV, the spanning tree and dynamic programs over orders;
            nothing is proved against the optimum, for which there is the lower bound.
Complexity  `effort` proposals of O(d) per record, on blocks of at most `BLOCK` records; deterministic for a seed and
            an effort, on any number of threads. A time limit stops earlier and says so.

Notes
-----
Annealing over moves, swaps, ejections, dissolved and new groups between neighbouring groups; then, for small inputs
and a large enough effort, set partitioning over the groups met while the search was nearly cold, and for small k over
those that column generation adds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.column_generation import column_bound, distinct
from shoal.partition.fixed_size import split_oversized
from shoal.partition.improve_columns import best_at_prices, best_of_columns
from shoal.partition.improve_search import Found, as_columns, neighbor_lists, search
from shoal.partition.mdav import mdav
from shoal.partition.mst import spanning_tree
from shoal.partition.result import Floats, Labels, number_groups
from shoal.partition.sse import group_means, sse
from shoal.partition.univariate import cut_order

BLOCK = 8192
"""Records searched together; larger inputs are searched in blocks, twice, with other borders."""
PROGRAMMED, PROGRAMMED_K, PROGRAMMED_EFFORT = 5000, 6, 2000
"""Set partitioning ends the search of up to so many records, for k up to this, from this effort on."""
PRICED, PRICED_K, PRICED_ROUNDS = 2000, 4, 150
"""Groups that the search has not met are priced in for up to so many records, for k up to this, in so many rounds."""
BLOCK_EFFORT = 1000
"""Effort of a search in blocks that only the clock limits."""
CHAINS = 2
"""Schedules of a small input side by side."""
HOT = 3.0
"""Heat at the start of a schedule, as a share of the mean record's error."""


class Improved(NamedTuple):
    """Groups, the error of the start, and whether the clock, not the effort, ended the search."""

    labels: Labels
    start_cost: float
    stopped: bool


def improve(
    points: Floats, k: int, *, seed: int, effort: int | None, time_limit: float | None, n_threads: int
) -> Improved:
    """The best groups found with `effort` proposals per record, or until `time_limit` seconds are over.

    Expects sorted points and n >= 2k. Without an effort, only the clock ends the search.
    """
    centered = points - points.mean(axis=0)
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    if len(points) <= BLOCK:
        return _whole(centered, k, seed, effort, deadline, n_threads)
    return _blockwise(centered, k, seed, effort, deadline, n_threads)


def _whole(points: Floats, k: int, seed: int, effort: int | None, deadline: float, n_threads: int) -> Improved:
    """Schedules of growing length from the best groups so far, then set partitioning over the groups met."""
    n = len(points)
    labels = min(starts(points, k), key=lambda found: sse(points, found))
    start_cost = cost = sse(points, labels)
    if cost == 0:
        return Improved(labels, cost, False)
    neighbor = neighbor_lists(points, k)
    programmed = n <= PROGRAMMED and k <= PROGRAMMED_K and (effort is None or effort >= PROGRAMMED_EFFORT)
    capacity = 1 << int(np.ceil(np.log2(16 * n))) if programmed else 1
    priced = programmed and n <= PRICED and k <= PRICED_K
    # A fifth of the time is kept for set partitioning, two more for pricing.
    left = deadline - time.monotonic()
    hurry = deadline - left * (0.6 if priced else 0.2) if programmed and left < np.inf else deadline
    met = [as_columns(labels, k)]
    stopped = effort is None
    with progress.step("improving groups", effort) as advance:
        for turn, length in enumerate(_lengths(effort, hurry)):
            runs = _chains(
                points, neighbor, labels, k, seed=seed * 1009 + turn * CHAINS, effort=length, capacity=capacity,
                deadline=hurry, n_threads=n_threads,
            )  # fmt: skip
            advance(CHAINS * length)
            for run in runs:
                stopped |= run.stopped
                met += [run.met, as_columns(run.labels, k)]
                if run.cost < cost:
                    labels, cost = run.labels, run.cost
            if stopped and time.monotonic() > hurry:
                break
    if programmed:
        labels = _programmed(points, k, labels, distinct(np.concatenate(met)), priced, deadline, n_threads)
    return Improved(labels, start_cost, stopped)


def _programmed(
    points: Floats, k: int, labels: Labels, groups: Labels, priced: bool, deadline: float, n_threads: int
) -> Labels:
    """The best grouping found of `groups`, and if `priced` of those that column generation adds."""

    def left() -> float:
        return deadline - time.monotonic()

    def seconds() -> float | None:
        return max(1.0, left()) if left() < np.inf else None

    if not priced:
        return best_of_columns(points, groups, labels, seconds=seconds())
    found = column_bound(points, k, labels, groups, seconds=left() * 2 / 3, n_threads=n_threads, rounds=PRICED_ROUNDS)
    groups = distinct(np.concatenate([groups, found.groups]))
    return best_at_prices(points, groups, labels, found.duals, seconds=seconds())


def _chains(
    points: Floats, neighbor: Labels, labels: Labels, k: int, *, seed: int, effort: int, capacity: int,
    deadline: float, n_threads: int,
) -> list[Found]:  # fmt: skip
    """Independent schedules from the same groups."""
    runs: dict[int, Found] = {}

    def run(chain: int, _stop: int) -> None:
        runs[chain] = search(
            points, neighbor, labels, k, seed=seed + chain, effort=effort, hot=HOT, capacity=capacity,
            deadline=deadline,
        )  # fmt: skip

    in_slots(run, CHAINS, n_threads, slot=1)
    return [runs[chain] for chain in range(CHAINS)]


def _lengths(effort: int | None, hurry: float) -> Iterator[int]:
    """Proposals per record of the schedules, each twice the one before; the last fills what is left of the time."""
    if effort is not None:
        share = max(1, effort // (7 * CHAINS))
        yield from (share, 2 * share, 4 * share)
        return
    length = 500
    while True:
        begin = time.monotonic()
        yield length
        now = time.monotonic()
        fits = int(length * (hurry - now) / (now - begin) * 0.95)
        if fits < length // 2:
            return
        length = fits if fits < 4 * length else 2 * length


def starts(points: Floats, k: int) -> Iterator[Labels]:
    """Groupings of a small input to begin with."""
    yield mdav(points, k)
    tree = spanning_tree(points)
    yield split_oversized(points, tree.groups(k), k, by_diameter=True)
    # Of more columns than points, the smaller matrix has the projections themselves.
    wide = points.shape[1] > points.shape[0]
    axis = np.linalg.eigh(points @ points.T if wide else points.T @ points)[1][:, -1]
    yield cut_order(points, np.argsort(axis if wide else points @ axis, kind="stable"), k)


def _blockwise(points: Floats, k: int, seed: int, effort: int | None, deadline: float, n_threads: int) -> Improved:
    """MDAV and a search block by block, then a search in blocks of whole groups with other borders."""
    parts = blocks(points, 0.5, BLOCK)
    fresh: dict[int, Labels] = {}

    def group(block: int, _stop: int) -> None:
        fresh[block] = mdav(points[parts[block]], k)

    in_slots(group, len(parts), n_threads, slot=1)
    labels = _joined(len(points), parts, [fresh[block] for block in range(len(parts))])
    start_cost = sse(points, labels)
    length = max(1, (effort or BLOCK_EFFORT) // 2)
    stopped = False
    for turn in range(2):
        if turn == 1:
            members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
            of_groups = blocks(group_means(points, labels), 1 / 3, BLOCK // k)
            parts = [np.sort(np.concatenate([members[g] for g in groups])) for groups in of_groups]
        found = _search_blocks(points, labels, parts, k, seed * 1009 + turn * len(parts), length, deadline, n_threads)
        labels = _joined(len(points), parts, [run.labels for run in found])
        stopped |= any(run.stopped for run in found)
    return Improved(labels, start_cost, stopped)


def _search_blocks(
    points: Floats,
    labels: Labels,
    parts: list[Labels],
    k: int,
    seed: int,
    effort: int,
    deadline: float,
    n_threads: int,
) -> list[Found]:
    """One schedule in each of `parts`, which hold whole groups."""
    found: dict[int, Found] = {}
    with progress.step("improving groups", len(parts)) as advance:

        def run(block: int, _stop: int) -> None:
            own = points[parts[block]]
            found[block] = search(
                own, neighbor_lists(own, k), number_groups(labels[parts[block]]), k, seed=seed + block, effort=effort,
                hot=HOT, capacity=1, deadline=deadline,
            )  # fmt: skip
            advance(1)

        in_slots(run, len(parts), n_threads, slot=1)
    return [found[block] for block in range(len(parts))]


def _joined(n: int, parts: list[Labels], labels_of_parts: list[Labels]) -> Labels:
    """Groups of all records from the groups of the parts."""
    labels = np.empty(n, dtype=np.int64)
    offset = 0
    for rows, own in zip(parts, labels_of_parts, strict=True):
        labels[rows] = own + offset
        offset += int(own.max()) + 1
    return labels


def blocks(points: Floats, fraction: float, most: int) -> list[Labels]:
    """Rows in boxes of at most `most` points, halved across the widest side; the first cut is at `fraction`."""
    done: list[Labels] = []
    todo = [(np.arange(len(points)), fraction)]
    while todo:
        rows, share = todo.pop()
        if len(rows) <= most:
            done.append(np.sort(rows))
            continue
        own = points[rows]
        axis = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
        middle = int(len(rows) * share)
        order = np.argpartition(own[:, axis], middle)
        todo += [(rows[order[:middle]], 0.5), (rows[order[middle:]], 0.5)]
    return done
