"""Cutting a spanning tree into subtrees of weight at least k.

Guarantee   no subtree weighs more than kappa + d (k - 1), where kappa is the larger of k and the heaviest vertex, and
            d the degree of the tree: docs/proofs/regions.md, REGIONS-3.
Complexity  O(n).
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.partition.single_attribute.region_tree import Tree


def cut_tree(tree: Tree, weights: Sequence[int], k: int) -> list[int]:
    """Return the group of every vertex. From the leaves up, a subtree is cut off as soon as it has weight k."""
    n = len(tree)
    parent = [-1] * n
    order = [0]
    for vertex in order:
        for other in tree[vertex]:
            if other != parent[vertex]:
                parent[other] = vertex
                order.append(other)
    weight = list(weights)
    cut = [False] * n
    for vertex in reversed(order):
        if weight[vertex] >= k:
            cut[vertex] = True
        elif parent[vertex] >= 0:
            weight[parent[vertex]] += weight[vertex]
    group = [-1] * n
    n_groups = 0
    for vertex in order:
        if cut[vertex]:
            group[vertex] = n_groups
            n_groups += 1
        elif vertex != order[0]:
            group[vertex] = group[parent[vertex]]
    if group[0] < 0:
        # The rest at the root weighs less than k; it joins the lightest group that is adjacent to it.
        left = [vertex for vertex in order if group[vertex] < 0]
        beside = {(weight[other], other) for vertex in left for other in tree[vertex] if group[other] >= 0}
        home = group[min(beside)[1]]
        for vertex in left:
            group[vertex] = home
    return group
