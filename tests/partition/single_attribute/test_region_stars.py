"""Heavy groups of regions made lighter: stars give arms away, arms form groups, and closed stars raise the bound."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest

from shoal.partition.single_attribute import region_stars
from shoal.partition.single_attribute.region_stars import lightened
from tests.oracles.maps import best_largest_group, is_connected
from tests.ratio import maps


def assert_light(graph: nx.Graph, weights: Sequence[int], k: int, groups: Sequence[int] | None = None) -> list[int]:
    """The weights of the groups, after checking what REGIONS-4 says of them; on small maps beside the optimum."""
    neighbors = maps.neighbors_of(graph)
    weakest = max(k, *weights)
    found, bound = lightened(neighbors, weights, groups or [0] * len(weights), k, weakest)
    blocks: dict[int, set[int]] = {}
    for vertex, group in enumerate(found):
        blocks.setdefault(group, set()).add(vertex)
    loads = [sum(weights[vertex] for vertex in block) for block in blocks.values()]
    assert all(is_connected(neighbors, block) for block in blocks.values())
    assert min(loads) >= k
    assert weakest <= bound
    assert max(loads) <= max(3 * k - 3, bound + k - 1)
    if len(weights) < 10:
        assert bound <= best_largest_group(neighbors, weights, k) <= max(loads)
    return sorted(loads)


def drawn(rng: np.random.Generator, n: int, k: int) -> list[int]:
    """Weights with ties, empty regions, regions just below k, and now and then some of several times k."""
    kind = rng.choice(["any", "ties", "heavy"], p=[0.4, 0.5, 0.1])
    if kind == "any":
        weights = rng.integers(0, k + 1, n)
    elif kind == "ties":
        weights = rng.choice([max(k - 1, 0), k // 2, k // 3, 1], n)
    else:
        weights = rng.integers(0, 3 * k, n)
    weights[0] += max(0, k - int(weights.sum()))
    return [int(weight) for weight in weights]


@pytest.mark.parametrize("seed", range(400))
def test_no_group_of_a_small_map_is_heavier_than_the_theorem_says(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 9)), int(rng.integers(1, 9))
    build = maps.around_centers if rng.random() < 0.7 else maps.any_graph
    assert_light(build(rng, n), drawn(rng, n, k), k)


@pytest.mark.parametrize("seed", range(200))
def test_no_group_of_a_larger_map_is_heavier_than_the_theorem_says(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(10, 80)), int(rng.integers(2, 40))
    build = maps.around_centers if rng.random() < 0.7 else maps.any_graph
    assert_light(build(rng, n), drawn(rng, n, k), k)


def test_arms_of_one_center_cannot_be_taken_apart_and_raise_the_bound():
    neighbors = maps.neighbors_of(nx.star_graph(7))
    assert lightened(neighbors, [1] + [4] * 7, [0] * 8, 5, 5) == ([0] * 8, 29)


def test_arms_of_two_centers_raise_the_bound_to_their_average():
    """Two centers for eight arms of k - 1: one of two groups has half of all, whoever forms them."""
    graph = nx.complete_bipartite_graph(2, 8)
    weights = [1, 1] + [9] * 8
    found, bound = lightened(maps.neighbors_of(graph), weights, [0] * 10, 10, 10)
    assert bound == 37
    assert len(set(found)) == 2
    assert max(np.bincount(found, weights=weights)) <= 37 + 9


def test_an_arm_goes_to_a_light_group_beside_it():
    graph = nx.star_graph(4)
    graph.add_edge(4, 5)
    loads = assert_light(graph, [1, 9, 9, 9, 9, 10], 10, [0, 0, 0, 0, 0, 1])
    assert loads == [19, 28]  # three arms cannot leave the center


def test_adjacent_arms_of_heavy_stars_form_a_group():
    graph = nx.disjoint_union(nx.star_graph(4), nx.star_graph(4))
    graph.add_edge(1, 6)
    loads = assert_light(graph, [1, 9, 9, 9, 9] * 2, 10, [0] * 5 + [5] * 5)
    assert loads == [18, 28, 28]


def test_arms_that_a_star_cannot_miss_join_it_and_it_is_divided_later(monkeypatch):
    """The star of region 5 would keep 9 of k = 10 people without its arms 6 and 7, which region 12 connects."""
    graph = nx.Graph([(0, arm) for arm in (1, 2, 3, 4)])  # heavy: 37
    graph.add_edges_from([(5, 6), (5, 7), (5, 8)])  # 21: with arm 1 of the heavy star 30, a star
    graph.add_edges_from([(9, 10), (9, 11), (9, 12), (12, 6), (12, 7)])  # 20: with arm 2 29, a star
    graph.add_edges_from([(1, 5), (2, 9)])
    weights = [1, 9, 9, 9, 9, 1, 6, 6, 8, 1, 9, 9, 1]
    groups = [0] * 5 + [1] * 4 + [2] * 4
    steps = []
    original = region_stars._Stars._gather_arms

    def watched(stars, clusters):
        n_groups = len(stars.members)
        changed = original(stars, clusters)
        if changed:
            steps.append(len(stars.members) - n_groups)
        return changed

    monkeypatch.setattr(region_stars._Stars, "_gather_arms", watched)
    loads = assert_light(graph, weights, 10, groups)
    assert steps == [0]
    assert len(loads) == 4


def test_regions_without_people_do_no_harm():
    graph = nx.star_graph(6)
    graph.add_edges_from([(6, 7), (7, 8)])
    assert_light(graph, [1, 9, 9, 9, 0, 0, 0, 10, 0], 10)


def test_groups_that_are_light_enough_are_left_alone():
    graph = nx.path_graph(6)
    groups = [0, 0, 0, 1, 1, 1]
    assert lightened(maps.neighbors_of(graph), [4] * 6, groups, 5, 5) == (groups, 5)
