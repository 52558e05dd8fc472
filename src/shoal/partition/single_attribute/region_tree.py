"""Spanning trees of low degree.

Problem     a spanning tree of a connected graph whose largest degree is small.
Guarantee   degree 2 on 4-connected planar graphs (TREE-2), at most 3 on 3-connected planar graphs (TREE-3), at most
            one more than the best possible on every graph (TREE-1): docs/proofs/spanning-trees.md.
Complexity  a planarity test, one Tutte path, and O(n + m) per exchange of edges.

References
----------
.. [1] M. Fürer and B. Raghavachari (1994). "Approximating the minimum-degree Steiner tree to within one of optimal."
   J. Algorithms 17(3), 409-423.
"""

from __future__ import annotations

from shoal.partition.single_attribute.plane_graph import Edge, Order, Plane, blocks
from shoal.partition.single_attribute.tutte_path import tutte_path
from shoal.partition.single_attribute.tutte_tree import hung_on_path

Tree = list[set[int]]
"""The neighbors of every vertex in the tree."""


def low_degree_tree(neighbors: Order) -> Tree:
    """A spanning tree of a connected graph, of a degree as low as is known to be reached."""
    n = len(neighbors)
    n_edges = sum(map(len, neighbors)) // 2
    if n > 4 and n_edges <= 3 * n - 6 and len(set(blocks(neighbors, range(n)).values())) == 1:
        plane = Plane.of(neighbors)
        if plane is not None:
            edges = hung_on_path(plane, tutte_path(plane))
            if edges is not None:
                return _as_tree(n, edges)
    return exchanged(neighbors, depth_first_tree(neighbors))


def degree_of(tree: Tree) -> int:
    return max(map(len, tree), default=0)


def _as_tree(n: int, edges: list[Edge]) -> Tree:
    tree: Tree = [set() for _ in range(n)]
    for a, b in edges:
        tree[a].add(b)
        tree[b].add(a)
    return tree


def depth_first_tree(neighbors: Order) -> Tree:
    """Depth first, to the neighbor with the fewest ways on: long paths, few branches."""
    n = len(neighbors)
    tree: Tree = [set() for _ in range(n)]
    ways = [len(around) for around in neighbors]
    seen = [False] * n

    def visit(vertex: int) -> None:
        seen[vertex] = True
        for other in neighbors[vertex]:
            ways[other] -= 1

    root = min(range(n), key=lambda vertex: (ways[vertex], vertex), default=0)
    if n:
        visit(root)
    stack = [root]
    while stack:
        vertex = stack[-1]
        ahead = [other for other in neighbors[vertex] if not seen[other]] if n else []
        if not ahead:
            stack.pop()
            continue
        chosen = min(ahead, key=lambda other: (ways[other], other))
        visit(chosen)
        tree[vertex].add(chosen)
        tree[chosen].add(vertex)
        stack.append(chosen)
    return tree


def exchanged(neighbors: Order, tree: Tree) -> Tree:
    """Edges exchanged until the degree is at most one above the best possible (Fürer and Raghavachari).

    No spanning tree of three or more vertices has a degree below 2, so degree 3 needs no exchange.
    """
    while (degree := degree_of(tree)) > 3:
        if not _one_less(neighbors, tree, degree):
            break
    return tree


def _one_less(neighbors: Order, tree: Tree, degree: int) -> bool:
    """One vertex of the largest degree gets one edge less, and none more gets that degree; False: there is no way.

    Vertices of degree - 1 and more are barred. The others form parts of the tree. An edge of the graph between two
    parts closes a cycle; a barred vertex on it of degree - 1 can lose an edge there, so it is barred no more, and the
    parts along the cycle are one part. A cycle through a vertex of the largest degree ends the search.
    """
    n = len(tree)
    barred = [len(around) >= degree - 1 for around in tree]
    part = list(range(n))

    def find(vertex: int) -> int:
        while part[vertex] != vertex:
            part[vertex] = part[part[vertex]]
            vertex = part[vertex]
        return vertex

    parent, depth = _rooted(tree)
    for vertex in range(n):
        if parent[vertex] >= 0 and not barred[vertex] and not barred[parent[vertex]]:
            part[find(vertex)] = find(parent[vertex])
    freed_by: dict[int, Edge] = {}
    waiting = [(a, b) for a in range(n) for b in neighbors[a] if a < b and not barred[a] and not barred[b]]
    while waiting:
        a, b = waiting.pop()
        if barred[a] or barred[b] or find(a) == find(b):
            continue
        cycle = _between(parent, depth, a, b)
        largest = next((vertex for vertex in cycle if len(tree[vertex]) == degree), None)
        if largest is not None:
            _exchange(tree, freed_by, largest, (a, b), degree)
            return True
        for vertex in cycle:
            if barred[vertex]:
                barred[vertex] = False
                freed_by[vertex] = (a, b)
                waiting += [(vertex, other) for other in neighbors[vertex] if not barred[other]]
        first = find(cycle[0])
        for vertex in cycle[1:]:
            part[find(vertex)] = first
        for vertex in cycle:  # a freed vertex joins the parts below it that are not on the cycle
            for other in tree[vertex]:
                if not barred[other]:
                    part[find(other)] = find(vertex)
    return False


def _exchange(tree: Tree, freed_by: dict[int, Edge], vertex: int, edge: Edge, degree: int) -> None:
    """`edge` comes in, and on the cycle that it closes an edge at `vertex` goes; its ends are relieved first."""
    jobs: list[tuple[int, Edge, bool]] = [(vertex, edge, False)]
    while jobs:
        vertex, (a, b), relieved = jobs.pop()
        if not relieved:
            jobs.append((vertex, (a, b), True))
            jobs += [(end, freed_by[end], False) for end in (a, b) if len(tree[end]) >= degree - 1]
            continue
        path = _path(tree, a, b)
        at = path.index(vertex)
        gone = path[at + 1] if at + 1 < len(path) else path[at - 1]
        tree[vertex].remove(gone)
        tree[gone].remove(vertex)
        tree[a].add(b)
        tree[b].add(a)


def _rooted(tree: Tree) -> tuple[list[int], list[int]]:
    parent, depth = [-1] * len(tree), [0] * len(tree)
    order = [0]
    for vertex in order:
        for other in tree[vertex]:
            if other != parent[vertex]:
                parent[other], depth[other] = vertex, depth[vertex] + 1
                order.append(other)
    return parent, depth


def _between(parent: list[int], depth: list[int], a: int, b: int) -> list[int]:
    """The vertices of the tree's path from a to b."""
    up, down = [a], [b]
    while a != b:
        if depth[a] >= depth[b]:
            a = parent[a]
            up.append(a)
        else:
            b = parent[b]
            down.append(b)
    return up + down[-2::-1] if len(down) > 1 else up


def _path(tree: Tree, a: int, b: int) -> list[int]:
    """The same in a tree that is being changed."""
    came = {a: a}
    order = [a]
    for vertex in order:
        if vertex == b:
            break
        for other in tree[vertex]:
            if other not in came:
                came[other] = vertex
                order.append(other)
    path = [b]
    while path[-1] != a:
        path.append(came[path[-1]])
    return path[::-1]
