"""Small and large maps: planar graphs of a known connectivity, and graphs of any kind."""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy.spatial import Delaunay

Rng = np.random.Generator


def neighbors_of(graph: nx.Graph) -> list[list[int]]:
    return [sorted(graph[vertex]) for vertex in range(graph.number_of_nodes())]


def triangulation(rng: Rng, n: int, *, stacked: float = 0.0) -> nx.Graph:
    """A planar triangulation: of random points with one beyond them; `stacked` faces get a vertex of degree 3."""
    found = Delaunay(rng.random((n, 2)))
    graph = nx.Graph()
    for corners in found.simplices.tolist():
        nx.add_cycle(graph, corners)
    graph.add_edges_from((int(vertex), n) for vertex in np.unique(found.convex_hull))
    for corners in found.simplices.tolist():
        if rng.random() < stacked:
            graph.add_edges_from([(corner, len(graph)) for corner in corners])
    return graph


def polyhedron(rng: Rng, n: int) -> nx.Graph:
    """A 3-connected planar graph: a triangulation, the dual of one (3-regular), or one with edges left out."""
    graph = triangulation(rng, n, stacked=float(rng.choice([0, 0.3, 1])) if n > 4 else 0)
    kind = rng.choice(["triangles", "dual", "open"])
    if kind == "dual":
        graph = dual(graph)
    if kind == "open":
        for a, b in rng.permutation(list(graph.edges)).tolist()[: 2 * n]:
            if graph.degree[a] > 3 and graph.degree[b] > 3:
                graph.remove_edge(a, b)
                if nx.node_connectivity(graph, a, b) < 3:
                    graph.add_edge(a, b)
    return graph


def dual(graph: nx.Graph) -> nx.Graph:
    """The graph of the faces: 3-regular for a triangulation."""
    _, embedding = nx.check_planarity(graph)
    face = {}
    for a, b in embedding.edges:
        if (a, b) not in face:
            walked = embedding.traverse_face(a, b)
            face |= dict.fromkeys(zip(walked, [*walked[1:], walked[0]], strict=True), len(face))
    beside = nx.Graph((face[a, b], face[b, a]) for a, b in embedding.edges)
    return nx.convert_node_labels_to_integers(beside)


def four_connected(rng: Rng, n: int, *, flips: int | None = None) -> nx.Graph:
    """A 4-connected planar triangulation: a double wheel, with edges flipped while no triangle separates."""
    graph = nx.cycle_graph(n - 2)
    graph.add_edges_from((vertex, pole) for vertex in range(n - 2) for pole in (n - 2, n - 1))
    for _ in range(8 * n if flips is None else flips):
        edges = list(graph.edges)
        a, b = edges[int(rng.integers(len(edges)))]
        c, d = nx.common_neighbors(graph, a, b)
        if graph.degree[a] > 4 and graph.degree[b] > 4 and set(nx.common_neighbors(graph, c, d)) == {a, b}:
            graph.remove_edge(a, b)
            graph.add_edge(c, d)
    return graph


def any_graph(rng: Rng, n: int) -> nx.Graph:
    """Trees, stars, grids, dense and sparse graphs: connected, planar or not."""
    kind = rng.choice(["tree", "star", "path", "random"])
    if kind == "star":
        return nx.star_graph(n - 1)
    graph = nx.Graph(
        (vertex, int(rng.integers(max(vertex - (1 if kind == "path" else n), 0), vertex))) for vertex in range(1, n)
    )
    graph.add_nodes_from(range(n))
    if kind == "random":
        pairs = rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2))
        graph.add_edges_from((int(a), int(b)) for a, b in pairs if a != b)
    return graph


def around_centers(rng: Rng, n: int) -> nx.Graph:
    """A few centers, with all other vertices beside one or two of them; some of these are beside each other."""
    n_centers = int(rng.integers(1, max(2, n // 2)))
    graph = nx.path_graph(n_centers)
    for vertex in range(n_centers, n):
        graph.add_edges_from((vertex, int(center)) for center in rng.integers(0, n_centers, int(rng.integers(1, 3))))
    graph.add_edges_from((int(a), int(b)) for a, b in rng.integers(0, n, (int(rng.integers(0, 3)), 2)) if a != b)
    if n_centers > 1 and rng.random() < 0.5 and nx.is_connected(without := nx.restricted_view(graph, [], [(0, 1)])):
        return nx.Graph(without)
    return graph
