"""`regions`: connected groups, islands, bounds, maps of any kind, US counties."""

from __future__ import annotations

import importlib
from fractions import Fraction

import networkx as nx
import numpy as np
import polars as pl
import pytest

from shoal.errors import CertificateError, InfeasibleError, ParameterError
from shoal.partition.single_attribute.regions import regions
from tests.oracles.maps import best_largest_group
from tests.ratio import maps

GRID = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 7))


def assert_groups(graph, weights, k, partition):
    labels = partition.labels
    inside = nx.Graph((a, b) for a, b in graph.edges if labels[a] == labels[b])
    inside.add_nodes_from(graph)
    assert nx.number_connected_components(inside) == partition.n_groups
    loads = np.bincount(labels, weights=weights)
    assert loads.min() >= k
    assert partition.cost == loads.max()
    assert partition.lower_bound <= loads.max() <= partition.theorem_cost


@pytest.mark.parametrize("k", [1, 2, 7, 40, 100])
def test_groups_are_connected_and_heavy_enough(k):
    weights = np.random.default_rng(k).integers(0, 12, 42)
    assert_groups(GRID, weights, k, regions(list(GRID.edges), weights, k))


def test_pairs_a_sparse_matrix_and_a_networkx_graph_are_the_same_map():
    weights = np.arange(42)
    found = [
        regions(graph, weights, 60).labels.tolist()
        for graph in (
            list(GRID.edges),
            GRID,
            nx.to_scipy_sparse_array(GRID),
            np.array([(b, a) for a, b in GRID.edges]),
        )
    ]
    assert found[0] == found[1] == found[2] == found[3]


def test_the_worst_case_of_the_bound_is_met_by_a_star():
    """Light regions around one that cannot be told from them: kappa + d (k - 1), and nobody can do better."""
    weights = np.array([5, 4, 4, 4, 4])
    found = regions([(0, 1), (0, 2), (0, 3), (0, 4)], weights, 5)
    assert found.cost == found.lower_bound == 5 + 4 * 4
    assert found.ratio_proved == 1 + Fraction(4, 21)
    assert found.theorem == "REGIONS-4"


def test_the_smaller_of_the_two_ratios_is_claimed():
    two = regions([(0, 1)], [9, 9], 5)
    assert (two.theorem, two.ratio_proved) == ("REGIONS-2", 1 + Fraction(4, 9))  # a tree of degree 1
    path = regions([(0, 1), (1, 2), (2, 3)], [3, 2, 2, 3], 5)
    assert (path.theorem, path.ratio_proved) == ("REGIONS-4", Fraction(12, 5))  # not 13 / 5, by degree 2


@pytest.mark.parametrize("k", [3, 10, 25])
def test_no_map_has_a_ratio_of_3_or_more(k):
    rng = np.random.default_rng(k)
    for build in (maps.any_graph, maps.around_centers, maps.triangulation):
        graph = build(rng, 60)
        weights = rng.integers(0, k, len(graph))
        found = regions(graph, weights, k)
        assert_groups(graph, weights, k, found)
        assert found.ratio_proved < 3
        assert found.theorem_cost <= max(3 * k - 3, found.lower_bound + k - 1)


def test_3_regular_planar_graphs_with_k_3_come_close_to_thirds():
    """The graphs of the paper's hardness proof, all weights 1."""
    for seed in range(20):
        graph = maps.dual(maps.triangulation(np.random.default_rng(seed), 6))
        weights = np.ones(len(graph), dtype=int)
        found = regions(graph, weights, 3)
        assert_groups(graph, weights, 3, found)
        if len(graph) <= 12:
            best = best_largest_group(maps.neighbors_of(graph), weights.tolist(), 3)
            assert best <= found.cost <= 4 * best


def test_a_hanging_branch_that_is_too_light_counts_in_the_bound():
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    found = regions(edges, [1, 1, 9, 1, 1, 8], 3)
    assert found.lower_bound == 11  # 0, 1 and 2 in any case
    assert found.cost == 11


def test_islands_that_are_too_light_are_refused_by_name_and_weight():
    with pytest.raises(
        InfeasibleError, match=r"2 of 3 connected parts .* less than k=5: Sark and 1 more \(3\), Herm \(1\)"
    ):
        regions([(0, 1), (2, 3)], [9, 9, 1, 2, 1], 5, names=["Jersey", "Guernsey", "Sark", "Brecqhou", "Herm"])


def test_islands_are_joined_to_the_nearest_region_on_request():
    places = [(0, 0), (1, 0), (5, 0), (6, 0), (9, 0)]
    found = regions([(0, 1), (2, 3)], [9, 9, 5, 9, 1], 5, islands="join", positions=places)
    assert found.labels[4] == found.labels[3]
    assert "1 connected parts" in found.notes[0]
    assert found.details.joined == ((4, 3),)


def test_islands_cannot_be_joined_without_positions():
    with pytest.raises(ParameterError, match="positions"):
        regions([(0, 1)], [9, 9, 1], 5, islands="join")


def test_every_connected_part_is_partitioned_by_itself():
    found = regions([(0, 1), (2, 3)], [3, 3, 4, 4], 3)
    assert found.labels.tolist() == [0, 1, 2, 3]


def test_regions_without_people_belong_to_a_group():
    found = regions([(0, 1), (1, 2), (2, 3)], [2, 0, 0, 2], 2)
    assert found.n_groups == 2
    assert (found.labels >= 0).all()


def test_numbers_of_regions_beyond_the_weights_are_refused():
    with pytest.raises(ParameterError, match="0 to 3; weights has 3"):
        regions([(0, 3)], [1, 1, 1], 2)


def test_a_seed_gives_the_same_groups_and_improvement_never_makes_the_heaviest_heavier():
    weights = np.random.default_rng(5).integers(1, 50, 42)
    once, again = (regions(GRID, weights, 100, seed=3) for _ in range(2))
    assert (once.labels == again.labels).all()
    assert once.cost <= regions(GRID, weights, 100, effort=0).cost == once.theorem_cost


@pytest.mark.shared_data
def test_us_counties_are_partitioned_part_by_part(shared_data):
    folder = shared_data / "geo"
    fips = pl.read_csv(folder / "county_nodes_2010.csv", infer_schema=False)["fips"].to_list()
    number = {name: place for place, name in enumerate(fips)}
    pairs = pl.read_csv(folder / "county_edges_2010.csv", infer_schema=False).rows()
    graph = nx.Graph((number[a], number[b]) for a, b in pairs)
    graph.add_nodes_from(range(len(fips)))
    weights = np.random.default_rng(0).integers(100_000, 120_000, len(fips))
    seen = []
    for k in (2, 1000, 100_000):
        found = regions(graph, weights, k)
        assert_groups(graph, weights, k, found)
        seen.append(found.ratio_seen)
    assert np.mean(seen) <= 2


def test_groups_below_k_are_never_returned(monkeypatch):
    """The check is no `assert`: it also holds under python -O."""
    module = importlib.import_module("shoal.partition.single_attribute.regions")
    one_part = module._one_part

    def broken(neighbors, weight, inside, k, effort, seed):
        groups, *rest = one_part(neighbors, weight, inside, k, effort, seed)
        groups = groups.copy()
        groups[0] = groups.max() + 1
        return groups, *rest

    monkeypatch.setattr(module, "_one_part", broken)
    with pytest.raises(CertificateError, match="fewer than k people"):
        regions(nx.path_graph(6), [2] * 6, k=4)
