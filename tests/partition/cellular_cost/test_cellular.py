"""Cellular cost: hand-computed cases, the paper's figures, duals that prove themselves, and what is refused."""

from __future__ import annotations

import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.cellular_cost.groups import Clusters, cost_of, radii_of
from shoal.partition.cellular_cost.improve import closed, improved, merged, moved, recentered, split, swapped
from shoal.partition.cellular_cost.primal_dual import by_witness, of_at_least, pay
from shoal.partition.generalization.forest import forest
from shoal.space.space import Space
from tests.oracles.cellular import best_cellular_cost, best_cellular_cost_anywhere, cellular_program
from tests.ratio.instances import a_metric, added_distances, graph_distances


def column(*values):
    return np.array(values, dtype=float)[:, None]


def groups(partition):
    return [np.flatnonzero(partition.labels == g).tolist() for g in range(partition.n_groups)]


def euclid(points):
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def away_in(matrix):
    return lambda center, some: matrix[center, some]


def test_two_clear_pairs_by_hand():
    partition = cellular(column(10, 0, 13, 1), k=2)
    assert groups(partition) == [[0, 2], [1, 3]]
    assert partition.cost == 2 * 3 + 2 * 1
    assert partition.lower_bound == 8
    assert partition.radii.tolist() == [3, 1]
    assert (partition.theorem, partition.ratio_proved) == ("CELLULAR-2", 36)


def test_opening_costs_decide_what_is_joined_by_hand():
    table = column(0, 1, 10)
    assert groups(cellular(table, opening_cost=0)) == [[0], [1], [2]]
    apart = cellular(table, opening_cost=5)
    assert (groups(apart), apart.cost) == ([[0, 1], [2]], 12)
    together = cellular(table, opening_cost=40)
    assert (groups(together), together.cost, together.centers.tolist()) == ([[0, 1, 2]], 3 * 9 + 40, [1])
    assert (together.theorem, together.ratio_proved) == ("CELLULAR-1", 3)


def test_a_cheap_center_may_serve_groups_that_it_is_no_member_of():
    partition = cellular(column(0, 1, 10), opening_cost=[50, 4, 50])
    assert partition.cost == best_cellular_cost([[0, 1, 10], [1, 0, 9], [10, 9, 0]], [50, 4, 50]) == 19
    assert partition.centers.tolist() == [1, 1]


def test_the_duals_of_two_records_by_hand():
    # Balls of radius 0 would be paid at 5. The ball of both is paid when 2 (t - 1) = 5, at 3.5.
    partition = cellular(column(0, 1), opening_cost=5)
    assert partition.details.duals == pytest.approx([3.5, 3.5])
    assert partition.cost == 7
    assert partition.ratio_seen == pytest.approx(1)


def test_figure_1_d_costs_11_around_a_midpoint_and_13_around_records():
    alpha, beta, gamma, delta = 20, 1, 90, 60
    points = np.array([(alpha, beta), (alpha + 2, beta), (delta, gamma + 3), (delta, gamma), (delta, gamma - 3)])
    city = np.abs(points[:, None] - points[None]).sum(axis=2).tolist()
    assert best_cellular_cost_anywhere(city, 2) == 2 * 1 + 3 * 3 == 11
    for space in (points, Space.from_points(points, norm=1)):
        partition = cellular(space, k=2)
        assert groups(partition) == [[0, 1], [2, 3, 4]]  # those of the figure
        halves = [np.ptp(points[some], axis=0).max() / 2 for some in groups(partition)]
        assert partition.sizes @ halves == 11
        assert partition.details.lower_bound_any_center <= 11
        assert partition.cost == best_cellular_cost(city, [0] * 5, 2) == 13
        assert partition.centers[1] == 3


def test_the_5_cell_of_figure_3_distorts_4_entries_where_5_anonymity_hides_20():
    table = np.vstack((np.ones(4), 1 - np.eye(4)))
    partition = cellular(Space.from_points(table, norm=1), k=5)
    assert (partition.n_groups, partition.centers.tolist(), partition.radii.tolist()) == (1, [0], [1])
    assert partition.cost == 5
    assert (table != table[partition.centers[partition.labels]]).sum() == 4
    assert forest(Space.from_points(table, norm=1), 5).cost == 20


