"""Cellular cost for many records: duals on a grid, nets, blocks, and what they may not store."""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import pytest

from shoal.partition.cellular_cost import grid_opening_costs as opening
from shoal.partition.cellular_cost.as_partition import RATIOS
from shoal.partition.cellular_cost.cellular import MOST_RECORDS, cellular
from shoal.partition.cellular_cost.grid_duals import GRID, NET, STRETCH, by_payers, raise_on_grid
from shoal.partition.cellular_cost.groups import Clusters, sum_rounded_down
from shoal.partition.cellular_cost.improve_blocks import RecordPoints, improved_in_blocks, leaves
from shoal.partition.radius.improve import reach_of
from shoal.partition.radius.points import weighted_points
from shoal.space.space import Space
from tests.ratio.instances import a_metric, labeled


def records_of(points, r, metric=None):
    found = weighted_points(points, metric, at_least=r, n_threads=1)
    return RecordPoints.of(found.metric), reach_of(found.metric, r)


def test_the_ratios_are_what_the_grid_and_the_net_cost():
    price = opening.GRID * (opening.STRETCH + opening.FLOOR)
    assert [RATIOS[f"CELLULAR-{theorem}"] for theorem in (7, 5, 8)] == [3 * price, 36 * price, 60 * price]
    assert opening.STRETCH == opening.GRID / (1 - NET)
    assert RATIOS["CELLULAR-6"] == 54 * GRID * STRETCH
    assert 2 * GRID / (1 - NET) == STRETCH


