"""The search of `best` in blocks, for inputs too large to be searched as one."""

from __future__ import annotations

import time

import numpy as np

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.microaggregation.annealing import (
    HEATS,
    Found,
    Improved,
    better_parts,
    lengths,
    neighbor_lists,
    search,
)
from shoal.partition.microaggregation.fixed_size import split_tree
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.sse import group_means, sse
from shoal.partition.result import Floats, Labels, number_groups

START = 250_000
"""Records whose start is found as one: cut up further, it would begin with a tenth more error in ten dimensions."""
FRACTIONS = (1 / 2, 1 / 3, 3 / 7, 2 / 5)
"""Where the first cut between blocks is made, by turns, so that no group stays at a border."""
ENDLESS = 10**9
"""Effort of a search that only the clock ends."""


def improve_blocks(
    points: Floats, k: int, most: int, *, seed: int, effort: int | None, deadline: float, n_threads: int
) -> Improved:
    """The better parts of MDAV and the spanning tree of at most `START` records at a time, then turns of the search
    in blocks of whole groups, about `most` records each.

    Expects centered points, and `most` several times k.
    """
    parts = blocks(points, FRACTIONS[0], max(START, most))
    fresh: dict[int, Labels] = {}

    def group(block: int, _stop: int) -> None:
        own = points[parts[block]]
        # Where records lie in clusters apart, no search in blocks would find what the tree sees at once.
        by_tree = split_tree(own, k, by_diameter=True)
        fresh[block] = better_parts(own, mdav(own, k), by_tree)

    in_slots(group, len(parts), n_threads, slot=1)
    labels = _joined(len(points), parts, [fresh[block] for block in range(len(parts))])
    start_cost = sse(points, labels)
    stopped = False
    for turn, length in enumerate(lengths(ENDLESS if effort is None else effort)):
        begin = time.monotonic()
        members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        of_groups = blocks(group_means(points, labels), FRACTIONS[turn % len(FRACTIONS)], most // k)
        parts = [np.sort(np.concatenate([members[g] for g in groups])) for groups in of_groups]
        found = _turn(points, labels, parts, k, seed, turn, length, deadline, n_threads)
        labels = _joined(len(points), parts, [run.labels for run in found])
        now = time.monotonic()
        # Only the clock ends a search without effort: no turn begins that cannot end, for it would find nothing.
        stopped = any(run.stopped for run in found) or (effort is None and now + 1.5 * (now - begin) > deadline)
        if stopped:
            break
    return Improved(labels, start_cost, stopped)


def _turn(
    points: Floats,
    labels: Labels,
    parts: list[Labels],
    k: int,
    seed: int,
    turn: int,
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
                own, neighbor_lists(own, k), number_groups(labels[parts[block]]), k,
                seed=(seed * 1009 + turn) * 1_000_003 + block, effort=effort, hot=HEATS[turn % len(HEATS)],
                deadline=deadline,
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
