"""Plane graphs as lists of neighbors in cyclic order: faces, blocks and components of induced subgraphs.

A face is traversed by turning, at every vertex, to the next neighbor after the one we came from. Subgraphs are given
by their vertices; the cyclic order of their neighbors is that of the whole graph without the other vertices. So the
outer face of a subgraph can be traversed from any one of its edges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

Order = Sequence[Sequence[int]]
"""The neighbors of every vertex in cyclic order (all clockwise or all counter-clockwise)."""
Edge = tuple[int, int]


class Plane:
    """An embedding in the plane, with the position of every neighbor in the cyclic order of its vertex."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.place = [{neighbor: at for at, neighbor in enumerate(around)} for around in order]

    @classmethod
    def of(cls, neighbors: Order) -> Plane | None:
        """Return an embedding of a connected graph in the plane; None if the graph is not planar."""
        import networkx as nx  # imported here because it takes long to load and only maps need it

        graph = nx.Graph()
        graph.add_nodes_from(range(len(neighbors)))
        graph.add_edges_from((a, b) for a, around in enumerate(neighbors) for b in around if a < b)
        planar, embedding = nx.check_planarity(graph)
        if not planar:
            return None
        return cls([list(embedding.neighbors_cw_order(vertex))[::-1] for vertex in range(len(neighbors))])

    def face(self, start: int, then: int, inside: Collection[int] | None = None) -> list[int]:
        """Return the vertices of the face beside the edge `start` -> `then`, in the subgraph of `inside`."""
        walked = []
        came, here = start, then
        while True:
            walked.append(came)
            around = self.order[here]
            at = self.place[here][came]
            while True:
                at = (at + 1) % len(around)
                if inside is None or around[at] in inside:
                    break
            came, here = here, around[at]
            if (came, here) == (start, then):
                return walked

    def without(self, a: int, b: int) -> Plane:
        """Return the same embedding without the edge between a and b."""
        order = [list(around) for around in self.order]
        order[a].remove(b)
        order[b].remove(a)
        return Plane(order)


def connected_parts(neighbors: Callable[[int], Iterable[int]], vertices: Collection[int]) -> list[list[int]]:
    """Return the connected components of the subgraph of `vertices`."""
    parts, seen = [], set()
    for root in vertices:
        if root in seen:
            continue
        seen.add(root)
        part = [root]
        for vertex in part:
            for other in neighbors(vertex):
                if other in vertices and other not in seen:
                    seen.add(other)
                    part.append(other)
        parts.append(part)
    return parts


def blocks(order: Order, vertices: Collection[int], roots: Iterable[int] | None = None) -> dict[Edge, int]:
    """Return the block of every edge of the subgraph of `vertices`, for both directions of the edge.

    If `roots` are given, only components that contain one of them are examined. Hopcroft and Tarjan's algorithm,
    without recursion.
    """
    depth: dict[int, int] = {}
    low: dict[int, int] = {}
    block: dict[Edge, int] = {}
    n_blocks = 0
    for root in vertices if roots is None else roots:
        if root in depth:
            continue
        depth[root] = low[root] = 0
        stack = [(root, -1, iter(order[root]))]
        edges: list[Edge] = []
        while stack:
            vertex, parent, rest = stack[-1]
            for other in rest:
                if other == parent or other not in vertices:
                    continue
                if other not in depth:
                    depth[other] = low[other] = depth[vertex] + 1
                    edges.append((vertex, other))
                    stack.append((other, vertex, iter(order[other])))
                    break
                if depth[other] < depth[vertex]:
                    edges.append((vertex, other))
                    low[vertex] = min(low[vertex], depth[other])
            else:
                stack.pop()
                if parent < 0:
                    continue
                low[parent] = min(low[parent], low[vertex])
                if low[vertex] >= depth[parent]:
                    while True:
                        a, b = edges.pop()
                        block[a, b] = block[b, a] = n_blocks
                        if (a, b) == (parent, vertex):
                            break
                    n_blocks += 1
    return block
