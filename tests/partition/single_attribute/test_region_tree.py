"""Spanning trees of low degree: Tutte paths, degree 3 on polyhedra, one above the best degree on any graph."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from shoal.partition.single_attribute.plane_graph import Plane, connected_parts
from shoal.partition.single_attribute.region_tree import degree_of, depth_first_tree, exchanged, low_degree_tree
from shoal.partition.single_attribute.tutte_path import Disc, run, tutte_path
from tests.oracles.maps import best_degree
from tests.ratio import maps


def assert_spanning_tree(neighbors, tree):
    n = len(neighbors)
    assert all(b in neighbors[a] and a in tree[b] for a in range(n) for b in tree[a])
    assert sum(map(len, tree)) == 2 * (n - 1)
    assert nx.is_connected(nx.Graph({a: list(tree[a]) for a in range(n)}))


def assert_tutte(plane, disc, path):
    """From v to u through e; what is off the path touches it thrice at most, twice where it has an edge of C."""
    assert (path[0], path[-1]) == (disc.v, disc.u)
    assert len(set(path)) == len(path)
    steps = {frozenset(step) for step in pairwise(path)}
    assert frozenset(disc.e) in steps
    assert all(b in plane.order[a] for a, b in pairwise(path))
    cycle = set(disc.cycle)
    for part in connected_parts(plane.order.__getitem__, set(disc.inside) - set(path)):
        touched = {w for vertex in part for w in plane.order[vertex]} & set(path)
        assert len(touched) <= (2 if cycle & set(part) else 3)


def two_connected(rng, n):
    graph = maps.triangulation(rng, n)
    for a, b in rng.permutation(list(graph.edges)).tolist()[: int(rng.integers(0, 3 * n))]:
        graph.remove_edge(a, b)
        if nx.node_connectivity(graph, a, b) < 2:
            graph.add_edge(a, b)
    return graph


def tutte_paths(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        graph = two_connected(rng, int(rng.integers(4, 20)))
        plane = Plane.of(maps.neighbors_of(graph))
        first = int(rng.integers(len(graph)))
        cycle = plane.face(first, plane.order[first][0])
        for _ in range(3):
            u, v = rng.choice(cycle, 2, replace=False).tolist()
            place = int(rng.integers(len(cycle)))
            e = (cycle[place], cycle[(place + 1) % len(cycle)])
            disc = Disc(range(len(graph)), cycle, u, v, e, spare_y=bool(rng.integers(2)))
            assert_tutte(plane, disc, run(plane, disc))


def test_a_tutte_path_leaves_parts_that_touch_it_thrice_at_most():
    tutte_paths(range(80))


@pytest.mark.deep
def test_a_tutte_path_leaves_parts_that_touch_it_thrice_at_most_on_many_graphs():
    tutte_paths(range(80, 2080))


def hamiltonian(seeds, largest):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        graph = maps.four_connected(rng, int(rng.integers(6, largest)))
        if seed % 3 == 0:  # some edges can go: still 4-connected, and faces of four or more
            for a, b in rng.permutation(list(graph.edges)).tolist()[:4]:
                graph.remove_edge(a, b)
                if nx.node_connectivity(graph) < 4:
                    graph.add_edge(a, b)
        path = tutte_path(Plane.of(maps.neighbors_of(graph)))
        assert sorted(path) == list(range(len(graph)))
        assert all(graph.has_edge(a, b) for a, b in pairwise(path))


def test_4_connected_planar_graphs_get_a_hamiltonian_path():
    hamiltonian(range(60), 40)


@pytest.mark.deep
def test_4_connected_planar_graphs_get_a_hamiltonian_path_on_many_triangulations():
    hamiltonian(range(60, 2060), 60)


def polyhedra(seeds, largest):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        neighbors = maps.neighbors_of(maps.polyhedron(rng, int(rng.integers(4, largest))))
        tree = low_degree_tree(neighbors)
        assert_spanning_tree(neighbors, tree)
        assert degree_of(tree) <= 3


def test_3_connected_planar_graphs_get_a_tree_of_degree_3():
    polyhedra(range(80), 24)


@pytest.mark.deep
def test_3_connected_planar_graphs_get_a_tree_of_degree_3_on_many_polyhedra():
    polyhedra(range(80, 2080), 40)


def test_a_large_triangulation_gets_a_tree_of_degree_3():
    neighbors = maps.neighbors_of(maps.triangulation(np.random.default_rng(0), 400, stacked=0.5))
    tree = low_degree_tree(neighbors)
    assert_spanning_tree(neighbors, tree)
    assert degree_of(tree) == 3  # more separating triangles than a Hamiltonian path allows


def within_one(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        graph = maps.any_graph(rng, int(rng.integers(3, 8)))
        neighbors = maps.neighbors_of(graph)
        if sum(map(len, neighbors)) > 24:
            continue
        hub = max(graph, key=graph.degree)
        bushy = nx.bfs_tree(graph, hub).to_undirected()
        for start in (depth_first_tree(neighbors), [set(bushy[vertex]) for vertex in range(len(graph))]):
            tree = exchanged(neighbors, start)
            assert_spanning_tree(neighbors, tree)
            assert degree_of(tree) <= best_degree(neighbors) + 1


def test_exchanges_reach_a_degree_within_one_of_the_best():
    within_one(range(150))


@pytest.mark.deep
def test_exchanges_reach_a_degree_within_one_of_the_best_on_many_graphs():
    within_one(range(150, 2150))


def test_exchanges_free_vertices_that_are_nearly_full():
    """A tree of degree 12 in a graph of two hubs and a ring: many exchanges, some of them through freed vertices."""
    graph = nx.cycle_graph(24)
    graph.add_edges_from((vertex, 24 + vertex % 2) for vertex in range(24))
    neighbors = maps.neighbors_of(graph)
    bushy = nx.bfs_tree(graph, 24).to_undirected()
    tree = exchanged(neighbors, [set(bushy[vertex]) for vertex in range(26)])
    assert_spanning_tree(neighbors, tree)
    assert degree_of(tree) <= 3


def test_graphs_that_are_not_planar_get_a_tree_too():
    neighbors = maps.neighbors_of(nx.complete_bipartite_graph(3, 12))
    tree = low_degree_tree(neighbors)
    assert_spanning_tree(neighbors, tree)
    assert degree_of(tree) <= 6  # 12 leaves or more on 3 hubs: none below 5
