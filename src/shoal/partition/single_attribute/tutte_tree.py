"""A spanning tree of degree 3 of a 3-connected planar graph: a Tutte path, with all other vertices attached to it.

Every component of the vertices off a Tutte path is adjacent to at most three vertices of the path. Each component is
attached to a path vertex of its own (a matching), and spanned in the same way: by a Tutte path that begins at that
vertex, to which the remaining components are attached. So a vertex has at most two edges of a path and one more. On a
3-connected planar graph this always works (TREE-3 of docs/proofs/spanning-trees.md). On other graphs it may fail, and
then None is returned.

References
----------
.. [1] D. W. Barnette (1966). "Trees in polyhedral graphs." Canadian J. Math. 18, 731-736.
.. [2] Z. Gao, R. B. Richter and X. Yu (1995). "2-walks in 3-connected planar graphs." Australas. J.
   Combin. 11, 117-122.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from shoal.partition.single_attribute.plane_graph import Edge, Plane, blocks, connected_parts
from shoal.partition.single_attribute.tutte_path import Disc, run


def hung_on_path(plane: Plane, path: list[int]) -> list[Edge] | None:
    """Return the edges of a spanning tree of degree 3 around a Tutte path of a plane graph; None if not found."""
    edges = _steps(path)
    todo = [(path, set(range(len(plane.order))), -1)]
    while todo:
        path, scope, avoided = todo.pop()
        on_path = set(path)
        parts = connected_parts(plane.order.__getitem__, scope - on_path)
        reachable = [
            sorted({w for vertex in part for w in plane.order[vertex] if w in on_path and w != avoided})
            for part in parts
        ]
        hung_on = _matched(reachable)
        if hung_on is None:
            return None
        for part, root in zip(parts, hung_on, strict=True):
            inner = _path_from(plane, root, part)
            if inner is None:
                return None
            edges += _steps(inner)
            todo.append((inner, set(part), root))
    return edges


def _steps(path: list[int]) -> list[Edge]:
    """Return the edges of a path."""
    return list(pairwise(path))


def _matched(reachable: list[list[int]]) -> list[int] | None:
    """Return a vertex for every component, no vertex twice; None if that is impossible (Kuhn's algorithm)."""
    owner: dict[int, int] = {}

    def place(part: int, tried: set[int]) -> bool:
        for vertex in reachable[part]:
            if vertex not in tried:
                tried.add(vertex)
                if vertex not in owner or place(owner[vertex], tried):
                    owner[vertex] = part
                    return True
        return False

    for part in range(len(reachable)):
        if not place(part, set()):
            return None
    chosen = {part: vertex for vertex, part in owner.items()}
    return [chosen[part] for part in range(len(reachable))]


def _path_from(plane: Plane, root: int, part: list[int]) -> list[int] | None:
    """Return a Tutte path from `root` through the blocks of a component; None if its blocks do not form a chain."""
    order = plane.order
    scope = {root, *part}
    in_block = blocks(order, scope, [root])
    members: dict[int, set[int]] = {}
    for (a, _), block in in_block.items():
        members.setdefault(block, set()).add(a)
    of_vertex: dict[int, list[int]] = {}
    for block, inside in members.items():
        for vertex in inside:
            of_vertex.setdefault(vertex, []).append(block)
    if len(of_vertex[root]) != 1 or any(len(found) > 2 for found in of_vertex.values()):
        return None
    path, block = [root], of_vertex[root][0]
    while True:
        inside, begin = members[block], path[-1]
        cuts = [vertex for vertex in inside if vertex != begin and len(of_vertex[vertex]) == 2]
        if len(cuts) > 1:
            return None
        if len(inside) == 2:
            path += [vertex for vertex in inside if vertex != begin]
        else:
            cycle = _outer(plane, inside, scope)
            if begin not in cycle or (cuts and cuts[0] not in cycle):
                return None
            at = cycle.index(begin)
            cycle = cycle[at:] + cycle[:at]
            end = cuts[0] if cuts else _turning(plane, cycle, scope)
            path += run(plane, Disc(inside, cycle, begin, end, (begin, cycle[1])))[-2::-1]
        if not cuts:
            return path
        block = next(found for found in of_vertex[cuts[0]] if found != block)


def _outer(plane: Plane, inside: Collection[int], scope: Collection[int]) -> list[int]:
    """Return the outer cycle of a block: the face that contains a vertex outside, if possible one not in `scope`."""
    touching = [(v, w) for v in inside for w in plane.order[v] if w not in inside]
    vertex, outside = next(((v, w) for v, w in touching if w not in scope), touching[0])
    around = plane.order[vertex]
    at = plane.place[vertex][outside]
    while around[at] not in inside:
        at = (at + 1) % len(around)
    return plane.face(vertex, around[at], inside)


def _turning(plane: Plane, cycle: list[int], scope: Collection[int]) -> int:
    """Return the vertex of a block's outer cycle at which its Tutte path ends.

    For each vertex outside `scope`, take the last vertex of the cycle that is adjacent to it; the result is the first
    of these (the second vertex of the cycle if there is none).
    """
    last: dict[int, int] = {}
    for place, vertex in enumerate(cycle[1:], start=1):
        for other in plane.order[vertex]:
            if other not in scope:
                last[other] = place
    return cycle[min(last.values(), default=1)]
