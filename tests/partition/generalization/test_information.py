"""The loss by information in every method that minimizes it: costs, bounds and ratios beside brute force."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import numpy as np
import pytest

from shoal.kernels.generalization_groups import Groups, Rules, measure_groups
from shoal.partition import forest, mondrian, pairs, triples
from shoal.partition.generalization.annealing import regroup
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.cell_bound import cell_bound
from shoal.partition.generalization.forest import generalization_cost
from shoal.space.neighbors import Neighbors
from tests.oracles.generalization import best_generalization_cost
from tests.oracles.generalization import generalization_cost as exact_cost
from tests.oracles.groupings import blocks_of
from tests.ratio.information import information_table

TIMES = 1000 if os.environ.get("SHOAL_TESTS") == "deep" else 40
NEARLY = Fraction(1, 10**12)
"""Costs are logarithms, which the oracle and the product round on their own."""
METHODS = {
    "forest": (lambda space, k: forest(space, k), (1, 2, 3, 4)),
    "mondrian": (lambda space, k: mondrian(space, k), (2, 3)),
    "mondrian, relaxed": (lambda space, k: mondrian(space, k, relaxed=True), (2, 3)),
    "pairs": (lambda space, _k: pairs(space), (2,)),
    "triples": (lambda space, _k: triples(space), (3,)),
}


def tables(seed, ks, times=TIMES):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.choice(ks))
        yield k, *information_table(rng, int(rng.integers(max(k, 3), 9)), int(rng.integers(1, 4)))


@pytest.mark.parametrize("name", METHODS)
def test_the_cost_is_between_the_bound_and_the_ratio_times_the_optimum(name):
    method, ks = METHODS[name]
    for k, rows, columns, space in tables(len(name), ks):
        found = method(space, k)
        cost = exact_cost(rows, columns, blocks_of(found.labels))
        best = best_generalization_cost(rows, columns, k)
        assert found.sizes.min() >= k
        assert abs(cost - Fraction(found.cost)) <= NEARLY * (1 + cost)
        assert Fraction(found.lower_bound) <= best * (1 + NEARLY)
        if found.ratio_proved is not None:
            assert cost <= found.ratio_proved * best * (1 + NEARLY)


def test_every_method_but_mondrian_claims_its_ratio():
    for name, (method, ks) in METHODS.items():
        claimed = [method(space, k).theorem for k, _, _, space in tables(5, ks, 20)]
        assert "mondrian" in name or any(claimed), name


def test_columns_of_three_values_and_more_have_no_medians():
    """PAIRS-1 and TRIPLES-1 rest on medians, which ranges that cost logarithms do not have."""
    for k, _, _, space in tables(6, (2, 3), 40):
        if all(len(np.unique(column)) > 2 for column in space.coordinates.T):
            assert (pairs(space) if k == 2 else triples(space)).theorem in ("PAIRS-2", "TRIPLES-2", None)


def test_the_bound_by_cells_is_at_most_the_optimum_and_at_least_that_of_the_nearest_records():
    for k, rows, columns, space in tables(7, (2, 3, 4)):
        bound = cell_bound(space, k)
        assert bound <= best_generalization_cost(rows, columns, k) * (1 + NEARLY)
        assert bound >= forest(space, k).lower_bound * (1 - 1e-9)


def test_distances_are_what_pairs_of_records_cost():
    for _, rows, columns, space in tables(8, (2,)):
        metric = Neighbors(space)
        for i, j in itertools.combinations(range(len(rows)), 2):
            two = float(exact_cost(rows, columns, [(i, j)])) / 2
            assert metric.distance(i, j) == pytest.approx(two, rel=1e-12)


def test_the_search_counts_what_is_reported_and_never_ends_costlier_than_it_began():
    for k, _, _, space in tables(9, (2, 3)):
        given = forest(space, k).labels
        found = regroup(space, given, k, effort=50, seed=1).labels
        assert np.bincount(found).min() >= k
        assert generalization_cost(space, found) <= generalization_cost(space, given) * (1 + 1e-12)
        assert searched_cost(space, found) == pytest.approx(generalization_cost(space, found), rel=1e-12)


def searched_cost(space, labels) -> float:
    """The cost of groups as the kernels of the search sum it up."""
    records, n_groups = by_kind(space), int(labels.max()) + 1
    size = np.bincount(labels)
    groups = Groups(
        label=labels.copy(),
        members=np.zeros((n_groups, int(size.max()) + 1), dtype=np.int64),
        size=size,
        extent=np.zeros(n_groups),
        deficit=np.zeros(n_groups),
        ends=np.zeros((n_groups, records.spans.shape[1], 4)),
        bits=np.zeros((n_groups, records.words.shape[1], 2), dtype=np.uint64),
    )
    for g in range(n_groups):
        groups.members[g, : size[g]] = np.flatnonzero(labels == g)
    measure_groups(records, Rules(np.zeros((len(labels), 0), np.int64), np.zeros(0), np.zeros(0, bool), 0.0), groups)
    return float((groups.extent * groups.size).sum())