@pytest.mark.parametrize("r", [2, 5])
def test_duals_a_step_lower_keep_within_the_price_of_the_balls_around_all_rising_records(r):
    """The inequality (5) of the proof, around every record that still rose at a radius of the grid."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(r, 40))
        space = a_metric(rng, n)
        records, reach = records_of(space.points, r, space.metric)
        raised = raise_on_grid(records.metric, reach.spread, r)
        counts, beta = records.metric.counts, raised.alpha / float(GRID)
        times = np.unique(raised.alpha[raised.alpha > 0])
        for rho in times:
            rises = raised.alpha > rho
            for center in np.flatnonzero(rises & (reach.spread <= (1 - float(NET)) * rho)):
                inside = records.metric.distances_from(int(center)) <= (1 - float(NET)) * rho
                paid = (counts * np.maximum(beta - rho, 0))[inside].sum()
                assert paid <= r * rho * (1 + 1e-9)
        assert (raised.witness >= 0).all()


def test_paid_balls_are_paid_and_joining_reaches_no_farther_than_three_radii():
    rng = np.random.default_rng(4)
    small = [a_metric(rng, int(rng.integers(3, 40))) for _ in range(30)]
    clouds = [(rng.normal(size=(300, 2)), None) for _ in range(6)]  # where the order of opening balls decides
    for points, metric in [*((space.points, space.metric) for space in small), *clouds]:
        records, reach = records_of(points, 3, metric)
        metric = records.metric
        raised = raise_on_grid(metric, reach.spread, 3)
        for ball, (center, radius) in enumerate(zip(raised.paid.centers, raised.paid.radii, strict=True)):
            payers = raised.paid.of(ball)
            assert (metric.distance(payers, center) <= radius).all()
            offered = (metric.counts[payers] * (raised.alpha[payers] - radius)).sum()
            assert offered >= 3 * radius * (1 - 1e-9)
        owner, opened = by_payers(raised, np.arange(len(metric)))
        away = metric.distance(np.arange(len(metric)), raised.paid.centers[opened][owner])
        assert (away <= 3 * raised.paid.radii[opened][owner]).all()
        radii = np.zeros(len(opened))
        np.maximum.at(radii, owner, away)
        in_full = (metric.counts * radii[owner]).sum() + 3 * 3 * raised.paid.radii[opened].sum()
        assert in_full <= 3 * (metric.counts * raised.alpha).sum() * (1 + 1e-9)  # (3) of the proof


def opened(points, costs, r, metric=None):
    """An instance with opening costs by point (equal points have the first one), and the first radius of its grid."""
    records, reach = records_of(points, max(r, 1), metric)
    task = opening.Instance.of(records, np.asarray(costs, dtype=float), reach, r)
    return task, task.start(float(records.metric.counts @ reach.need) if r else 0.0)[0]


@pytest.mark.parametrize("r", [0, 3])
def test_near_every_record_the_net_has_a_center_that_costs_no_more(r):
    """The condition on the net in the proof of CELLULAR-5, 7 and 8, while all duals rise."""
    rng = np.random.default_rng(21)
    for _ in range(30):
        n = int(rng.integers(r + 1, 60))
        space = a_metric(rng, n)
        task, time = opened(space.points, rng.integers(0, 9, n), r, space.metric)
        nets = opening._Nets(task)
        rising = np.ones(len(task.metric), dtype=bool)
        for radius in time * 1.5 ** np.arange(12):
            balls = nets.balls(rising, radius)
            able = np.flatnonzero((task.spread <= (1 - float(NET)) * radius) & (task.gap <= radius))
            for v in able:
                away = task.metric.distances_from(int(v))[balls.centers]
                assert (task.opening[balls.centers[away <= float(NET) * radius]] <= task.opening[v]).any()
            assert (task.spread[balls.centers] <= (1 - float(NET)) * radius).all()
            for ball, center in enumerate(balls.centers):
                inside = np.flatnonzero(task.metric.distances_from(int(center)) <= radius)
                assert np.sort(balls.of(ball)).tolist() == inside.tolist()


@pytest.mark.parametrize("r", [0, 3])
def test_balls_with_opening_costs_are_paid_and_groups_cost_no_more_than_three_times_the_duals(r):
    rng = np.random.default_rng(22)
    small = [a_metric(rng, int(rng.integers(3, 40))) for _ in range(20)]
    clouds = [(rng.normal(size=(300, 2)), None) for _ in range(6)]
    for points, name in [*((space.points, space.metric) for space in small), *clouds]:
        costs = rng.exponential(rng.choice([0.2, 5]), len(points)) * (rng.random(len(points)) < 0.9)
        task, time = opened(points, costs, r, name)
        metric, raised = task.metric, opening.raise_openings(task, time)
        for ball, price in enumerate(task.prices(raised.paid)):
            payers, radius = raised.paid.of(ball), raised.paid.radii[ball]
            assert (raised.alpha[payers] >= radius).all()
            offered = (metric.counts[payers] * (raised.alpha[payers] - radius)).sum()
            assert offered >= price * (1 - 1e-9)
        owner, chosen = by_payers(raised, np.arange(len(metric)))
        radii = np.zeros(len(chosen))
        away = metric.distance(np.arange(len(metric)), raised.paid.centers[chosen][owner])
        np.maximum.at(radii, owner, away)
        assert (radii <= 3 * raised.paid.radii[chosen] * (1 + 1e-12)).all()
        in_full = (metric.counts * radii[owner]).sum() + 3 * task.prices(raised.paid)[chosen].sum()
        assert in_full <= 3 * (metric.counts * raised.alpha).sum() * (1 + 1e-9)  # (3) of the proof


def test_of_equal_records_the_cheapest_is_the_center_beyond_the_reach_of_exact_duals():
    points = np.repeat(np.arange(3.0)[:, None] * 100, 2_000, axis=0)
    costs = np.full(6_000, 50.0)
    costs[[1_234, 2_345, 5_678]] = [1, 2, 3]
    found = cellular(points, opening_cost=costs)
    assert (found.theorem, found.cost, found.ratio_seen) == ("CELLULAR-7", 6, 1)
    assert found.centers.tolist() == [1_234, 2_345, 5_678]


@pytest.mark.parametrize("r", [None, 5])
def test_opening_costs_on_the_grid_give_nearly_what_exact_duals_give(r):
    rng = np.random.default_rng(23)
    points, costs = rng.normal(size=(1_500, 3)), rng.exponential(2, 1_500)
    exact, on_grid = (cellular(points, opening_cost=costs, k=r, exact=some) for some in (True, False))
    assert on_grid.cost < 1.2 * exact.cost
    assert on_grid.lower_bound <= exact.cost
    assert on_grid.ratio_seen < 2.5
    assert on_grid.lower_bound <= exact.lower_bound
    again = cellular(points[::-1], opening_cost=costs[::-1], k=r, exact=False)
    assert again.cost == on_grid.cost
    assert again.details.duals.tolist() == on_grid.details.duals[::-1].tolist()


def test_long_tails_have_a_bound_from_the_duals():
    points = np.exp(1.5 * np.random.default_rng(24).normal(size=(6_000, 2)))
    found = cellular(points, k=10)
    assert found.lower_bound == found.details.dual_bound
    assert found.ratio_seen < 2.3


def test_outliers_are_exactly_as_many_as_allowed_even_among_equal_records():
    points = np.repeat([[0.0], [1.0], [50.0]], [6, 6, 5], axis=0)
    for dropped in range(8):
        found = cellular(points, k=6, max_suppressed=dropped / 17 + 1e-9, exact=False)
        assert found.n_suppressed <= dropped
        assert found.sizes.min() >= 6
        assert (found.cost == 0) == (dropped >= 5)


@pytest.mark.parametrize("exact", [True, False])
def test_nobody_is_left_out_where_that_saves_nothing(exact):
    alike = np.repeat([[0.0], [9.0]], [40, 60], axis=0)
    found = cellular(alike, k=5, max_suppressed=0.2, exact=exact)
    assert (found.cost, found.n_suppressed) == (0, 0)
    found = cellular(np.concatenate((alike, [[500.0]])), k=5, max_suppressed=0.2, exact=exact)
    assert (found.cost, found.labels.tolist().count(-1), found.labels[-1]) == (0, 1, -1)


def test_many_duplicates_are_weighed_not_repeated():
    points = np.repeat(np.random.default_rng(1).integers(0, 4, (30, 2)), 400, axis=0).astype(float)
    found = cellular(points, k=3)
    assert len(points) > MOST_RECORDS
    assert (found.theorem, found.cost, found.ratio_seen) == ("CELLULAR-5", 0, 1)


def test_leaves_of_a_tree_are_groups_of_r_even_where_coordinates_tie():
    rng = np.random.default_rng(2)
    for r in (2, 3, 7):
        for _ in range(20):
            n = int(rng.integers(r, 80))
            records, _ = records_of(rng.integers(0, int(rng.choice([2, 50])), (n, 2)).astype(float), r)
            kept = np.sort(rng.permutation(n)[: max(r, n - 3)])
            clusters = leaves(records, kept, r)
            assert clusters.sizes.min() >= r
            assert np.flatnonzero(clusters.labels >= 0).tolist() == kept.tolist()
            assert set(clusters.centers) <= set(kept.tolist())


def test_a_pass_over_blocks_never_raises_the_cost_and_keeps_sizes_and_records(monkeypatch):
    monkeypatch.setattr(sys.modules["shoal.partition.cellular_cost.improve_blocks"], "BLOCK_RECORDS", 40)
    monkeypatch.setattr(sys.modules["shoal.partition.cellular_cost.improve_blocks"], "LARGEST_BLOCK", 70)
    rng = np.random.default_rng(5)
    records, _ = records_of(rng.normal(size=(400, 2)), 4)
    clusters = Clusters(rng.permutation(np.arange(400) % 60), rng.integers(0, 400, 60))
    clusters = Clusters(
        np.where(clusters.labels < 12, 0, clusters.labels - 11), clusters.centers[:49]
    )  # one group is too large
    for turn in range(4):
        after = improved_in_blocks(records, np.zeros(400), clusters, 4, turn)
        assert records.prices(after, np.zeros(400)).sum() < records.prices(clusters, np.zeros(400)).sum()
        assert after.sizes.min() >= 4
        assert after.labels.min() == 0
        clusters = after
    assert clusters.sizes.max() == 84  # left as it is


def test_mixed_columns_with_a_hierarchy_are_gathered_beyond_the_reach_of_exact_duals():
    _, space = labeled(np.random.default_rng(7), 6_000)
    found = cellular(space, k=5)
    assert found.theorem == "CELLULAR-5"
    assert found.sizes.min() >= 5
    assert found.cost <= 61.2 * found.lower_bound


def test_no_array_of_more_than_5000_records_squared_is_made(monkeypatch):
    """Distances are asked for in blocks; nothing comes near n^2 numbers."""
    from shoal.space.neighbors import Neighbors

    largest, plain = 0, Neighbors.distance

    def watched(self, rows, others):
        nonlocal largest
        found = plain(self, rows, others)
        largest = max(largest, found.size)
        return found

    monkeypatch.setattr(Neighbors, "distance", watched)
    points = np.random.default_rng(8).normal(size=(MOST_RECORDS + 1, 2))
    found = cellular(points, k=25)
    assert found.theorem == "CELLULAR-5"
    assert 0 < largest <= 2_400**2
    assert found.ratio_seen < 2.5


def test_the_grid_gives_nearly_what_exact_duals_give():
    points = np.random.default_rng(9).normal(size=(1_500, 3))
    exact, on_grid = cellular(points, k=5), cellular(points, k=5, exact=False)
    assert on_grid.lower_bound <= exact.lower_bound
    assert on_grid.cost < 1.2 * exact.cost
    assert on_grid.details.dual_bound <= exact.details.dual_bound


def test_leaving_out_few_records_of_a_long_tail_saves_much_on_the_grid():
    points = np.random.default_rng(12).standard_t(2, size=(1_000, 2))
    found = [cellular(points, k=5, max_suppressed=share, exact=False) for share in (0, 0.01, 0.05)]
    assert found[1].cost < 0.9 * found[0].cost
    assert found[2].cost < 0.8 * found[0].cost
    for one, allowed in zip(found, (0, 10, 50), strict=True):
        assert one.n_suppressed <= allowed == one.details.n_outliers_allowed
        assert (one.labels[one.centers] >= 0).all()  # no center is a record that was left out


def test_a_sum_is_rounded_down_and_no_further():
    assert sum_rounded_down(np.array([0.1] * 10)) == math.nextafter(1.0, 2) - 2**-52 == 1.0
    assert sum_rounded_down(np.array([1.0, 2.0**-60])) == 1.0
    assert sum_rounded_down(np.array([1.0, -(2.0**-60)])) == math.nextafter(1.0, 0)


@pytest.mark.deep
@pytest.mark.parametrize("d", [2, 3, 5])
def test_100000_records_take_less_than_a_minute_of_two_cores(d):
    points = np.random.default_rng(1).normal(size=(100_000, d))
    begun = time.process_time()
    found = cellular(points, k=10)
    assert time.process_time() - begun < 60
    assert found.ratio_seen < 2.5


def test_labels_alone_make_groups_on_the_grid():
    labels = np.random.default_rng(3).integers(0, 3, (300, 4))
    found = cellular(Space.from_labels(labels), k=7, exact=False)
    assert found.sizes.min() >= 7
    assert found.lower_bound <= found.cost


@pytest.mark.deep
@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("r", [None, 10])
def test_100000_records_with_opening_costs_take_about_a_minute_of_one_core(d, r):
    rng = np.random.default_rng(1)
    points, costs = rng.normal(size=(100_000, d)), rng.exponential(3, 100_000)
    begun = time.process_time()
    found = cellular(points, k=r, opening_cost=costs)
    assert time.process_time() - begun < 60
    assert found.ratio_seen < 2.5
