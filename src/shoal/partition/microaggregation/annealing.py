"""The parts of the search of "best": an annealing schedule, the better parts of two partitions, lengths of turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.kernels.sse_annealing import AnnealingState, anneal, measure_all
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.sse import group_means, sse, sse_of_groups
from shoal.partition.result import Floats, Labels

Ints = npt.NDArray[np.int64]

FIRST, LONGER = 10, 1.5
"""Proposals per record in the first turn, and the factor from one turn to the next."""
TEMPERATURES = (3.0, 20.0, 0.3, 1.0, 0.1, 0.03)
"""Temperature at the start of a schedule in successive turns, in units of the mean error of a record. High ones form
new groups, also around outliers; low ones refine the groups, down to the many records with a small error."""
COLD = 0.02
"""Temperature at the end of a schedule, in units of the geometric mean of the records' mean and median error: if
there are outliers, most records have a much smaller error than the mean."""
NEAR, MOST_OF_K = 20, 80
"""Length of the neighbor list of each record: NEAR plus k, where k counts for at most MOST_OF_K."""
CHUNKS = 32
"""Parts of a schedule, between which the deadline is checked."""
QUENCH = 30
"""Proposals per record, at the end of a schedule, that accept only improvements; at most a quarter of the
schedule."""


class Improved(NamedTuple):
    """The groups, the squared error of the start, and whether the time limit, not the effort, ended the search."""

    labels: Labels
    start_cost: float
    timed_out: bool


class Found(NamedTuple):
    """The result of a schedule: the better parts of its start and end, its end, and whether the deadline ended it."""

    labels: Labels
    last: Labels
    timed_out: bool


def lengths(effort: int) -> Iterator[int]:
    """Yield the proposals per record of the turns that fit into `effort`.

    The sequence is always the same, so a larger effort does all that a smaller one does, and more.
    """
    length = float(FIRST)
    while effort >= int(length):
        yield int(length)
        effort -= int(length)
        length *= LONGER


def neighbor_lists(points: Floats, k: int, n_threads: int = 1) -> Ints:
    """Return the neighbor list of each point as (n, m), nearest first; proposals are drawn from it."""
    tree = build_tree(points)
    _, who = nearest_neighbors(tree, min(len(points) - 1, NEAR + min(k, MOST_OF_K)), n_threads)
    lists = np.empty_like(who)
    lists[tree.row] = tree.row[who]
    return lists


def search(
    points: Floats, neighbor: Ints, labels: Labels, k: int, *, seed: int, effort: int, hot: float, deadline: float
) -> Found:
    """Anneal from `labels` with `effort` proposals per record; `hot` is the first temperature.

    The unit of `hot` is the mean error of a record.
    """
    n = len(points)
    errors = np.square(points - group_means(points, labels)[labels]).sum(axis=1)
    hottest = hot * float(errors.mean())
    coldest = min(max(COLD * math.sqrt(errors.mean()) * math.sqrt(np.median(errors)), 1e-5 * hottest), hottest)
    state = first_state(points, neighbor, labels, k, np.random.default_rng(seed))
    quench = min(QUENCH, effort // 4)
    steps, timed_out = max(1, (effort - quench) * n // CHUNKS), False
    for chunk in range(CHUNKS):
        if time.monotonic() > deadline:
            timed_out = True
            break
        start, end = (hottest ** (1 - at / CHUNKS) * coldest ** (at / CHUNKS) for at in (chunk, chunk + 1))
        anneal(state, k, steps, start, end)
    anneal(state, k, quench * n, 0.0, 0.0)
    last = number_groups(state.label)
    return Found(better_points(points, labels, last), last, timed_out)


def better_parts(
    one: Labels, other: Labels, of_groups: Callable[[Labels], Floats], in_all: Callable[[Labels], float]
) -> Labels:
    """Return a partition at least as good as both, made of the better parts of `one` and `other`.

    A part is a smallest set of records that is a union of groups in both partitions. Each part is taken from the
    partition in which it has the smaller error. `of_groups` and `in_all` give the errors of a partition's groups, and
    of all.
    """
    n_one, n_other = int(one.max()) + 1, int(other.max()) + 1
    size = n_one + n_other
    meets = coo_array((np.ones(len(one)), (one, n_one + other)), shape=(size, size))
    _, part = connected_components(meets, directed=False)
    gain = np.bincount(part[:n_one], weights=of_groups(one), minlength=size)
    gain -= np.bincount(part[n_one:], weights=of_groups(other), minlength=size)
    better = number_groups(np.where((gain > 0)[part[one]], n_one + other, one))
    # Gains are differences of rounded sums, so the total error decides.
    return better if in_all(better) < in_all(one) else one


def better_points(points: Floats, one: Labels, other: Labels) -> Labels:
    """Return a partition with a squared error at most that of both, made of the better parts of them."""
    return better_parts(one, other, lambda labels: sse_of_groups(points, labels), lambda labels: sse(points, labels))


def as_columns(labels: Labels, k: int) -> Ints:
    """Return the members of each group as (n_groups, 2k - 1), padded with -1."""
    return members_of(labels, 2 * k - 1)


def members_of(labels: Labels, width: int) -> Ints:
    """Return the members of each group as (n_groups, width), padded with -1."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    member = np.full((len(sizes), width), -1, dtype=np.int64)
    member[labels[order], np.arange(len(labels)) - np.repeat(starts, sizes)] = order
    return member


def first_state(points: Floats, neighbor: Ints, labels: Labels, k: int, rng: np.random.Generator) -> AnnealingState:
    """Return the state of an annealing that starts at `labels`, in the form that the kernel reads."""
    n, d = points.shape
    n_groups = n // k + 1
    member = np.full((n_groups, 2 * k), -1, dtype=np.int64)
    used = members_of(labels, 2 * k)
    member[: len(used)] = used
    state = AnnealingState(
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