def exact_slack(distance, opening, r, duals, *, per_radius=None):
    """Price less payments of the ball that is paid most, over all balls with at least r records; exact."""
    per_radius = r if per_radius is None else per_radius
    alpha = [Fraction(value) for value in duals]
    slack = []
    for v, row in enumerate(distance):
        for d in set(row):
            ball = [i for i in range(len(row)) if row[i] <= d]
            if len(ball) >= r:
                paid = sum((max(Fraction(0), alpha[i] - d) for i in ball), Fraction(0))
                slack.append(opening[v] + per_radius * d - paid)
    return min(slack)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("r", [None, 2, 4])
def test_reported_duals_keep_within_the_price_of_every_ball_exactly(r, exact):
    rng = np.random.default_rng(5)
    for _ in range(25):
        n = int(rng.integers(4, 14))
        space = a_metric(rng, n)
        opening = rng.integers(0, 20, n) / 7
        partition = cellular(space.points, opening_cost=opening, k=r, metric=space.metric, exact=exact)
        prices = [Fraction(value) for value in opening]
        assert exact_slack(added_distances(space), prices, r or 0, partition.details.duals) >= 0
        total = sum(map(Fraction, partition.details.duals))
        assert partition.details.dual_bound <= total / (2 if r else 1)
        if r and opening.any():
            plain = partition.details.plain_duals
            assert exact_slack(added_distances(space), prices, r, plain, per_radius=0) >= 0
            assert partition.lower_bound >= plain.sum() * (1 - 1e-12)


@pytest.mark.parametrize("exact", [True, False])
def test_with_r_and_opening_costs_the_bound_knows_of_both(exact):
    """Two pairs far apart: each pays its own radius and its own center, and no bound of one wish says so."""
    found = cellular(column(0, 1, 1_000, 1_001), k=2, opening_cost=4, exact=exact)
    assert found.cost == 4 * 1 + 2 * 4
    assert found.lower_bound > (11.99 if exact else 4 * 1 + 4)
    assert found.details.plain_duals.sum() == pytest.approx(found.lower_bound)
    assert cellular(column(0, 1, 5, 6), k=2).details.plain_duals is None


def test_duals_are_maximal_some_ball_of_every_record_is_paid():
    rng = np.random.default_rng(6)
    points = rng.integers(0, 30, (25, 2)).astype(float)
    matrix, opening = euclid(points), rng.integers(1, 40, 25).astype(float)
    paid = pay(matrix, np.argsort(matrix, axis=1, kind="stable"), opening, 0)
    for record in range(25):
        center, radius = paid.centers[paid.witness[record]], paid.radii[paid.witness[record]]
        ball = matrix[center] <= radius
        assert ball[record]
        assert np.maximum(paid.alpha[ball] - radius, 0).sum() == pytest.approx(opening[center])


def test_the_integer_program_agrees_on_larger_instances():
    rng = np.random.default_rng(8)
    for _ in range(4):
        points = rng.integers(0, 40, (9, 1))
        table = np.abs(points - points.T)
        opening = rng.integers(0, 15, 9)
        optimum = cellular_program(table.tolist(), opening.tolist(), 3)
        partition = cellular(points, opening_cost=opening, k=3)
        assert partition.theorem == "CELLULAR-3"
        assert partition.lower_bound <= optimum <= partition.cost <= 60 * optimum


def test_what_the_duals_pay_covers_every_group_with_its_opening_three_times():
    """The inequality (3) of the proof, which is more than the ratio says."""
    rng = np.random.default_rng(10)
    for _ in range(300):
        n = int(rng.integers(2, 30))
        matrix = graph_distances(rng, n).astype(float)
        opening = rng.integers(0, 30, n).astype(float)
        paid = pay(matrix, np.argsort(matrix, axis=1, kind="stable"), opening, 0)
        clusters = by_witness(matrix, paid)
        in_full = cost_of(matrix, 3 * opening, clusters)
        assert in_full <= 3 * paid.alpha.sum() * (1 + 1e-9)
        assert (radii_of(matrix, clusters)[clusters.labels] <= 3 * paid.alpha * (1 + 1e-9)).all()


