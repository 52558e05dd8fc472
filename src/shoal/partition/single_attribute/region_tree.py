"""Spanning trees of low degree.

Problem     find a spanning tree of a connected graph whose largest degree is small.
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
"""The set of tree neighbors of every vertex."""


def low_degree_tree(neighbors: Order) -> Tree:
    """Return a spanning tree of a connected graph, of low degree: TREE-2 or TREE-3 if they apply, else TREE-1."""
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
    """Return the largest degree of a vertex."""
    return max(map(len, tree), default=0)


def _as_tree(n: int, edges: list[Edge]) -> Tree:
    """Return the tree with the given edges."""
    tree: Tree = [set() for _ in range(n)]
    for a, b in edges:
        tree[a].add(b)
        tree[b].add(a)
    return tree


def depth_first_tree(neighbors: Order) -> Tree:
    """Return a depth-first spanning tree that always goes to the neighbor with the fewest unvisited neighbors.

    This gives long paths and few branches.
    """
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
    """Exchange edges until the degree is at most one above the smallest possible (Fürer and Raghavachari).

    No spanning tree of three or more vertices has a degree below 2, so a tree of degree 3 needs no exchange.
    """
    while (degree := degree_of(tree)) > 3:
        if not _one_less(neighbors, tree, degree):
            break
    return tree


def _one_less(neighbors: Order, tree: Tree, degree: int) -> bool:
    """Lower the degree of one vertex of the largest degree, without raising another one to it; whether that worked.

    Vertices of at least `degree` - 1 are barred; without them the tree falls into parts. A graph edge between two
    parts closes a cycle. A barred vertex of `degree` - 1 on the cycle could lose an edge there, so it is no longer
    barred, and the parts along the cycle are merged. When a cycle passes through a vertex of the largest degree, the
    exchanges are made.
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
        for vertex in cycle:  # a vertex that is no longer barred also joins adjacent parts that are not on the cycle
            for other in tree[vertex]:
                if not barred[other]:
                    part[find(other)] = find(vertex)
    return False


def _exchange(tree: Tree, freed_by: dict[int, Edge], vertex: int, edge: Edge, degree: int) -> None:
    """Add `edge`, and remove an edge at `vertex` from the cycle that it closes.

    If an end of `edge` has degree - 1 or more, its own degree is lowered first, by the edge in `freed_by`.
    """
    jobs: list[tuple[int, Edge, bool]] = [(vertex, edge, False)]
    while jobs:
        vertex, (a, b), relieved = jobs.pop()
        if not relieved:
            jobs.append((vertex, (a, b), True))
            jobs += [(end, freed_by[end], False) for end in (a, b) if len(tree[end]) >= degree - 1]
            continue
        path = _path(tree, a, b)
        at = path.index(vertex)
        removed = path[at + 1] if at + 1 < len(path) else path[at - 1]
        tree[vertex].remove(removed)
        tree[removed].remove(vertex)
        tree[a].add(b)
        tree[b].add(a)


def _rooted(tree: Tree) -> tuple[list[int], list[int]]:
    """Return the parent and the depth of every vertex, with vertex 0 as the root."""
    parent, depth = [-1] * len(tree), [0] * len(tree)
    order = [0]
    for vertex in order:
        for other in tree[vertex]:
            if other != parent[vertex]:
                parent[other], depth[other] = vertex, depth[vertex] + 1
                order.append(other)
    return parent, depth


def _between(parent: list[int], depth: list[int], a: int, b: int) -> list[int]:
    """Return the vertices of the tree path from a to b, from the parents and depths of the tree."""
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
    """Return the vertices of the tree path from a to b, by a search, for a tree that is being changed."""
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
