"""Exact optima of the problems on maps, by trying everything: slow and obvious."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations


def is_connected(neighbors: Sequence[Sequence[int]], inside: set[int]) -> bool:
    """Whether the regions hold together."""
    seen, queue = {min(inside)}, [min(inside)]
    for vertex in queue:
        for other in neighbors[vertex]:
            if other in inside and other not in seen:
                seen.add(other)
                queue.append(other)
    return seen == inside


def best_largest_group(neighbors: Sequence[Sequence[int]], weights: Sequence[int], k: int) -> float:
    """The least weight of the heaviest of connected groups of at least k; infinite where there are none."""
    n = len(weights)

    @cache
    def best(left: frozenset[int]) -> float:
        if not left:
            return 0
        first, rest = min(left), sorted(left - {min(left)})
        found = float("inf")
        for size in range(len(rest) + 1):
            for others in combinations(rest, size):
                group = {first, *others}
                weight = sum(weights[v] for v in group)
                if k <= weight < found and is_connected(neighbors, group):
                    found = min(found, max(weight, best(left - group)))
        return found

    return best(frozenset(range(n)))


def best_largest_rectangle(places: Sequence[tuple[int, int]], weights: Sequence[int], k: int) -> float:
    """The least weight of the heaviest of groups of at least k whose boxes do not meet.

    Boxes that do not meet need not be parts of the plane cut into rectangles, so this is at most the optimum.
    """

    def box(group: Sequence[int]) -> tuple[int, int, int, int]:
        xs, ys = [places[i][0] for i in group], [places[i][1] for i in group]
        return min(xs), max(xs), min(ys), max(ys)

    def apart(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
        return a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or b[3] < a[2]

    def best(left: list[int], boxes: list[tuple[int, int, int, int]], limit: float) -> float:
        if not left:
            return 0
        found = limit
        for size in range(len(left)):
            for others in combinations(left[1:], size):
                group = [left[0], *others]
                weight = sum(weights[i] for i in group)
                if k <= weight < found and all(apart(box(group), other) for other in boxes):
                    rest = [i for i in left if i not in group]
                    found = min(found, max(weight, best(rest, [*boxes, box(group)], found)))
        return found

    return best(list(range(len(places))), [], float("inf"))


def best_degree(neighbors: Sequence[Sequence[int]]) -> int:
    """The least degree of a spanning tree, by trying all sets of edges."""
    n = len(neighbors)
    edges = [(a, b) for a in range(n) for b in neighbors[a] if a < b]
    found = n
    for chosen in combinations(edges, n - 1):
        tree: list[list[int]] = [[] for _ in range(n)]
        for a, b in chosen:
            tree[a].append(b)
            tree[b].append(a)
        degree = max(map(len, tree))
        if degree < found and is_connected(tree, set(range(n))):
            found = degree
    return found