def test_large_balls_come_first_where_a_small_one_would_drag_many_records_along():
    # 60 records and m are 10 from e, which is paid early; m and j are 9 from v, which is paid late; j is 100 from w.
    # Opened before the balls of e and w, the small ball of v would take m and j, and with them all others.
    e, m, v, j, w, i = range(6)
    edges = np.zeros((66, 66))
    for one, other, length in ((e, m, 10), (m, v, 9), (v, j, 9), (j, w, 100), (w, i, 100)):
        edges[one, other] = length
    edges[e, 6:] = 10
    opening = np.full(66, 10_000.0)
    opening[[e, v, w]] = 500, 240, 180
    partition = cellular(shortest_path(edges, directed=False), opening_cost=opening, metric="precomputed")
    assert partition.theorem == "CELLULAR-1"
    assert partition.theorem_cost <= 3 * partition.details.dual_bound


@pytest.mark.parametrize("r", [2, 3, 7])
def test_groups_out_of_shared_ones_have_at_least_r_records_and_all_records(r):
    rng = np.random.default_rng(r)
    for _ in range(40):
        matrix = euclid(rng.integers(0, int(rng.choice([4, 100])), (int(rng.integers(r, 60)), 2)).astype(float))
        order, opening = np.argsort(matrix, axis=1, kind="stable"), np.zeros(len(matrix))
        paid = pay(matrix, order, opening, r)
        shared = by_witness(matrix, paid)
        clusters = of_at_least(away_in(matrix), order[shared.centers, :r], opening, shared, r)
        assert clusters.labels.min() == 0
        assert clusters.sizes.min() >= r
        assert cost_of(matrix, opening, clusters) <= 18 * paid.alpha.sum() * (1 + 1e-9)


def test_leftover_groups_are_piled_up_borrow_or_join_by_hand():
    # Three shared groups of a line, r = 3: {0, 1, 2}; {2, 3, 4} and {2, 5, 6} wait with two records each.
    matrix = np.abs(column(0, 1, 2, 3, 4, 5, 6) - column(0, 1, 2, 3, 4, 5, 6).T)
    order = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [3, 2, 4], [4, 3, 2], [5, 6, 2], [6, 5, 2]])
    shared = Clusters(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([1, 3, 5]))
    clusters = of_at_least(away_in(matrix), order[[1, 3, 5]], np.zeros(7), shared, 3)
    assert sorted(map(len, clusters.members())) == [3, 4]
    assert any(set(some.tolist()) == {3, 4, 5, 6} for some in clusters.members())


def test_a_far_record_is_left_out_if_that_is_allowed():
    partition = cellular(column(0, 1, 10, 11, 1000), k=2, max_suppressed=0.2)
    assert partition.labels.tolist() == [0, 0, 1, 1, -1]
    assert (partition.cost, partition.lower_bound) == (4, 4)
    assert (partition.theorem, partition.ratio_proved) == ("CELLULAR-4", 72)
    assert cellular(column(0, 1, 10, 11, 1000), k=2, max_suppressed=0.19).n_suppressed == 0


def test_of_a_ball_that_stops_too_many_records_only_as_many_are_kept_as_must_be():
    alike = 1 - np.eye(300)
    partition = cellular(alike, k=2, max_suppressed=Fraction(298, 300), metric="precomputed")
    assert partition.theorem_cost <= 72 * 2  # two records around one of them


def test_leaving_out_few_records_of_a_long_tail_saves_much():
    points = np.random.default_rng(12).standard_t(2, size=(200, 2))
    found = [cellular(points, k=5, max_suppressed=share) for share in (0, 0.01, 0.02, 0.05)]
    costs = [one.cost for one in found]
    assert max(costs[1:]) < 0.9 * costs[0]
    assert costs[3] < 0.8 * costs[0]
    for one, allowed in zip(found, (0, 2, 4, 10), strict=True):
        assert one.n_suppressed <= allowed == one.details.n_outliers_allowed
        assert one.sizes.min() >= 5
        assert (one.labels[one.centers] >= 0).all()  # no center is a record that was left out
        assert one.lower_bound <= one.cost


STEPS = (recentered, moved, swapped, closed, merged, split)


