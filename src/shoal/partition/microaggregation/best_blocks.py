"""The search of method "best" for inputs that are too large to be searched as a whole: block by block."""

from __future__ import annotations

import time

import numpy as np

from shoal import progress
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.annealing import (
    TEMPERATURES,
    Found,
    Improved,
    better_points,
    lengths,
    neighbor_lists,
    search,
)
from shoal.partition.microaggregation.fixed_size import split_tree
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.sse import group_means, sse
from shoal.partition.result import Floats, Labels

START = 250_000
"""Most records for which the first partition is computed as a whole; with smaller parts its error would be a tenth
larger in ten dimensions."""
FRACTIONS = (1 / 2, 1 / 3, 3 / 7, 2 / 5)
"""Position of the first cut between blocks, in successive turns, so that no group is at a border in every turn."""
ENDLESS = 10**9
"""Effort of a search that only the time limit ends."""


def improve_blocks(
    points: Floats, k: int, most: int, *, seed: int, effort: int | None, deadline: float, n_threads: int
) -> Improved:
    """Return improved groups: MDAV or the spanning tree as the start, then turns of annealing in blocks.

    The start is computed for at most `START` records at a time and takes the better parts of both methods. Blocks
    consist of whole groups and have about `most` records. Expects centered points, and `most` several times k.
    """
    parts = blocks(points, FRACTIONS[0], max(START, most))
    started: dict[int, Labels] = {}

    def group(block: int, _stop: int) -> None:
        own = points[parts[block]]
        # If records form separate clusters, the spanning tree finds them at once, and the search in blocks might not.
        by_tree = split_tree(own, k, by_diameter=True)
        started[block] = better_points(own, mdav(own, k), by_tree)

    in_slots(group, len(parts), n_threads, slot=1)
    labels = _joined(len(points), parts, [started[block] for block in range(len(parts))])
    start_cost = sse(points, labels)
    timed_out = False
    for turn, length in enumerate(lengths(ENDLESS if effort is None else effort)):
        begin = time.monotonic()
        members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        of_groups = blocks(group_means(points, labels), FRACTIONS[turn % len(FRACTIONS)], most // k)
        parts = [np.sort(np.concatenate([members[g] for g in groups])) for groups in of_groups]
        found = _turn(points, labels, parts, k, seed, turn, length, deadline, n_threads)
        labels = _joined(len(points), parts, [run.labels for run in found])
        now = time.monotonic()
        # Without an effort only the time limit ends the search. A turn that could not end in time would find nothing,
        # so it is not begun.
        timed_out = any(run.timed_out for run in found) or (effort is None and now + 1.5 * (now - begin) > deadline)
        if timed_out:
            break
    return Improved(labels, start_cost, timed_out)


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
    """Run one annealing schedule in each of `parts`, which consist of whole groups; return what each found."""
    found: dict[int, Found] = {}
    with progress.step("improving groups", len(parts)) as advance:

        def run(block: int, _stop: int) -> None:
            own = points[parts[block]]
            found[block] = search(
                own, neighbor_lists(own, k), number_groups(labels[parts[block]]), k,
                seed=(seed * 1009 + turn) * 1_000_003 + block, effort=effort,
                hot=TEMPERATURES[turn % len(TEMPERATURES)], deadline=deadline,
            )  # fmt: skip
            advance(1)

        in_slots(run, len(parts), n_threads, slot=1)
    return [found[block] for block in range(len(parts))]


def _joined(n: int, parts: list[Labels], labels_of_parts: list[Labels]) -> Labels:
    """Return the labels of all records, given those of the records of each part."""
    labels = np.empty(n, dtype=np.int64)
    offset = 0
    for rows, own in zip(parts, labels_of_parts, strict=True):
        labels[rows] = own + offset
        offset += int(own.max()) + 1
    return labels


def blocks(points: Floats, fraction: float, most: int) -> list[Labels]:
    """Return the rows of boxes of at most `most` points, made by halving the widest side; first cut at `fraction`."""
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
