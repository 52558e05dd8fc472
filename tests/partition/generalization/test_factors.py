"""PAIRS and TRIPLES: exact factors, cut at least cost, within their ratios of the optimum."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition import forest, pairs, triples
from shoal.partition.generalization import two_factor as factor_pricing
from shoal.partition.generalization.matching import grid_unit, two_factor, whole
from shoal.partition.generalization.triples import _cut
from shoal.space.space import Space
from tests.oracles.factors import lightest_one_two_factor, lightest_two_factor
from tests.oracles.generalization import Tree, best_generalization_cost, generalization_cost
from tests.oracles.groupings import blocks_of
from tests.ratio.instances import any_table

# The eight vectors after Lemma 11: each differs from the next in one place.
CYCLE = [
    [0, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 1, 1],
    [0, 1, 1, 1],
    [1, 1, 1, 1],
    [1, 1, 1, 0],
    [1, 1, 0, 0],
    [1, 0, 0, 0],
]


def distances(rows, columns):
    n = len(rows)
    return [[generalization_cost(rows, columns, [(i, j)]) / 2 for j in range(n)] for i in range(n)]


def a_table(rng):
    """Rows, the oracle's columns and what Shoal takes: suppression of two or three labels, or columns of any kind."""
    n = int(rng.integers(3, 9))
    if rng.random() < 0.5:
        return any_table(rng, n)
    n_values = int(rng.choice([2, 3]))
    table = rng.integers(0, n_values, (n, int(rng.integers(1, 6))))
    return table.tolist(), [Tree.labels(n_values)] * table.shape[1], table


def check_factor(rng, method, oracle) -> None:
    rows, columns, records = a_table(rng)
    found = method(records)
    assert Fraction(found.details.factor_weight) == oracle(distances(rows, columns)), rows
    cost = generalization_cost(rows, columns, blocks_of(found.labels))
    assert cost <= 3 * Fraction(found.details.factor_weight)  # Lemmas 8 and 11


@pytest.mark.parametrize(("method", "oracle"), [(pairs, lightest_one_two_factor), (triples, lightest_two_factor)])
def test_the_factor_is_the_lightest_and_groups_cost_at_most_three_times_its_weight(method, oracle):
    rng = np.random.default_rng(7)
    for _ in range(120):
        check_factor(rng, method, oracle)


@pytest.mark.deep
@pytest.mark.parametrize(("method", "oracle"), [(pairs, lightest_one_two_factor), (triples, lightest_two_factor)])
def test_the_factor_is_the_lightest_on_many_tables(method, oracle):
    rng = np.random.default_rng(8)
    for _ in range(2000):
        check_factor(rng, method, oracle)


