"""Distances in a graph: shortest paths, however the graph is given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import shortest_path

from shoal.errors import ParameterError
from shoal.partition import cellular, gather
from shoal.space.metric import MOST_VERTICES, as_metric

ROAD = [(0, 1, 2), (1, 2, 2), (2, 0, 9), (2, 3, 0), (3, 4, 50), (4, 5, 1)]


def distances(graph):
    return as_metric(graph, "graph").matrix.tolist()


def test_the_shortest_way_counts_both_ways_and_through_edges_of_length_0():
    found = distances(ROAD)
    assert found[0] == [0, 2, 4, 4, 54, 55]
    assert found == np.array(found).T.tolist()


def test_edges_and_sparse_matrices_are_the_same_graph():
    edges = np.array(ROAD, dtype=float)
    matrix = coo_array((edges[:, 2], (edges[:, 0].astype(int), edges[:, 1].astype(int))), shape=(6, 6))
    assert distances(ROAD) == distances(matrix) == distances(matrix.tocsr()) == distances(matrix.T.tocsr())


def test_of_two_edges_between_two_vertices_the_shorter_counts():
    assert distances([(0, 1, 7), (1, 0, 3), (0, 1, 5), (1, 1, 4)]) == [[0, 3], [3, 0]]


def test_random_graphs_have_the_distances_that_scipy_finds():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 30))
        weights = np.triu(rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 0.3), 1)
        weights[np.arange(n - 1), np.arange(1, n)] = 8  # connected
        assert distances(csr_array(weights)) == shortest_path(weights, directed=False).tolist()


@pytest.mark.parametrize("method", [lambda *a, **o: gather(*a, r=2, **o), lambda *a, **o: cellular(*a, r=2, **o)])
def test_groups_follow_the_roads_not_the_crow(method):
    found = method(ROAD, metric="graph")
    assert found.labels.tolist() == [0, 0, 0, 0, 1, 1] or found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    by_matrix = method(np.array(distances(ROAD)), metric="precomputed")
    assert by_matrix.cost == found.cost
    assert by_matrix.labels.tolist() == found.labels.tolist()


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        ([(0, 1, 1), (2, 3, 1)], "2 parts"),
        ([(0, 1, -1)], "not below 0"),
        ([(0, 1, float("nan"))], "finite"),
        ([(0, 1)], "vertex, vertex, length"),
        ([(0, 1.5, 1)], "numbered 0, 1"),
        ([(0, -1, 1)], "numbered 0, 1"),
        (csr_array((2, 3)), "square"),
        ([(0, MOST_VERTICES, 1)], f"at most {MOST_VERTICES} vertices"),
    ],
)
def test_what_is_no_connected_graph_is_refused_with_a_sentence(graph, told):
    with pytest.raises(ParameterError, match=told):
        as_metric(graph, "graph")


def test_a_metric_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="'taxi' is not known"):
        as_metric([[0.0]], "taxi")
