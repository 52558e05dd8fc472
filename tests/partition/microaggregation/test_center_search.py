"""The search under the loss of means, medians and modes: its loss is the loss itself, and it never gets worse."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from shoal.kernels.center_annealing import measure_losses
from shoal.partition.microaggregation.annealing import first_state, neighbor_lists
from shoal.partition.microaggregation.center_search import losses_of, search_centers
from shoal.partition.microaggregation.centers import center_arrays
from shoal.partition.microaggregation.group_loss import MixedLoss, as_points, loss_of
from shoal.partition.microaggregation.mdav import mdav
from shoal.partition.microaggregation.microaggregate import microaggregate
from tests.oracles.mixed_loss import best_mixed_loss
from tests.partition.microaggregation.mixed_instances import drawn, with_gaps


def counted_gaps(rng, n):
    """Records with missing values in columns of means and medians, whose numbers are published."""
    while True:
        space = with_gaps(rng, n)
        if all(axis.gaps != "voted" and axis.ancestors is None for axis in space.axes):
            return space


@pytest.mark.parametrize("make", [lambda rng, n: drawn(rng, n)[2], counted_gaps])
def test_the_loss_of_the_search_is_the_loss_itself(make):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, k = 12, int(rng.integers(2, 5))
        space, labels = make(rng, n), np.minimum(np.arange(n) // k, n // k - 1)
        state = first_state(np.zeros((n, 0)), np.zeros((n, 1), dtype=np.int64), labels, k, rng)
        lost = np.zeros(len(state.size))
        measure_losses(state, center_arrays(space, np.ones(n, dtype=np.int64)), k, lost)
        assert lost[: n // k] == pytest.approx(losses_of(MixedLoss(space), labels), abs=1e-9), seed


@pytest.mark.parametrize("make", [lambda rng, n: drawn(rng, n)[2], with_gaps])
def test_it_is_never_worse_than_its_start_and_more_effort_is_never_worse(make):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        space = make(rng, 60)
        points = as_points(space)
        near, start = neighbor_lists(points, 3), mdav(points, 3)
        loss = MixedLoss(space)
        cost = loss_of(loss, start)
        for effort in (5, 10, 40, 90):
            labels, stopped = search_centers(
                space, near, start, 3, seed=seed, effort=effort, deadline=math.inf, n_threads=1
            )
            sizes = np.bincount(labels)
            assert not stopped
            assert sizes.min() >= 3
            assert sizes.max() <= 5
            assert loss_of(loss, labels) <= cost
            cost = loss_of(loss, labels)


def test_threads_change_nothing_and_a_deadline_is_kept_and_told():
    space = drawn(np.random.default_rng(3), 80)[2]
    points = as_points(space)
    near, start = neighbor_lists(points, 3), mdav(points, 3)
    one, two = (
        search_centers(space, near, start, 3, seed=1, effort=60, deadline=math.inf, n_threads=n)[0] for n in (1, 2)
    )
    assert (one == two).all()
    labels, stopped = search_centers(
        space, near, start, 3, seed=1, effort=60, deadline=time.monotonic() - 1, n_threads=1
    )
    assert stopped
    assert loss_of(MixedLoss(space), labels) <= loss_of(MixedLoss(space), start)


def test_it_finds_the_optimum_of_most_small_tables():
    reached = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, columns, space = drawn(rng, 8)
        found = microaggregate(space, 2, effort=100)
        reached += found.cost <= float(best_mixed_loss(rows, columns, 2)) * (1 + 1e-9)
    assert reached >= 36