def test_every_step_of_the_improvement_finds_something_and_keeps_sizes_and_records():
    rng = np.random.default_rng(9)
    fell = dict.fromkeys(STEPS, 0)
    for trial in range(60):
        n, r = 40, int(rng.integers(1, 6))
        matrix = euclid(rng.normal(size=(n, 2)))
        opening = rng.random(n) * (trial % 2)
        labels = rng.permutation(np.arange(n) % int(rng.integers(1, n // r + 1)))
        clusters = Clusters(labels, rng.integers(0, n, labels.max() + 1))
        for step in STEPS:
            after = step(matrix, opening, clusters, r)
            assert after.sizes.min() >= r
            assert len(after.labels) == n
            before_cost, after_cost = cost_of(matrix, opening, clusters), cost_of(matrix, opening, after)
            assert after_cost <= before_cost * (1 + 1e-12)
            fell[step] += after_cost < before_cost
        assert cost_of(matrix, opening, improved(matrix, opening, clusters, r)) <= cost_of(matrix, opening, clusters)
    assert min(fell.values()) >= 5


def test_improvement_pays_on_clouds():
    points = np.random.default_rng(0).normal(size=(400, 2))
    partition = cellular(points, k=5)
    assert partition.cost < 0.8 * partition.theorem_cost
    assert partition.ratio_seen < 2.5


def test_equal_records_are_groups_for_free():
    partition = cellular(np.repeat(column(3, 8), 4, axis=0), k=4)
    assert groups(partition) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert partition.cost == partition.lower_bound == 0
    assert cellular(np.zeros((7, 2)), k=3).n_groups >= 1


def test_the_order_of_rows_changes_nothing_even_where_equal_records_differ_in_opening_cost():
    def found(points, opening):
        partition = cellular(points, opening_cost=opening, k=3)
        rows = np.column_stack((points, opening))
        return sorted(
            (rows[center].tolist(), sorted(rows[members].tolist()))
            for center, members in zip(partition.centers, groups(partition), strict=True)
        )

    rng = np.random.default_rng(4)
    for _ in range(5):
        points, opening = rng.integers(0, 4, (40, 2)).astype(float), rng.integers(0, 9, 40).astype(float)
        shuffle = rng.permutation(40)
        assert found(points, opening) == found(points[shuffle], opening[shuffle])


def test_a_matrix_of_distances_gives_what_its_points_give():
    points = np.random.default_rng(2).normal(size=(50, 3))
    points = points[np.argsort(points[:, 0])]  # the order in which records are taken; it breaks ties
    direct, by_matrix = cellular(points, k=4), cellular(euclid(points), k=4, metric="precomputed")
    assert by_matrix.cost == pytest.approx(direct.cost, rel=1e-9)
    assert by_matrix.details.duals == pytest.approx(direct.details.duals, rel=1e-9)


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**300])
def test_very_small_and_very_large_numbers_are_scaled_exactly(scale):
    points = np.random.default_rng(3).integers(0, 50, (30, 2)).astype(float)
    plain, scaled = cellular(points, k=3), cellular(points * scale, k=3)
    assert scaled.cost == plain.cost * scale
    assert np.array_equal(scaled.labels, plain.labels)


def test_no_ratio_is_claimed_where_the_cost_is_above_what_the_duals_allow(monkeypatch):
    # Distances that break the triangle inequality are refused; here the proof's own inequality is made to fail.
    monkeypatch.setattr(sys.modules["shoal.partition.cellular_cost.exact_duals"], "ROUNDING", -0.99)
    partition = cellular(np.random.default_rng(1).normal(size=(60, 2)), k=3)
    assert (partition.ratio_proved, partition.theorem) == (None, None)
    assert "triangle" in partition.notes[0]
    assert partition.lower_bound <= partition.cost


@pytest.mark.deep
@pytest.mark.parametrize("options", [{"k": 10}, {"opening_cost": 1.0}, {"k": 10, "max_suppressed": 0.02}], ids=str)
def test_3000_records_take_less_than_a_minute(options):
    points = np.random.default_rng(1).normal(size=(3000, 3))
    begun = time.perf_counter()
    partition = cellular(points, **options)
    assert time.perf_counter() - begun < 60
    assert partition.ratio_seen < 2.5


def test_what_cannot_be_done_is_refused():
    points = column(1, 2, 3)
    with pytest.raises(ParameterError, match="opening_cost or k"):
        cellular(points)
    with pytest.raises(ParameterError, match="with k and without opening_cost"):
        cellular(points, opening_cost=2, max_suppressed=0.1)
    with pytest.raises(ParameterError, match="from 0 up to"):
        cellular(points, k=2, max_suppressed=1)
    with pytest.raises(ParameterError, match="at least 1"):
        cellular(points, k=0)
    with pytest.raises(ParameterError, match="one number per record, 3"):
        cellular(points, opening_cost=[1, 2])
    with pytest.raises(ParameterError, match="negative or not finite"):
        cellular(points, opening_cost=-1)
    with pytest.raises(InfeasibleError):
        cellular(points, k=4)
