"""Tutte paths, which are Hamiltonian on 4-connected planar graphs.

Problem     find a path in a 2-connected plane graph such that every component of the other vertices is adjacent to at
            most three vertices of the path.
Guarantee   found on every such graph; Hamiltonian if the graph is 4-connected: docs/proofs/spanning-trees.md, TREE-2.
Complexity  each level of the recursion visits its subgraph once; each level removes the outer cycle.

Names follow the proof page: C the outer cycle, u and v the ends of the path, e = xy an edge of C that the path takes,
Q the part of C from v to x, H the rest, P the path in H from y to u.

References
----------
.. [1] W. T. Tutte (1956). "A theorem on planar graphs." Trans. Amer. Math. Soc. 82, 99-116.
.. [2] C. Thomassen (1983). "A theorem on paths in planar graphs." J. Graph Theory 7(2), 169-176.
.. [3] N. Chiba and T. Nishizeki (1989). "The hamiltonian cycle problem is linear-time solvable for 4-connected
   planar graphs." J. Algorithms 10, 187-211.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from itertools import pairwise
from typing import NamedTuple

from shoal.partition.single_attribute.plane_graph import Edge, Plane, blocks, connected_parts


class Disc(NamedTuple):
    """A subproblem: a path from `u` to `v` through the edge `e`, all on the outer `cycle` of the subgraph `inside`.

    The components off the path must be attachable to vertices of the path, each to one of its own, and none to u
    (with `spare_y`, none to y).
    """

    inside: Collection[int]
    cycle: list[int]
    u: int
    v: int
    e: Edge
    spare_y: bool = False


_Search = Generator[Disc, list[int], list[int]]


def tutte_path(plane: Plane) -> list[int]:
    """Return a Tutte path of a 2-connected plane graph of five or more vertices."""
    cycle = _longest_face(plane)
    if len(cycle) > 3:
        return run(plane, Disc(range(len(plane.order)), cycle, cycle[0], cycle[1], (cycle[2], cycle[3])))
    path = run(plane, Disc(range(len(plane.order)), cycle, cycle[0], cycle[1], (cycle[1], cycle[2])))
    if len(path) > 3:
        return path
    # A triangulation: without one edge it has a face of four vertices, all of which are then on the path.
    a, b, c = cycle
    opened = plane.without(a, b)
    cycle = max(opened.face(a, c), opened.face(c, a), key=len)
    return run(opened, Disc(range(len(plane.order)), cycle, cycle[0], cycle[1], (cycle[2], cycle[3])))


def _longest_face(plane: Plane) -> list[int]:
    """Return the vertices of the longest face."""
    longest: list[int] = []
    seen: set[Edge] = set()
    for vertex, around in enumerate(plane.order):
        for other in around:
            if (vertex, other) not in seen:
                face = plane.face(vertex, other)
                seen.update(zip(face, [*face[1:], face[0]], strict=True))
                longest = max(longest, face, key=len)
    return longest


def run(plane: Plane, disc: Disc) -> list[int]:
    """Return the path of a subproblem. The recursion has its own stack, as it may be thousands of levels deep."""
    stack = [_tutte_path(plane, disc)]
    answer: list[int] | None = None
    while stack:
        try:
            asked = stack[-1].send(answer) if answer is not None else next(stack[-1])
        except StopIteration as done:
            stack.pop()
            answer = done.value
        else:
            stack.append(_tutte_path(plane, asked))
            answer = None
    assert answer is not None
    return answer


def _tutte_path(plane: Plane, disc: Disc) -> _Search:
    """Find the path of a subproblem, from v to u; yields the smaller subproblems that it needs solved.

    Every component off the path is adjacent to at most three vertices of it, and to at most two if it has an edge of
    the outer cycle.
    """
    order, inside = plane.order, disc.inside
    Q, beyond, after = _arcs(disc)
    # `beyond` is y ... u on C; `after` is u ... v' on C, where v' is the neighbor of v.
    on_cycle = set(zip(disc.cycle, [*disc.cycle[1:], disc.cycle[0]], strict=True))
    at = {q: place for place, q in enumerate(Q)}
    H = {vertex for vertex in inside if vertex not in at}

    P, z = beyond[:1], disc.u
    if len(beyond) > 1:
        in_block = blocks(order, H, beyond[:1])
        P, z = yield from _along(plane, in_block, beyond, after, on_cycle, disc.spare_y)
    taken = set(P)

    parts = []
    for part in connected_parts(order.__getitem__, H - taken):
        touched = [at[q] for vertex in part for q in order[vertex] if q in at]
        if touched and min(touched) < max(touched):
            parts.append((min(touched), -max(touched), part))
    parts.sort(key=lambda found: found[:2])
    path: list[int] = []
    place = 0
    while parts:
        first, minus_last, part = parts.pop(0)
        last, J = -minus_last, list(part)
        while parts and parts[0][0] < last:  # these components are enclosed by the first one
            J += parts.pop(0)[2]
        path += Q[place:first]
        path += yield from _through(plane, Q[first : last + 1], J, taken, on_cycle, [z, *_past(after, z)])
        path.pop()
        place = last
    return path + Q[place:] + P


def _arcs(disc: Disc) -> tuple[list[int], list[int], list[int]]:
    """Return the arcs v ... x (Q), y ... u and u ... v' of C, in the direction in which v comes first after x."""
    cycle, x, y = disc.cycle, *disc.e
    n = len(cycle)
    at = cycle.index(x)
    if cycle[(at + 1) % n] != y:
        x, y = y, x
        at = cycle.index(x)
    backwards = [cycle[at - step] for step in range(n)]  # x ... y the long way
    if backwards.index(disc.v) > backwards.index(disc.u):
        backwards.reverse()
    v, u = backwards.index(disc.v), backwards.index(disc.u)
    return backwards[: v + 1][::-1], backwards[u:][::-1], backwards[v + 1 : u + 1][::-1]


