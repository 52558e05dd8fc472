"""Distances in a graph: shortest paths, however the graph is given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import shortest_path

from shoal.errors import ParameterError
from shoal.partition import cellular, gather
from shoal.space.graph import Paths
from shoal.space.metric import MOST_VERTICES, Precomputed, as_metric
from tests.ratio.instances import graph_distances

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


@pytest.mark.parametrize("method", [lambda *a, **o: gather(*a, k=2, **o), lambda *a, **o: cellular(*a, k=2, **o)])
def test_groups_follow_the_roads_not_the_crow(method):
    found = method(ROAD, metric="graph")
    assert found.labels.tolist() == [0, 0, 0, 0, 1, 1] or found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    by_matrix = method(np.array(distances(ROAD)), metric="precomputed")
    assert by_matrix.cost == found.cost
    assert by_matrix.labels.tolist() == found.labels.tolist()


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        ([(0, 1, 1), (2, 3, 1)], "2 components"),
        ([(0, 1, -1)], "not below 0"),
        ([(0, 1, float("nan"))], "finite"),
        ([(0, 1)], "vertex, vertex, length"),
        ([(0, 1.5, 1)], "numbered 0, 1"),
        ([(0, -1, 1)], "numbered 0, 1"),
        (csr_array((2, 3)), "square"),
        ([(0, MOST_VERTICES, 1)], f"{MOST_VERTICES} components"),
    ],
)
def test_what_is_no_connected_graph_is_refused_with_a_sentence(graph, told):
    with pytest.raises(ParameterError, match=told):
        as_metric(graph, "graph")


def test_paths_on_demand_are_those_of_the_whole_table():
    rng = np.random.default_rng(1)
    for _ in range(15):
        n = int(rng.integers(3, 40))
        table = as_metric(graph_distances(rng, n).astype(float), "precomputed")
        # Edges that no shortest path needs change nothing.
        paths = Paths([(a, b, table.matrix[a, b]) for a in range(n) for b in range(a)])
        rows, others = rng.integers(0, n, (2, 50))
        k, radius, centers = int(rng.integers(1, n + 1)), float(rng.integers(0, 12)), np.unique(rng.integers(0, n, 3))
        assert (paths.distance(rows, others) == table.distance(rows, others)).all()
        assert (paths.distance(rows[:, None], others) == table.distance(rows[:, None], others)).all()
        assert (paths.nearest(k)[0] == table.nearest(k)[0]).all()
        assert (paths.kth_distance(k) == table.kth_distance(k)).all()
        assert (paths.distances_from(0) == table.distances_from(0)).all()
        assert (paths.nearest_of(centers)[0] == table.nearest_of(centers)[0]).all()
        assert [some.tolist() for some in paths.within(radius)] == [some.tolist() for some in table.within(radius)]
        assert (paths.count_within(radius) == table.count_within(radius)).all()


@pytest.mark.parametrize("options", [{}, {"max_suppressed": 0.05}])
def test_groups_of_a_graph_are_the_same_whether_all_paths_are_held_or_not(monkeypatch, options):
    rng = np.random.default_rng(2)
    n = 150
    edges = [(v, int(rng.integers(max(0, v - 9), v)), int(rng.integers(1, 50))) for v in range(1, n)]
    edges += [(int(a), int(b), int(w)) for a, b, w in rng.integers((0, 0, 1), (n, n, 80), (90, 3)) if a != b]
    held = [gather(edges, 5, metric="graph", **options), cellular(edges, k=5, metric="graph", exact=False, **options)]
    monkeypatch.setattr("shoal.space.metric.MOST_VERTICES", 10)
    assert isinstance(as_metric(edges, "graph"), Paths)
    again = [
        gather(edges, 5, metric="graph", **options),
        cellular(edges, k=5, metric="graph", exact=False, **options),
    ]
    for one, other in zip(held, again, strict=True):
        assert one.lower_bound == other.lower_bound
        assert one.theorem == other.theorem
        assert other.lower_bound <= other.cost <= 1.3 * one.cost


def test_beyond_5000_vertices_no_table_of_paths_is_made(monkeypatch):
    side = 72
    corner = np.arange(side * side).reshape(side, side)
    edges = np.concatenate(
        [np.stack((some.ravel(), other.ravel(), np.full(some.size, 1.0)), axis=1) for some, other in (
            (corner[1:], corner[:-1]), (corner[:, 1:], corner[:, :-1]))]
    )  # fmt: skip
    assert corner.size > MOST_VERTICES
    monkeypatch.setattr(Precomputed, "__init__", None)
    monkeypatch.setattr(Precomputed, "of_paths", None)
    found = gather(edges, 5, metric="graph")
    assert found.sizes.min() >= 5
    assert found.cost <= 2 * found.lower_bound  # a street and its four neighbors fill a plane


def test_a_metric_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="'taxi' is not known"):
        as_metric([[0.0]], "taxi")
