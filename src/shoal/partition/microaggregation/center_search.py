"""Simulated annealing under the loss of means, medians and modes, on mixed columns.

Problem     split n records into groups of k to 2k - 1, minimizing what they lose around their centers (`MixedLoss`).
Guarantee   never worse than its start; nothing is proved about the optimum.
Complexity  `effort` proposals per record in two schedules, each of O(k) per column. Deterministic for a seed and an
            effort, on any number of threads, and never worse for a larger effort. A deadline may end it early, which
            is reported.
"""

from __future__ import annotations

import math
import time

import numpy as np

from shoal import progress
from shoal.kernels.center_annealing import anneal_centers, measure_losses
from shoal.kernels.center_pricing import CenterArrays
from shoal.kernels.euclid_tree import in_slots
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.annealing import (
    CHUNKS,
    QUENCH,
    Ints,
    better_parts,
    first_state,
    lengths,
)
from shoal.partition.microaggregation.centers import center_arrays
from shoal.partition.microaggregation.group_loss import MixedLoss, loss_of
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space

CHAINS = 2
"""Independent annealing schedules per turn."""
TEMPERATURES, COLD = (3.0, 1.0, 0.5), 0.05
"""Temperature at the start of a schedule, in units of the mean loss of a record: in the first turns, and in all that
follow; and at its end, in units of the geometric mean of the records' mean and median loss."""


def search_centers(
    space: Space, neighbor: Ints, labels: Labels, k: int, *, seed: int, effort: int, deadline: float, n_threads: int
) -> tuple[Labels, bool]:
    """Return groups that lose no more than `labels`, and whether the deadline ended the search.

    All groups have k to 2k - 1 records, those of `labels` too. `neighbor` (n, m) is the neighbor list of each record.
    """
    loss, arrays = MixedLoss(space), center_arrays(space, np.ones(len(space), dtype=np.int64))
    timed_out = False
    with progress.step("improving groups", effort) as advance:
        for number, length in enumerate(lengths(effort // CHAINS)):
            lost = losses_of(loss, labels)
            if not lost.any() or len(lost) < 2:
                break
            each = (lost / np.bincount(labels))[labels]
            hottest = TEMPERATURES[min(number, len(TEMPERATURES) - 1)] * float(each.mean())
            coldest = COLD * math.sqrt(each.mean()) * math.sqrt(np.median(each))
            heat = hottest, min(max(coldest, 1e-5 * hottest), hottest)
            ends: dict[int, tuple[Labels, bool]] = {}

            def run(chain: int, _stop: int) -> None:
                draws = np.random.default_rng([seed, number, chain])  # noqa: B023
                ends[chain] = _annealed(arrays, neighbor, labels, k, draws, length, heat, deadline)  # noqa: B023

            in_slots(run, CHAINS, n_threads, slot=1)
            for chain in range(CHAINS):
                labels = better_parts(
                    labels, ends[chain][0], lambda found: losses_of(loss, found), lambda found: loss_of(loss, found)
                )
            advance(CHAINS * length)
            timed_out = any(stopped for _, stopped in ends.values())
            if timed_out:
                break
    return labels, timed_out


def losses_of(loss: MixedLoss, labels: Labels) -> Floats:
    """Return the loss of each group."""
    order = np.argsort(labels, kind="stable")
    return loss.of_groups(order, labels[order])


def _annealed(
    arrays: CenterArrays,
    neighbor: Ints,
    labels: Labels,
    k: int,
    draws: np.random.Generator,
    effort: int,
    heat: tuple[float, float],
    deadline: float,
) -> tuple[Labels, bool]:
    """Return the groups at the end of one schedule, and whether the deadline ended it."""
    n, (hottest, coldest) = len(labels), heat
    state = first_state(np.zeros((n, 0)), neighbor, labels, k, draws)
    loss = np.zeros(len(state.size))
    measure_losses(state, arrays, k, loss)
    quench = min(QUENCH, effort // 4)
    steps = max(1, (effort - quench) * n // CHUNKS)
    for chunk in range(CHUNKS):
        if time.monotonic() > deadline:
            return number_groups(state.label), True
        start, end = (hottest ** (1 - at / CHUNKS) * coldest ** (at / CHUNKS) for at in (chunk, chunk + 1))
        anneal_centers(state, arrays, loss, k, steps, start, end)
    anneal_centers(state, arrays, loss, k, quench * n, 0.0, 0.0)
    return number_groups(state.label), False
