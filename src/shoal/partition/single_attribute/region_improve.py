"""Improving groups of regions: heavy groups are divided, boundary regions move, neighboring groups are cut again.

Every step keeps all groups connected and at least k heavy, and makes the heaviest of the groups that it changes
lighter. So the search ends, and what was proved about the heaviest group remains true.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence

import numpy as np

from shoal.partition.single_attribute.plane_graph import connected_parts
from shoal.partition.single_attribute.region_graph import Neighbors

WIDE = 4
"""Lightest neighbors, of a group and of a pair, from which unions of three groups are formed."""
TREES = 12
"""Random spanning trees on which a cut of a group or a union is sought."""


class Boundaries:
    """The groups of one connected map. `work` counts the regions visited; the search stops at `limit` of them."""

    def __init__(
        self,
        neighbors: Neighbors,
        weights: Sequence[int],
        groups: Sequence[int],
        k: int,
        *,
        seed: int,
        limit: float,
    ) -> None:
        self.neighbors, self.weights, self.k = neighbors, weights, k
        self.group = list(groups)
        self.members: dict[int, set[int]] = {}
        for vertex, group in enumerate(self.group):
            self.members.setdefault(group, set()).add(vertex)
        self.weight = {group: sum(weights[v] for v in inside) for group, inside in self.members.items()}
        self.rng = np.random.default_rng(seed)
        self.work, self.limit = 0, limit

    def improve(self, bound: int) -> list[int]:
        """Make the heaviest groups lighter until the heaviest weighs `bound` or no step helps; return the groups."""
        heap = [(-weight, group) for group, weight in self.weight.items()]
        heapq.heapify(heap)
        while heap and self.work < self.limit:
            negative, heavy = heapq.heappop(heap)
            if self.weight.get(heavy) != -negative:
                continue
            if -negative <= bound:
                break
            changed = self._divide(heavy) or self._move(heavy) or self._cut_anew(heavy) or self._cut_in_more(heavy)
            if not changed and -negative == max(self.weight.values()) and len(self.weight) > 1:
                break  # the heaviest group cannot be improved
            for group in changed:
                around = {self.group[w] for v in self.members[group] for w in self.neighbors[v]}
                for other in around | {group}:
                    heapq.heappush(heap, (-self.weight[other], other))
        return self.group

    # -- steps: each returns the groups that it changed -----------------------------------------------------------

    def _divide(self, heavy: int) -> list[int]:
        """Divide a group in two, if both parts can be connected and weigh at least k."""
        if self.weight[heavy] < 2 * self.k:
            return []
        side = self._best_side(self.members[heavy], self.k, self.weight[heavy])
        if side is None:
            return []
        new = max(self.members) + 1
        self._give(heavy, new, side)
        return [heavy, new]

    def _move(self, heavy: int) -> list[int]:
        """Move a boundary region, and the regions that only it connects to the group, to a lighter neighbor."""
        inside, weight = self.members[heavy], self.weight[heavy]
        best: tuple[int, int, int] | None = None
        best_side: Collection[int] = ()
        for vertex in sorted(inside):
            beside = {self.group[w] for w in self.neighbors[vertex]} - {heavy}
            if not beside or weight - self.weights[vertex] < self.k:
                continue
            lightest = min(beside, key=lambda group: (self.weight[group], group))
            if self.weight[lightest] + self.weights[vertex] >= weight:
                continue
            side = self._with_what_hangs(vertex, inside)
            moved = sum(self.weights[v] for v in side)
            after = max(self.weight[lightest] + moved, weight - moved)
            if weight - moved >= self.k and moved and after < weight and (best is None or after < best[0]):
                best, best_side = (after, vertex, lightest), side
        if best is None:
            return []
        self._give(heavy, best[2], best_side)
        return [heavy, best[2]]

    def _cut_anew(self, heavy: int) -> list[int]:
        """Divide the union of a group and a lighter neighbor in two again."""
        beside = {self.group[w] for v in self.members[heavy] for w in self.neighbors[v]} - {heavy}
        for other in sorted(beside, key=lambda group: (self.weight[group], group)):
            if self.work >= self.limit:
                break
            union = self.members[heavy] | self.members[other]
            side = self._best_side(union, self.k, self.weight[heavy])
            if side is not None:
                self._give(other, heavy, self.members[other])
                self._give(heavy, other, side)
                return [heavy, other]
        return []

    def _cut_in_more(self, heavy: int) -> list[int]:
        """Cut the union of a group and one or two neighbors into as many groups as a random spanning tree gives."""
        near = self._beside([heavy])
        unions = [[heavy, other] for other in near]
        unions += [[heavy, other, third] for other in near[:WIDE] for third in self._beside([heavy, other])[:WIDE]]
        for groups in unions:
            if self.work >= self.limit:
                break
            union = {v for group in groups for v in self.members[group]}
            best = self.weight[heavy]
            found: dict[int, int] | None = None
            for _ in range(TREES):
                root_of, largest = self._greedy(union)
                if largest < best:
                    best, found = largest, root_of
            if found is None:
                continue
            roots = sorted(set(found.values()))
            new = max(self.members) + 1
            names = dict(zip(roots, [*groups, *range(new, new + len(roots))], strict=False))
            for group in groups:
                del self.members[group], self.weight[group]
            for v, root in found.items():
                self.group[v] = names[root]
                self.members.setdefault(names[root], set()).add(v)
            for root in roots:
                self.weight[names[root]] = sum(self.weights[v] for v in self.members[names[root]])
            return [names[root] for root in roots]
        return []

    def _beside(self, groups: list[int]) -> list[int]:
        """Return the neighbors of some groups, the lightest first."""
        found = {self.group[w] for group in groups for v in self.members[group] for w in self.neighbors[v]}
        return sorted(found - set(groups), key=lambda group: (self.weight[group], group))

    def _greedy(self, inside: set[int]) -> tuple[dict[int, int], int]:
        """Cut a random spanning tree from the leaves up; return the root of each vertex's group, and the heaviest."""
        vertices = sorted(inside)
        self.work += len(vertices)
        order, parent = self._random_tree(vertices, inside)
        weight = {v: self.weights[v] for v in order}
        for v in reversed(order[1:]):
            if weight[v] < self.k:
                weight[parent[v]] += weight[v]
        roots = {v for v in order if weight[v] >= self.k}
        root_of: dict[int, int] = {}
        for v in order:
            root_of[v] = v if v in roots or v == order[0] else root_of[parent[v]]
        if order[0] not in roots:  # the rest at the root is too light and joins the lightest group adjacent to it
            adjacent = [v for v in order[1:] if v in roots and root_of[parent[v]] == order[0]]
            home = min(adjacent, key=lambda v: (weight[v], v))
            weight[home] += weight[order[0]]
            root_of = {v: home if root == order[0] else root for v, root in root_of.items()}
            roots = roots - {order[0]}
        return root_of, max(weight[root] for root in roots)

    # -- parts of steps -------------------------------------------------------------------------------------------

    def _give(self, from_: int, to: int, side: Collection[int]) -> None:
        """Move the regions `side` from one group to another."""
        side = set(side)
        moved = sum(self.weights[v] for v in side)
        self.members[from_] -= side
        self.members.setdefault(to, set()).update(side)
        self.weight[from_] -= moved
        self.weight[to] = self.weight.get(to, 0) + moved
        for vertex in side:
            self.group[vertex] = to

    def _with_what_hangs(self, vertex: int, inside: set[int]) -> list[int]:
        """Return the region and all parts of its group that would be cut off without it, except the heaviest part."""
        near = [w for w in self.neighbors[vertex] if w in inside]
        self.work += len(near) + 1
        if len(near) <= 1 or self._joined(near, vertex, inside):
            return [vertex]
        rest = connected_parts(self.neighbors.__getitem__, inside - {vertex})
        self.work += len(inside)
        kept = max(rest, key=lambda part: (sum(self.weights[v] for v in part), -min(part)))
        return [vertex, *(v for part in rest if part is not kept for v in part)]

    def _joined(self, near: list[int], without: int, inside: set[int]) -> bool:
        """Whether the regions `near` are connected inside their group without the region `without`."""
        wanted = set(near)
        seen, queue = {near[0], without}, [near[0]]
        wanted.discard(near[0])
        for v in queue:
            for w in self.neighbors[v]:
                if w in inside and w not in seen:
                    seen.add(w)
                    wanted.discard(w)
                    if not wanted:
                        self.work += len(queue)
                        return True
                    queue.append(w)
        self.work += len(queue)
        return False

    def _best_side(self, inside: set[int], k: int, below: int) -> list[int] | None:
        """Return the most even division found of a connected set, as one of its sides; None if there is none.

        Both sides are connected, weigh at least k, and less than `below`.
        """
        total = sum(self.weights[v] for v in inside)
        if total < 2 * k:
            return None
        vertices = sorted(inside)
        best, best_side = below, None
        for _ in range(TREES):
            self.work += len(vertices)
            order, parent = self._random_tree(vertices, inside)
            weight = {v: self.weights[v] for v in order}
            for v in reversed(order[1:]):
                weight[parent[v]] += weight[v]
            root = None
            for v in order[1:]:
                heavier = max(weight[v], total - weight[v])
                if min(weight[v], total - weight[v]) >= k and heavier < best:
                    best, root = heavier, v
            if root is not None:
                below_root = {root}
                for v in order[1:]:
                    if parent[v] in below_root:
                        below_root.add(v)
                best_side = sorted(below_root)
            if best <= -(-total // 2):
                break
        return best_side

    def _random_tree(self, vertices: list[int], inside: set[int]) -> tuple[list[int], dict[int, int]]:
        """Return the vertices of a random spanning tree, parents before children, and the parent of each."""
        root = vertices[int(self.rng.integers(len(vertices)))]
        key = dict(zip(vertices, self.rng.random(len(vertices)).tolist(), strict=True))
        parent = {root: -1}
        order: list[int] = []
        heap = [(0.0, root, -1)]
        done = set()
        while heap:
            _, v, came = heapq.heappop(heap)
            if v in done:
                continue
            done.add(v)
            parent[v] = came
            order.append(v)
            for w in self.neighbors[v]:
                if w in inside and w not in done:
                    heapq.heappush(heap, (key[w], w, v))
        return order, parent