def _past(after: list[int], z: int) -> list[int]:
    """Return the vertices of `after` that come after z."""
    return after[after.index(z) + 1 :]


def _dart(a: int, b: int, on_cycle: set[Edge]) -> Edge:
    """Return an edge of C in the direction of C."""
    return (a, b) if (a, b) in on_cycle else (b, a)


def _along(
    plane: Plane,
    in_block: dict[Edge, int],
    beyond: list[int],
    after: list[int],
    on_cycle: set[Edge],
    spare_y: bool,
) -> Generator[Disc, list[int], tuple[list[int], int]]:
    """Return a path from y to u through the blocks of H, and z: the last vertex of C after u in the last block.

    The vertex z is on the path.
    """
    members: dict[int, set[int]] = {}
    for (a, _), block in in_block.items():
        members.setdefault(block, set()).add(a)
    of_edge = [in_block[edge] for edge in pairwise(beyond)]
    z, last = after[0], of_edge[-1]
    for vertex in after[1:]:
        if in_block.get((z, vertex)) != last:
            break
        z = vertex
    path = beyond[:1]
    begin = 0
    while begin < len(of_edge):
        end = begin
        while end < len(of_edge) and of_edge[end] == of_edge[begin]:
            end += 1
        inside, from_, to = members[of_edge[begin]], beyond[begin], beyond[end]
        if len(inside) == 2:
            path.append(to)
        else:
            cycle = plane.face(*_dart(beyond[begin], beyond[begin + 1], on_cycle), inside)
            # Nothing may be attached to the end that takes the role of u.
            as_u, as_v = (from_, to) if spare_y else (to, from_)
            e = _inner_edge(cycle, z if end == len(of_edge) else as_u, on_cycle)
            found = yield Disc(inside, cycle, as_u, as_v, e)
            path += found[-2::-1] if spare_y else found[1:]
        begin = end
    return path, z


def _inner_edge(cycle: list[int], at: int, on_cycle: set[Edge]) -> Edge:
    """Return an edge at a vertex of a block's outer cycle; if one of the two is an edge of C, the other one."""
    place = cycle.index(at)
    behind = cycle[(place + 1) % len(cycle)]
    return (cycle[place - 1], at) if (at, behind) in on_cycle else (at, behind)


def _through(
    plane: Plane, segment: list[int], part: list[int], taken: set[int], on_cycle: set[Edge], arc: list[int]
) -> _Search:
    """Return a path from a to b through a component of H, which replaces the segment a ... b of Q.

    The component is adjacent to a and b, and to at most two vertices of the path in H. `arc` is z ... v' on C.
    """
    order = plane.order
    a, b = segment[0], segment[-1]
    J = {*segment, *part}
    in_block = blocks(order, J, [a])
    home = in_block[a, segment[1]]
    L = {vertex for (vertex, _), block in in_block.items() if block == home}
    cycle = plane.face(*_dart(a, segment[1], on_cycle), L)
    inner = _other_way(cycle, a, b, segment[1])
    # For each vertex of the inner side: the path vertices outside J adjacent to it or to components attached to it.
    touches: dict[int, set[int]] = {c: taken.intersection(order[c]) for c in inner[1:-1]}
    for hanging in connected_parts(order.__getitem__, J - L):
        reached = {w for vertex in hanging for w in order[vertex] if w in taken}
        for c in {c for vertex in hanging for c in order[vertex] if c in touches}:
            touches[c] |= reached
    places: dict[int, list[int]] = {}
    for place, c in enumerate(inner[1:-1], start=1):
        for w in touches[c]:
            places.setdefault(w, []).append(place)
    chosen, has_arc = 0, False
    if len(arc) > 1 and arc[-1] in J:  # this component contains the rest of C
        for place, (c, met) in enumerate(zip(inner[1:], arc[:0:-1], strict=False), start=1):
            if c != met:
                break
            chosen, has_arc = place, True
    elif places:
        chosen = min(max(where) for where in places.values())
    chosen = min(chosen, len(inner) - 2)
    found = yield Disc(L, cycle, a, b, (inner[chosen], inner[chosen + 1]), spare_y=has_arc)
    return found[::-1]


def _other_way(cycle: list[int], a: int, b: int, not_by: int) -> list[int]:
    """Return the vertices from a to b along a cycle, in the direction that does not begin with `not_by`."""
    at = cycle.index(a)
    turned = cycle[at:] + cycle[:at]
    if turned[1] == not_by:
        turned = [turned[0], *turned[:0:-1]]
    return turned[: turned.index(b) + 1]
