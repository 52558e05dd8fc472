"""One annealing schedule over one block of records."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.kernels.local_search import Columns, Groups, anneal, measure_all
from shoal.partition.result import Floats, Labels, number_groups
from shoal.partition.sse import sse

Ints = npt.NDArray[np.int64]

COLD = 0.02
"""Heat at the end of a schedule, as a share of the mean record's error."""
RARE = 0.03
"""Groups are remembered from the time on when a smaller share of the proposals is accepted."""
CHUNKS = 32
"""Parts of a schedule, between which the clock is looked at."""
QUENCH = 30
"""Proposals per record of the descent that ends a schedule."""


class Found(NamedTuple):
    """Groups at the end of a schedule, their error, the groups met near the end, and whether the clock stopped it."""

    labels: Labels
    cost: float
    met: Ints
    stopped: bool


def neighbor_lists(points: Floats, k: int, n_threads: int = 1) -> Ints:
    """(n, m): the nearest points of each point, among which its next group is looked for."""
    tree = build_tree(points)
    _, who = nearest_neighbors(tree, min(len(points) - 1, 20 + k), n_threads)
    lists = np.empty_like(who)
    lists[tree.row] = tree.row[who]
    return lists


def search(
    points: Floats, neighbor: Ints, labels: Labels, k: int, *, seed: int, effort: int, hot: float, capacity: int,
    deadline: float,
) -> Found:  # fmt: skip
    """Anneal from `labels` with `effort` proposals per record, from `hot` shares of the mean record's error.

    Returns the start itself if the schedule ended worse. Up to `capacity` (a power of two) groups are remembered.
    """
    n = len(points)
    cost = sse(points, labels)
    unit = cost / n
    rng = np.random.default_rng(seed)
    state = _state(points, neighbor, labels, k, rng)
    columns = _columns(n, k, capacity, rng)
    stopped = keep = False
    for chunk in range(CHUNKS):
        if time.monotonic() > deadline:
            stopped = True
            break
        start, end = (unit * hot * (COLD / hot) ** (at / CHUNKS) for at in (chunk, chunk + 1))
        steps = max(1, effort * n // CHUNKS)
        keep |= anneal(state, columns, k, steps, start, end, keep) < RARE * steps
    anneal(state, columns, k, QUENCH * n, 0.0, 0.0, True)
    found = number_groups(state.label)
    found_cost = sse(points, found)
    met = columns.member[: columns.filled[0]].copy()
    return Found(found, found_cost, met, stopped) if found_cost < cost else Found(labels, cost, met, stopped)


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
        np.zeros(n_groups),
        rng.integers(1, 2**63, 1).astype(np.uint64),
    )
    measure_all(state)
    return state


def _columns(n: int, k: int, capacity: int, rng: np.random.Generator) -> Columns:
    return Columns(
        rng.integers(0, 2**63, n).astype(np.uint64),
        np.full(2 * capacity, -1, dtype=np.int64),
        np.zeros(capacity, dtype=np.uint64),
        np.full((capacity, 2 * k - 1), -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
