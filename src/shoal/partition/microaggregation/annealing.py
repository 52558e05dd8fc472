"""What a search in turns is made of: one annealing schedule, the better parts of two groupings, lengths and heats."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.kernels.sse_annealing import Groups, anneal, measure_all
from shoal.partition.microaggregation.sse import group_means, sse, sse_of_groups
from shoal.partition.result import Floats, Labels, number_groups

Ints = npt.NDArray[np.int64]

FIRST, LONGER = 10, 1.5
"""Proposals per record of the first turn, and how much longer a turn is than the one before."""
HEATS = (3.0, 20.0, 0.3, 1.0, 0.1, 0.03)
"""Heat at the start of a schedule, as a share of the mean record's error, by turns: new groups, also of outliers, and
refinement of those there are, down to the many records with little error."""
COLD = 0.02
"""Heat at the end of a schedule, as a share of the geometric mean of the records' mean and median error: if there are
outliers, most records have far less error than the mean."""
NEAR, MOST_OF_K = 20, 80
"""Neighbors listed of every record: so many, and as many as a group has, up to this."""
CHUNKS = 32
"""Parts of a schedule, between which the clock is looked at."""
QUENCH = 30
"""Proposals per record of the descent that ends a schedule, at most; a quarter of a short one."""


class Improved(NamedTuple):
    """Groups, the error of the start, and whether the clock, not the effort, ended the search."""

    labels: Labels
    start_cost: float
    stopped: bool


class Found(NamedTuple):
    """The better parts of start and end, the end of the schedule itself, and whether the clock stopped it."""

    labels: Labels
    last: Labels
    stopped: bool


def lengths(effort: int) -> Iterator[int]:
    """Proposals per record of the turns that fit into `effort`: always the first of one sequence.

    So a larger effort does what a smaller one does, and goes on.
    """
    length = float(FIRST)
    while effort >= int(length):
        yield int(length)
        effort -= int(length)
        length *= LONGER


def neighbor_lists(points: Floats, k: int, n_threads: int = 1) -> Ints:
    """(n, m): the nearest points of each point, among which its next group is looked for."""
    tree = build_tree(points)
    _, who = nearest_neighbors(tree, min(len(points) - 1, NEAR + min(k, MOST_OF_K)), n_threads)
    lists = np.empty_like(who)
    lists[tree.row] = tree.row[who]
    return lists


def search(
    points: Floats, neighbor: Ints, labels: Labels, k: int, *, seed: int, effort: int, hot: float, deadline: float
) -> Found:
    """Anneal from `labels` with `effort` proposals per record, from `hot` shares of the mean record's error."""
    n = len(points)
    errors = np.square(points - group_means(points, labels)[labels]).sum(axis=1)
    hottest = hot * float(errors.mean())
    coldest = min(max(COLD * math.sqrt(errors.mean()) * math.sqrt(np.median(errors)), 1e-5 * hottest), hottest)
    state = _state(points, neighbor, labels, k, np.random.default_rng(seed))
    quench = min(QUENCH, effort // 4)
    steps, stopped = max(1, (effort - quench) * n // CHUNKS), False
    for chunk in range(CHUNKS):
        if time.monotonic() > deadline:
            stopped = True
            break
        start, end = (hottest ** (1 - at / CHUNKS) * coldest ** (at / CHUNKS) for at in (chunk, chunk + 1))
        anneal(state, k, steps, start, end)
    anneal(state, k, quench * n, 0.0, 0.0)
    last = number_groups(state.label)
    return Found(better_parts(points, labels, last), last, stopped)


def better_parts(points: Floats, one: Labels, other: Labels) -> Labels:
    """`one`, with the groups of `other` wherever some of them hold the records of some of `one` with less error.

    Two groupings fall into parts: the smallest sets of records that are unions of groups in both. Each part is taken
    from the better, so the result is at least as good as either.
    """
    n_one, n_other = int(one.max()) + 1, int(other.max()) + 1
    size = n_one + n_other
    meets = coo_array((np.ones(len(one)), (one, n_one + other)), shape=(size, size))
    _, part = connected_components(meets, directed=False)
    gain = np.bincount(part[:n_one], weights=sse_of_groups(points, one), minlength=size)
    gain -= np.bincount(part[n_one:], weights=sse_of_groups(points, other), minlength=size)
    better = number_groups(np.where((gain > 0)[part[one]], n_one + other, one))
    # Gains are differences of rounded sums: the sum of all decides.
    return better if sse(points, better) < sse(points, one) else one


def as_columns(labels: Labels, k: int) -> Ints:
    """(n_groups, 2k - 1): the members of each group, padded with -1."""
    return members_of(labels, 2 * k - 1)


def members_of(labels: Labels, width: int) -> Ints:
    """(n_groups, width): the members of each group, padded with -1."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    member = np.full((len(sizes), width), -1, dtype=np.int64)
    member[labels[order], np.arange(len(labels)) - np.repeat(starts, sizes)] = order
    return member


def _state(points: Floats, neighbor: Ints, labels: Labels, k: int, rng: np.random.Generator) -> Groups:
    n, d = points.shape
    n_groups = n // k + 1
    member = np.full((n_groups, 2 * k), -1, dtype=np.int64)
    used = members_of(labels, 2 * k)
    member[: len(used)] = used
    state = Groups(
        points,
        neighbor,
        labels.copy(),
        np.empty(n, dtype=np.int64),
        member,
        np.bincount(labels, minlength=n_groups),
        np.zeros((n_groups, d)),
        rng.integers(1, 2**63, 1).astype(np.uint64),
    )
    measure_all(state)
    return state
