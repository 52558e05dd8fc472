"""Gathering: hand-computed cases, the paper's hardness gadget, exact thresholds, and what the options promise."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.radius.assignment import assign, group_sizes
from shoal.partition.radius.balls import open_balls
from shoal.partition.radius.gather import gather, radius_cost
from shoal.partition.radius.improve import reach_of, reopened
from shoal.partition.radius.outliers import _peel, all_but, centers_by_candidates, centers_by_peeling
from shoal.partition.radius.points import weighted_points
from shoal.partition.radius.threshold import smallest_threshold
from shoal.space.metric import as_metric
from shoal.space.space import Space
from tests.oracles.programs import record_radius_program
from tests.oracles.radius import best_diameter


def column(*values):
    return np.array(values, dtype=float)[:, None]


def groups(partition):
    return [np.flatnonzero(partition.labels == g).tolist() for g in range(partition.n_groups)]


def test_two_clear_pairs_by_hand():
    partition = gather(column(10, 0, 13, 1), 2)
    assert groups(partition) == [[0, 2], [1, 3]]
    assert partition.cost == 3
    assert partition.lower_bound == 3
    assert partition.radii.tolist() == [3, 1]
    assert set(partition.centers) <= set(range(4))
    assert (partition.theorem, partition.ratio_proved) == ("GATHER-6", 1)
    assert gather([10, 0, 13, 1], 2).theorem == "GATHER-6"  # a plain list is one column
    flat = gather(np.column_stack((column(10, 0, 13, 1), np.zeros(4))), 2)
    assert groups(flat) == groups(partition)
    assert (flat.cost, flat.theorem, flat.ratio_proved) == (3, "GATHER-1", 2)


def test_centers_are_members_and_radii_reach_exactly_the_farthest_member():
    points = np.random.default_rng(0).normal(size=(300, 3))
    partition = gather(points, 5)
    for g, members in enumerate(groups(partition)):
        assert partition.labels[partition.centers[g]] == g
        distance = np.sqrt(((points[members] - points[partition.centers[g]]) ** 2).sum(axis=1))
        assert distance.max() == pytest.approx(partition.radii[g], rel=1e-12)
    assert partition.radii.max() == partition.cost


def test_the_table_of_figure_1_costs_3_in_groups_of_two():
    alpha, beta, gamma, delta = 20, 1, 90, 60
    points = [(alpha, beta), (alpha + 2, beta), (delta, gamma + 3), (delta, gamma), (delta, gamma - 3)]
    partition = gather(points, 2)
    assert groups(partition) == [[0, 1], [2, 3, 4]]
    assert partition.cost == 3
    assert partition.centers[1] == 3
    assert partition.ratio_seen == 1


# Section 2.1: a vertex per literal, joined to its negation; r - 2 vertices joined to both; a vertex per clause joined
# to its literals. Around literals that satisfy all clauses the radius is 1; without such literals it is 2.
R = 7
SATISFIABLE = [(1, 2), (1, -2), (-1, 2)]
UNSATISFIABLE = [(1, 2), (1, -2), (-1, 2), (-1, -2)]


def gadget(clauses):
    n_variables = max(abs(literal) for clause in clauses for literal in clause)
    n_nodes = n_variables * R + len(clauses)
    edges = np.zeros((n_nodes, n_nodes))

    def vertex(literal):
        return (abs(literal) - 1) * R + (literal < 0)

    for variable in range(1, n_variables + 1):
        true, false = vertex(variable), vertex(-variable)
        edges[true, false] = 1
        for other in range(true + 2, true + R):
            edges[true, other] = edges[false, other] = 1
    for j, clause in enumerate(clauses):
        for literal in clause:
            edges[vertex(literal), n_variables * R + j] = 1
    return shortest_path(edges, directed=False)


@pytest.mark.parametrize(("clauses", "optimum"), [(SATISFIABLE, 1), (UNSATISFIABLE, 2)])
def test_the_hardness_gadget_costs_1_if_satisfiable_and_2_if_not(clauses, optimum):
    matrix = gadget(clauses)
    assert record_radius_program(matrix.astype(int).tolist(), R) == optimum
    partition = gather(matrix, R, metric="precomputed")
    assert optimum <= partition.cost <= 2
    assert partition.lower_bound <= optimum


def test_the_ratio_of_2_is_reached_on_a_satisfiable_gadget():
    partition = gather(gadget(SATISFIABLE), R, metric="precomputed")
    assert partition.details.lower_bound_any_center == 1
    assert partition.theorem_cost == 2


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=3, max_size=14), st.integers(2, 3))
def test_the_threshold_is_the_smallest_that_passes_and_every_smaller_distance_fails(rows, r):
    space = Space.from_points(np.unique(np.array(rows, dtype=float), axis=0))
    counts = np.ones(len(space), dtype=np.int64)
    if len(space) < r:
        return
    metric = as_metric(space, counts=counts)
    reach = reach_of(metric, r)
    sequence = np.argsort(reach.spread, kind="stable")
    passed = smallest_threshold(metric, r, reach.spread, sequence, None)
    everything = np.arange(len(space))
    distances = np.unique(metric.distance(everything[:, None], everything))

    def passes(threshold):
        balls = open_balls(metric, sequence, threshold)
        return bool((reach.spread <= threshold).all()) and assign(balls, threshold, counts, r) is not None

    below = distances[distances < passed.threshold]
    assert passed.threshold in distances
    assert passes(passed.threshold)
    assert not len(below) or not passes(below[-1])
    squared = [[int(((a - b) ** 2).sum()) for b in space.coordinates] for a in space.coordinates]
    if len(space) <= 8:
        assert passed.threshold**2 <= float(best_diameter(squared, r)) * (1 + 1e-12)


def test_a_search_that_starts_at_a_refuted_threshold_ends_at_the_exact_one():
    # Pairs 1 apart in a row: every point has a neighbor at distance 1, but three points cannot be pairs.
    partition = gather(column(0, 1, 2), 2)
    assert partition.cost == 1
    assert partition.details.lower_bound_any_center == 1  # groups of diameter 1 do not exist: the refuted guess


def test_reach_is_the_same_when_neighbors_are_fetched_in_pieces(monkeypatch):
    points = np.random.default_rng(8).integers(0, 12, (200, 2)).astype(float)
    metric = weighted_points(points, None, at_least=5, n_threads=1).metric
    whole = reach_of(metric, 5)
    monkeypatch.setattr("shoal.partition.radius.improve.AT_ONCE", 64)
    pieces = reach_of(metric, 5)
    everything = np.arange(len(metric))
    by_hand = np.maximum(metric.distance(everything[:, None], everything), whole.spread).min(axis=1)
    assert np.array_equal(whole.spread, pieces.spread)
    assert np.array_equal(whole.need, by_hand)
    assert np.array_equal(pieces.need, by_hand)


@given(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=3, max_size=20), st.integers(2, 4), st.integers(1, 4))
def test_peeling_leaves_the_largest_set_of_points_with_r_of_it_near(steps, r, threshold):
    metric = as_metric(column(*np.cumsum(steps)))
    kept = set(range(len(metric)))
    while lonely := [i for i in kept if sum(metric.distance(i, j) <= threshold for j in kept) < r]:
        kept -= set(lonely)
    spread = metric.kth_distance(r) if r <= len(metric) else np.full(len(metric), np.inf)
    assert set(np.flatnonzero(_peel(metric, r, spread, threshold))) == kept


def test_peeling_goes_on_until_nothing_more_comes_off():
    metric = as_metric(np.arange(9.0)[:, None])  # only the ends are short of neighbors, until they are gone
    assert not _peel(metric, 3, metric.kth_distance(3), 1.0).any()


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40, unique=True),
    st.integers(0, 5),
    st.integers(0, 4),
    st.integers(-1, 4),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_balls_in_a_tree_are_those_in_a_matrix(rows, radius, further, needed, most, random):
    counts = [random.randint(1, 3) for _ in rows]
    tree = as_metric(np.array(rows, dtype=float), counts=counts)
    matrix = as_metric([tree.distances_from(i) for i in range(len(tree))], "precomputed", counts=counts)
    order = list(range(len(rows)))
    sequence, pick = np.array(random.sample(order, len(order))), np.array(random.choices(order, k=len(order)))
    options = {"pick": pick, "reach": radius + further, "needed": needed, "most": most}
    fast, plain = (open_balls(metric, sequence, radius, **options) for metric in (tree, matrix))
    for name in ("centers", "starts", "owner", "gap"):
        assert np.array_equal(getattr(fast, name), getattr(plain, name)), name
    listed = (sorted(zip(balls.ball, balls.members, balls.distances, strict=True)) for balls in (fast, plain))
    assert next(listed) == next(listed)


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_outliers_are_left_out_up_to_the_fraction(dropped):
    points = column(0, 1, 2, 100, 101, 102, 1000, 5000, 5001, 5002)
    partition = gather(points, 3, max_suppressed=Fraction(dropped, 10))
    assert partition.n_suppressed == (1 if dropped else 0)
    assert partition.cost == (1 if dropped else 898)
    assert partition.labels[6] == (-1 if dropped else 1)


def test_record_centers_are_within_three_times_the_bound_where_peeling_alone_is_not():
    points = column(-10, 4, 0, -1, -3, -10, 9, -8, -2, -7, 8)
    metric = weighted_points(points, None, at_least=4, n_threads=1).metric
    reach = reach_of(metric, 4)
    sequence = np.argsort(reach.spread, kind="stable")
    bound = all_but(reach.need, metric.counts, 1)
    assert centers_by_peeling(metric, 4, reach, sequence, 1).radius > 3 * bound
    assert centers_by_candidates(metric, 4, reach, sequence, 1).radius <= 3 * bound
    assert gather(points, 4, max_suppressed=Fraction(1, 11)).theorem_cost <= 3 * bound


@given(st.lists(st.integers(0, 40), min_size=4, max_size=20), st.integers(2, 4), st.integers(1, 3))
def test_balls_around_candidates_reach_all_but_the_allowed_within_three_radii(values, r, allowed):
    metric = as_metric(column(*values))
    reach = reach_of(metric, r)
    found = centers_by_candidates(metric, r, reach, np.argsort(reach.spread, kind="stable"), allowed)
    assert found.radius <= 3 * all_but(reach.need, metric.counts, allowed)


def test_a_fraction_is_read_as_it_is_written():
    points = np.arange(100.0)[:, None]
    assert gather(points, 2, max_suppressed=0.29).details.n_outliers_allowed == 29


def test_leaving_out_more_records_never_costs_more_than_the_ratio_allows():
    points = np.random.default_rng(2).standard_t(2, size=(400, 2))
    costs = [gather(points, 5, max_suppressed=f).cost for f in (0, 0.01, 0.05, 0.2)]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_no_more_groups_than_asked_for(most):
    points = np.random.default_rng(1).normal(size=(60, 2))
    partition = gather(points, 4, max_groups=most)
    assert partition.n_groups <= most
    assert partition.theorem == "GATHER-4"
    assert gather(points, 4, max_groups=most, max_suppressed=0.1).theorem == "GATHER-5"


def test_equal_records_may_be_shared_by_groups():
    # Ten copies between two lonely records: each needs two of the copies.
    partition = gather(column(0, 10, *[5] * 10), 3)
    assert partition.cost == 5
    assert partition.labels[0] != partition.labels[1] or partition.n_groups == 1
    assert partition.sizes.min() >= 3


def test_mixed_columns_use_the_hierarchy():
    from tests.ratio.instances import labeled

    _, space = labeled(np.random.default_rng(3), 40)
    partition = gather(space, 3)
    assert partition.sizes.min() >= 3
    assert partition.lower_bound <= partition.cost <= 2 * partition.details.lower_bound_any_center


def test_clustered_points_are_gathered_at_the_bound():
    rng = np.random.default_rng(4)
    for d in (2, 5):
        points = rng.normal(size=(2000, d)) + 8 * rng.integers(0, 4, (2000, 1))
        assert gather(points, 10).ratio_seen <= 1.1


def test_opening_swapping_and_closing_after_the_theorem_never_costs_more_and_often_less(monkeypatch):
    module = sys.modules["shoal.partition.radius.gather"]
    fell = []

    def watched(metric, groups, reach, r, **limits):
        after = reopened(metric, groups, reach, r, **limits)
        assert after.cost <= groups.cost
        assert group_sizes(after.shares, len(after.centers)).min() >= r
        fell.append(after.cost < groups.cost)
        return after

    monkeypatch.setattr(module, "reopened", watched)
    rng = np.random.default_rng(6)
    for trial in range(24):
        points = rng.standard_t(2, (300, 2)) if trial % 2 else rng.random((300, 3))
        found = gather(points, 6, **[{}, {"max_suppressed": 0.02}, {"max_groups": 30}][trial % 3])
        assert found.lower_bound <= found.cost <= found.theorem_cost
    assert sum(fell) >= 4


def test_lists_of_points_around_centers_stay_far_below_all_pairs(monkeypatch):
    """Beyond 5,000 points nothing near n^2 is listed, whatever the threshold."""
    kernels, listed = sys.modules["shoal.kernels.ball_opening"], []
    plain = kernels.open_balls

    def watched(*arguments):
        found = plain(*arguments)
        listed.append(len(found[2]))
        return found

    monkeypatch.setattr(kernels, "open_balls", watched)
    rng = np.random.default_rng(3)
    for points in (rng.random((6_000, 2)), rng.standard_t(2, (6_000, 3)), rng.integers(0, 9, (6_000, 4)) * 1.0):
        for options in ({}, {"max_suppressed": 0.01}):
            gather(points, 10, **options)
    assert 0 < max(listed) <= 30 * 6_000


@pytest.mark.deep
def test_on_mixtures_of_ten_thousand_points_the_ratio_seen_is_small_on_average():
    ratios = []
    for d, seed in product(range(2, 11), range(3)):
        rng = np.random.default_rng([d, seed])
        kind = rng.integers(8, size=10_000)
        centers, spreads = rng.normal(0, 4, (8, d)), rng.uniform(0.3, 1.5, 8)
        ratios.append(gather(centers[kind] + rng.normal(size=(10_000, d)) * spreads[kind, None], 10).ratio_seen)
    assert np.mean(ratios) <= 1.05


def test_the_cost_of_any_grouping_is_the_radius_around_its_best_records():
    rng = np.random.default_rng(5)
    for _ in range(20):
        points = rng.integers(0, 9, (30, 2)).astype(float)
        labels = rng.integers(-1, 4, 30)
        radii = []
        for g in set(labels.tolist()) - {-1}:
            members = points[labels == g]
            squares = ((members[:, None] - members[None]) ** 2).sum(axis=2)
            radii.append(np.sqrt(squares).max(axis=1).min())
        assert radius_cost(Space.from_points(points), labels) == max(radii)


def test_a_run_reports_the_cost_of_its_own_groups():
    space = Space.from_points(np.random.default_rng(6).normal(size=(500, 2)))
    partition = gather(space, 6)
    assert radius_cost(space, partition.labels) == partition.cost


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"k": 2, "max_groups": 0}, "max_groups must be at least 1"),
        ({"k": 2, "max_suppressed": 1.0}, "max_suppressed is a share"),
        ({"k": 2, "max_suppressed": -0.1}, "max_suppressed is a share"),
        ({"k": 2, "metric": "cosine"}, "metric='cosine' is not known"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        gather(column(1, 2, 3), **options)


def test_too_few_records_are_refused_even_if_some_may_be_left_out():
    with pytest.raises(InfeasibleError, match="at least 4 rows"):
        gather(column(1, 2, 3), 4, max_suppressed=0.5)


def test_a_group_for_every_record_costs_nothing():
    partition = gather(column(3, 1, 2), 1)
    assert partition.cost == 0
    assert partition.n_groups == 3


def test_distances_beyond_floating_point_are_refused():
    with pytest.raises(ParameterError, match="floating-point"):
        gather(column(-1.7e308, 0, 1.7e308), 2)


@pytest.mark.parametrize(("few", "left_out"), list(product([None, 3], [0.0, 0.1])))
def test_a_matrix_gives_what_the_points_give(few, left_out):
    points = np.random.default_rng(9).normal(size=(80, 2))
    points = points[np.lexsort(points.T[::-1])]  # a matrix has no other order to break ties by
    metric = as_metric(points)
    matrix = np.array([metric.distances_from(i) for i in range(80)])
    a = gather(points, 4, max_groups=few, max_suppressed=left_out)
    b = gather(matrix, 4, metric="precomputed", max_groups=few, max_suppressed=left_out)
    assert (a.theorem_cost, a.lower_bound) == (b.theorem_cost, b.lower_bound)


def test_of_the_best_radii_on_a_line_dense_places_keep_small_groups():
    """The far pair decides the radius; among all groupings with it, the sum of size x radius is the smallest."""
    found = gather(column(0, 0, 1, 1, 2, 2, 3, 3, 50, 60), 2)
    assert found.cost == 10
    assert sorted(found.radii.tolist()) == [0, 0, 0, 0, 10]


def test_one_column_of_many_equal_and_huge_numbers_is_cut_exactly():
    rng = np.random.default_rng(3)
    for k in (1, 2, 5, 40):
        line = np.ldexp(rng.integers(0, 9, 90).astype(float), 300)[:, None]
        found = gather(line, k)
        assert found.theorem == "GATHER-6"
        assert found.sizes.min() >= k
        assert found.cost == found.lower_bound == found.radii.max()
        two = gather(np.hstack((line, line)), k)  # the same groupings, without the theorem for one column
        assert found.cost <= two.cost / np.sqrt(2) * (1 + 1e-12)