def test_a_factor_by_matching_alone_is_the_lightest():
    rng = np.random.default_rng(3)
    for _ in range(60):
        n = int(rng.integers(3, 8))
        weights = rng.integers(0, 9, n * (n - 1) // 2)
        edges = np.stack(np.triu_indices(n, 1), axis=1)
        table = np.zeros((n, n), dtype=int)
        table[edges[:, 0], edges[:, 1]] = table[edges[:, 1], edges[:, 0]] = weights
        chosen = two_factor(n, edges, weights.astype(float))
        assert (np.bincount(edges[chosen].ravel(), minlength=n) == 2).all()
        assert weights[chosen].sum() == lightest_two_factor(table.tolist())
    assert two_factor(4, np.array([[0, 1], [1, 2], [2, 3]]), np.ones(3)) is None


def test_weights_become_whole_numbers_in_proportion():
    assert whole(np.array([3.0, 1.0, 0.0])).tolist() == [3 << 46, 1 << 46, 0]
    assert whole(np.zeros(2)).tolist() == [0, 0]


def test_the_cycle_of_eight_vectors_is_the_lightest_factor_and_costs_three_times_its_weight():
    found = triples(np.array(CYCLE))
    assert found.details.factor_weight == 8
    assert found.cost == 24  # two groups of four: the analysis of Lemma 11 is tight
    assert found.cost <= 2 * best_generalization_cost(CYCLE, [Tree.labels(2)] * 4, 3)
    assert found.lower_bound == pytest.approx(12)
    # Along the cycle itself no cut is cheaper.
    pieces = _cut(Space.from_labels(CYCLE), np.arange(8))
    assert sorted(map(len, pieces)) in ([3, 5], [4, 4])


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_two_instances_of_section_4_have_equal_graphs_and_costs_far_apart(k):
    length = 2 ** (k - 2) if k > 2 else 1
    first = np.zeros((k, k * length), dtype=int)
    second = np.zeros((k, 2**k if k > 2 else 4), dtype=int)
    for i in range(k):
        first[i, i * length : (i + 1) * length] = 1
        blocks = 2 ** (i + 1)
        second[i] = np.repeat(1 - np.arange(blocks) % 2, second.shape[1] // blocks)
    for table in (first, second):
        apart = (table[:, None] != table[None]).sum(axis=2)
        assert set(apart[~np.eye(k, dtype=bool)]) == {2 * length}
    assert forest(first, k).cost == k * k * length
    assert forest(second, k).cost == k * sum(len(set(column)) > 1 for column in second.T.tolist())
    assert forest(second, k).cost <= 4 * k * length
    assert forest(first, k).lower_bound == pytest.approx(forest(second, k).lower_bound)


def test_the_ratio_for_two_values_and_numbers_is_the_sharper_one():
    numbers = Space.from_points(np.random.default_rng(1).random((9, 2)), norm=1)
    assert (pairs(numbers).theorem, pairs(numbers).ratio_proved) == ("PAIRS-1", Fraction(3, 2))
    assert (triples(numbers).theorem, triples(numbers).ratio_proved) == ("TRIPLES-1", 2)
    labels = np.array([[0], [1], [2], [0], [1], [2]])
    assert (pairs(labels).theorem, pairs(labels).ratio_proved) == ("PAIRS-2", 2)
    assert (triples(labels).theorem, triples(labels).ratio_proved) == ("TRIPLES-2", 3)


def test_pairs_are_within_their_ratio_of_their_own_bound_at_any_size():
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2, (300, 12))
    found = pairs(table)
    assert found.sizes.min() >= 2
    assert found.lower_bound <= found.cost <= 1.5 * found.lower_bound * (1 + 1e-9)


def test_triples_are_within_their_ratio_of_their_own_bound_at_any_size():
    table = np.random.default_rng(6).integers(0, 2, (60, 10))
    found = triples(table)
    assert found.sizes.min() >= 3
    assert found.theorem == "TRIPLES-1"
    assert found.lower_bound <= found.cost <= 2 * found.lower_bound * (1 + 1e-6)


def test_a_factor_that_was_not_proved_the_lightest_claims_a_ratio_only_within_it_of_the_bound(monkeypatch):
    """Without cuts the linear program is far off, and then there are too many edges to try."""
    monkeypatch.setattr(factor_pricing, "_violated", lambda *_: [])
    monkeypatch.setattr(factor_pricing, "MOST_EDGES", 0)
    monkeypatch.setattr(factor_pricing, "FEW", 0)
    monkeypatch.setattr(factor_pricing, "NEAREST", 2)
    rng = np.random.default_rng(0)
    for _ in range(30):
        table = rng.integers(0, 2, (9, 6))
        found = triples(table)
        best = best_generalization_cost(table.tolist(), [Tree.labels(2)] * 6, 3)
        assert Fraction(found.lower_bound) <= best <= Fraction(found.cost)
        assert bool(found.notes) == (found.ratio_proved is None)
        if found.ratio_proved is not None:
            assert Fraction(found.cost) <= 2 * best


def test_a_factor_far_above_its_bound_that_was_not_proved_the_lightest_claims_nothing(monkeypatch):
    module = sys.modules["shoal.partition.generalization.triples"]
    exact = module.lightest_two_factor
    monkeypatch.setattr(module, "lightest_two_factor", lambda *task: exact(*task)._replace(at_least=0.0))
    found = triples(np.array(CYCLE))  # costs 24; the nearest neighbors alone prove 8
    assert (found.ratio_proved, found.theorem) == (None, None)
    assert found.notes
    assert found.lower_bound <= 8


def far_clusters(rng):
    """Three or four clusters of few numbers, each far from the next: the solver takes what is near for nothing."""
    centers = np.arange(int(rng.integers(2, 4))) * 10.0 ** int(rng.integers(5, 13))
    return np.concatenate([center + rng.integers(0, 90, int(rng.integers(3, 5))) for center in centers])[:, None]


def check_far_clusters(rng):
    numbers = far_clusters(rng)
    found = triples(Space.from_points(numbers, norm=1))
    best = generalization_optimum_of_numbers(numbers[:, 0], 3)
    assert Fraction(found.lower_bound) <= best <= Fraction(found.cost)
    if found.ratio_proved is not None:
        assert Fraction(found.cost) <= found.ratio_proved * best
    return found.ratio_proved is not None


def generalization_optimum_of_numbers(numbers, k):
    """Ranges of neighbors are best on one column; every way to cut the sorted numbers is tried."""
    values = sorted(map(Fraction, numbers.tolist()))
    best = [Fraction(0)] + [None] * len(values)
    for end in range(1, len(values) + 1):
        ways = [
            best[begin] + (end - begin) * (values[end - 1] - values[begin])
            for begin in range(end - k + 1)
            if best[begin] is not None
        ]
        best[end] = min(ways, default=None)
    return best[-1]


def test_the_bound_of_clusters_that_are_far_apart_is_true():
    """Ages and codes for missing ones, as they stand in real files."""
    ages = np.array([20, 20, 21, 80, 80, 81, 50, 50, 51, 999999999, 999999998, 999999997.0])[:, None]
    found = triples(Space.from_points(ages, norm=1))
    assert generalization_optimum_of_numbers(ages[:, 0], 3) == 15
    assert found.lower_bound <= 15
    assert found.cost == 15
    rng = np.random.default_rng(2)
    assert sum(check_far_clusters(rng) for _ in range(60)) >= 50


def test_a_lightest_edge_cover_has_no_star_of_more_than_two_leaves_a_record():
    """One record in the middle of five, and two equal ones in the middle of seven."""
    spokes = np.vstack([np.zeros((1, 5)), np.eye(5)]).astype(int)
    found = pairs(spokes)
    assert found.details.factor_weight == 5
    assert sorted(found.sizes) == [2, 2, 2]
    spokes = np.vstack([np.zeros((2, 7)), np.eye(7)]).astype(int)
    found = pairs(spokes)
    assert found.details.factor_weight == 7
    assert found.sizes.max() <= 3


def test_edges_are_taken_once_whatever_prices_the_matching_is_given():
    rng = np.random.default_rng(9)
    for _ in range(60):
        n = int(rng.integers(3, 8))
        weights = rng.integers(0, 9, n * (n - 1) // 2).astype(float)
        edges = np.stack(np.triu_indices(n, 1), axis=1)
        plain, priced = two_factor(n, edges, weights), two_factor(n, edges, weights, rng.integers(-3, 9, n) / 2)
        assert weights[plain].sum() == weights[priced].sum()
        assert (np.bincount(edges[priced].ravel(), minlength=n) == 2).all()


def test_a_bound_that_was_raised_takes_no_edge_of_the_factor_at_hand_from_the_second_matching():
    """Four records whose lightest factor weighs 1; prices prove 1/4, and weights are whole, so that is raised to 1.

    The edge of weight 1 has a reduced cost of 1/2. Above the raised bound there is no room for it, and the other
    edges of a reduced cost of at most 0 have no factor.
    """
    u, v = np.triu_indices(4, 1)
    weights, prices = np.array([1.0, 0, 0, 0, 2, 0]), np.array([0.25, 0.25, 0, 0])
    reduced = weights - prices[u] - prices[v]
    assert 2 * prices.sum() + np.minimum(reduced, 0).sum() == 0.25
    inside = np.array([True, False, True, True, False, True])
    chosen, lightest = factor_pricing._matched(4, u, v, weights, prices, reduced, 1.0, inside)
    assert lightest
    assert weights[chosen].sum() == 1


def test_what_the_matching_of_pairs_may_have_rounded_is_taken_off_their_bound():
    """Distances just above a power of two have a unit of nearly twice 2^-48 of the heaviest."""
    points = np.array([0.0, 1, 2 + 2.0**-50, 10, 11, 12 + 2.0**-49, 20, 21, 22 + 2.0**-48])[:, None]
    found = pairs(Space.from_points(points, norm=1))
    unit = grid_unit(2 * (1 + 2.0**-48))
    assert unit == 2.0**-46
    assert found.lower_bound > forest(Space.from_points(points, norm=1), 2).lower_bound
    assert found.lower_bound <= 2 * (found.details.factor_weight - 9 * unit)
    exact = pairs(Space.from_points(np.array([0.0, 1, 2, 10, 11, 12])[:, None], norm=1))
    assert exact.lower_bound == pytest.approx(8, rel=1e-14)  # nothing was rounded


def test_equal_records_lend_themselves_to_others_and_the_rest_is_free():
    records = np.array([[0, 0]] * 7 + [[0, 1], [1, 0]])
    two = pairs(records)
    assert two.cost == 4
    assert two.sizes.min() == 2
    three = triples(records)
    assert three.cost == 6
    assert three.sizes.min() == 3


def test_too_few_records_and_too_many_are_errors(monkeypatch):
    with pytest.raises(InfeasibleError, match="k=2 needs at least 2 rows"):
        pairs([[1]])
    with pytest.raises(InfeasibleError, match="k=3 needs at least 3 rows"):
        triples([[1], [2]])
    many = np.arange(40)[:, None]
    monkeypatch.setattr(sys.modules["shoal.partition.generalization.triples"], "MOST_RECORDS", 30)
    monkeypatch.setattr(sys.modules["shoal.partition.generalization.pairs"], "MOST_PAIRS", 30)
    with pytest.raises(ParameterError, match="up to 30 records"):
        triples(many)
    with pytest.raises(ParameterError, match="would have to examine 1,600 pairs of records; it takes up to 30"):
        pairs(many)
    monkeypatch.setattr(sys.modules["shoal.partition.generalization.pairs"], "MOST_PAIRS", 10**6)
    monkeypatch.setattr(sys.modules["shoal.partition.generalization.pairs"], "MOST_SECONDS", 0)
    with pytest.raises(
        ParameterError, match="would match 40 records by 39 pairs, which takes about 0 minutes"
    ) as err:
        pairs(Space.from_points(many, norm=1))
    assert "method=forest" in str(err.value)
