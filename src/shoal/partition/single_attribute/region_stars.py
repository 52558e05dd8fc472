"""Making heavy groups of regions lighter, on any map.

Problem     make the groups of a connected map that weigh much more than k lighter; every group stays connected and at
            least k heavy.
Guarantee   no group weighs more than the larger of 3k - 3 and OPT + k - 1, where OPT is the weight of the heaviest
            group of an optimal solution (REGIONS-4, docs/proofs/regions.md).
Complexity  O(n + m) per step; a step makes one more group, or takes regions from groups that are too heavy. That the
            steps end is proved, a bound on their number is not; maps whose groups are light enough need none.

A heavy group that cannot be divided is a *star*: without one of its regions, the center, it falls into arms lighter
than k. Arms are moved to neighboring groups, or form groups of their own. Where neither is possible, the centers are
so few for all that hangs on them that every solution has a heavy group.

References
----------
.. [1] P. Berman and S. Raskhodnikova (2014). "Approximation algorithms for min-max generalization problems." ACM
   Transactions on Algorithms 11(1): the first ratio for all graphs. Algorithm and proof here are our own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from shoal.partition.single_attribute.plane_graph import connected_parts
from shoal.partition.single_attribute.region_graph import Neighbors


def lightened(
    neighbors: Neighbors, weights: Sequence[int], groups: Sequence[int], k: int, bound: int
) -> tuple[list[int], int]:
    """Return connected groups, the heaviest of at most max(3k - 3, bound + k - 1), and the lower bound `bound`.

    `groups` are connected groups of at least k, and `bound` is a lower bound on the heaviest group of every solution.
    It is raised where the groups show that no solution is as light.
    """
    stars = _Stars(neighbors, weights, groups, k)
    while proved := stars.lighten(max(3 * k - 3, bound + k - 1)):
        bound = proved
    return stars.group, bound


class _Stars:
    """The groups of a connected map. `center` has the centers of the groups that were found to be stars."""

    def __init__(self, neighbors: Neighbors, weights: Sequence[int], groups: Sequence[int], k: int) -> None:
        self.neighbors, self.weights, self.k = neighbors, weights, k
        self.group = list(groups)
        self.members: dict[int, set[int]] = {}
        for vertex, group in enumerate(self.group):
            self.members.setdefault(group, set()).add(vertex)
        self.weight = {group: self._sum(inside) for group, inside in self.members.items()}
        self.center: dict[int, int] = {}

    def lighten(self, limit: int) -> int:
        """Make groups lighter until none weighs more than `limit`, which is at least 3k - 3, and return 0.

        Where that is not possible, return a lower bound above limit - k + 1 on the heaviest group of every solution.
        """
        self._divide_heavy(limit)
        # Stars that must give regions away: first the heavy ones, then those whose weight keeps them from doing so.
        reached: list[int] = []
        first = -1
        while heavy := sorted(group for group, weight in self.weight.items() if weight > limit):
            reached = reached or heavy
            n_groups = len(self.members)
            clusters = connected_parts(self.neighbors.__getitem__, self._arms(reached))
            blocking: list[int] = []
            changed = self._gather_arms(clusters)
            if not changed:
                changed, blocking = self._pass_on(clusters, reached, first, limit)
            if changed:
                at = next(at for at, group in enumerate(reached) if group in changed)
                again = len(self.members) > n_groups or at < len(heavy)
                reached, first = ([], -1) if again else (reached[:at], reached[at])
            elif blocking:
                reached = reached + blocking
            else:  # every group with one of these regions contains one of the centers
                return -(-sum(self.weight[group] for group in reached) // len(reached))
        return 0

    # -- steps: each returns the groups that it changed -----------------------------------------------------------

    def _divide_heavy(self, limit: int) -> None:
        """Divide all groups of more than `limit` that are no stars."""
        waiting = [group for group, weight in self.weight.items() if weight > limit]
        while waiting:
            group = waiting.pop()
            side, center = self._side(self.members[group])
            self.center[group] = center
            if side:
                waiting += [one for one in (group, self._new(side)) if self.weight[one] > limit]

    def _gather_arms(self, clusters: list[list[int]]) -> set[int]:
        """Make a group of arms that are adjacent and weigh k together, or give them to the star that loses most."""
        cluster = next((cluster for cluster in clusters if self._sum(cluster) >= self.k), None)
        if cluster is None:
            return set()
        grown = self._grown(self._arms_of(cluster))
        changed = {self.group[vertex] for vertex in grown}
        most = max(changed, key=lambda group: (self._sum(grown & self.members[group]), -group))
        if self.weight[most] - self._sum(grown & self.members[most]) >= self.k:
            self._new(grown)
        else:
            self._give(grown, most)
        return changed

    def _pass_on(
        self, clusters: list[list[int]], reached: Collection[int], first: int, limit: int
    ) -> tuple[set[int], list[int]]:
        """Give a cluster of arms to a neighboring group, if that stays light or can then be divided.

        Otherwise return the neighboring groups, which are stars. `first` is returned first, if it is one of them.
        """
        beside: dict[int, tuple[int, int]] = {}  # the lightest cluster beside each group, and its weight
        inside = set(reached)
        for number, cluster in enumerate(clusters):
            here = self._sum(cluster), number
            for other in {self.group[w] for v in cluster for w in self.neighbors[v]} - inside:
                beside[other] = min(beside.get(other, here), here)
        blocking = sorted(beside, key=lambda group: (group != first, self.weight[group], group))
        for group in blocking:
            weight, number = beside[group]
            arms = set(clusters[number])
            side: Collection[int] = ()
            if self.weight[group] + weight > limit:
                side, self.center[group] = self._side(self.members[group] | arms)
                if not side:
                    continue
            changed = {self.group[vertex] for vertex in arms}
            self._give(arms, group)
            if side:
                self._new(side)
            return changed, []
        return set(), blocking

    # -- connected sets -------------------------------------------------------------------------------------------

    def _side(self, inside: Collection[int]) -> tuple[set[int], int]:
        """Return one side of a division of a connected set into two of at least k, or nothing and the star's center.

        The set weighs more than 3k - 3, so it can be divided or is a star.
        """
        order, parent = self._tree(inside)
        below = {vertex: self.weights[vertex] for vertex in order}
        for vertex in reversed(order[1:]):
            below[parent[vertex]] += below[vertex]
        total = below[order[0]]
        even = min(order, key=lambda vertex: abs(2 * below[vertex] - total))
        if self.k <= below[even] <= total - self.k:
            return self._branches(order, parent, [even])[even], -1
        # Below or above each edge there is less than k. The last region with k below it has less in every direction.
        center = next(vertex for vertex in reversed(order) if below[vertex] >= self.k)
        for part in connected_parts(self.neighbors.__getitem__, set(inside) - {center}):
            if self._sum(part) >= self.k:
                tops = [vertex for vertex in part if parent[vertex] == center]
                branches = self._branches(order, parent, tops)
                above = set(part).difference(*branches.values())
                return self._grown([*branches.values(), *([above] if above else [])]), -1
        return set(), center

    def _tree(self, inside: Collection[int]) -> tuple[list[int], dict[int, int]]:
        """Return a connected set in the order of a search from its first region, and the parent of every region."""
        root = min(inside)
        order, parent = [root], {root: -1}
        for vertex in order:
            for other in self.neighbors[vertex]:
                if other in inside and other not in parent:
                    parent[other] = vertex
                    order.append(other)
        return order, parent

    @staticmethod
    def _branches(order: list[int], parent: dict[int, int], tops: Iterable[int]) -> dict[int, set[int]]:
        """Return the regions of the subtrees below `tops`, which do not contain each other."""
        branches = {top: {top} for top in tops}
        top_of = {top: top for top in branches}
        for vertex in order:
            if vertex not in top_of and (top := top_of.get(parent[vertex], -1)) >= 0:
                top_of[vertex] = top
                branches[top].add(vertex)
        return branches

    def _grown(self, pieces: list[set[int]]) -> set[int]:
        """Return the union of adjacent pieces, from the heaviest on until it weighs k; all together are connected."""
        piece_of = {vertex: number for number, piece in enumerate(pieces) for vertex in piece}
        heaviest = max(range(len(pieces)), key=lambda number: (self._sum(pieces[number]), -number))
        queue, seen = [heaviest], {heaviest}
        grown: set[int] = set()
        for number in queue:
            grown |= pieces[number]
            if self._sum(grown) >= self.k:
                break
            beside = {piece_of.get(w, heaviest) for v in pieces[number] for w in self.neighbors[v]} - seen
            queue += sorted(beside)
            seen |= beside
        return grown

    # -- groups ---------------------------------------------------------------------------------------------------

    def _arms(self, stars: Iterable[int]) -> set[int]:
        """Return the regions of stars without their centers."""
        return {vertex for star in stars for vertex in self.members[star] if vertex != self.center[star]}

    def _arms_of(self, cluster: Iterable[int]) -> list[set[int]]:
        """Return the arms that form a cluster."""
        of_star: dict[int, set[int]] = {}
        for vertex in cluster:
            of_star.setdefault(self.group[vertex], set()).add(vertex)
        around = self.neighbors.__getitem__
        return [set(arm) for inside in of_star.values() for arm in connected_parts(around, inside)]

    def _sum(self, vertices: Iterable[int]) -> int:
        return sum(self.weights[vertex] for vertex in vertices)

    def _new(self, vertices: Collection[int]) -> int:
        """Make a group of regions that belong to others, and return its number."""
        group = max(self.members) + 1
        self.members[group], self.weight[group] = set(), 0
        self._give(vertices, group)
        return group

    def _give(self, vertices: Collection[int], to: int) -> None:
        """Move regions to a group."""
        for vertex in vertices:
            group = self.group[vertex]
            self.members[group].remove(vertex)
            self.weight[group] -= self.weights[vertex]
            self.members[to].add(vertex)
            self.weight[to] += self.weights[vertex]
            self.group[vertex] = to
