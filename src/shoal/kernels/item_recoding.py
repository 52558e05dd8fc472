"""Recoding the items of set-valued cells, class by class, until no combination of items is rare.

Items are the leaves 0 .. n_leaves - 1 of a tree of nodes. ``parent[node]`` is the next node up, -1 at the top, and
``cost[node]`` what an item loses that is published as this node; 1 if it is dropped. The leaves
below it are ``below[node, 0] .. below[node, 1]``. Within a class every item is
published as one node, the same in all records, or dropped from all of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import int64, jit
from shoal.kernels.rare_combinations import rare_combinations

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DROPPED = -1


@jit
def recode_classes(
    class_start: Ints,
    start: Ints,
    items: Ints,
    owner: Ints,
    joint_class_start: Ints,
    joint_start: Ints,
    joint_items: Ints,
    parent: Ints,
    cost: Floats,
    below: Ints,
    k: int,
    m: int,
    most: int,
) -> tuple[Ints, Floats]:
    """Return the node of every item of every record, -1 if it is dropped, and the loss of every class.

    Class c has the records ``class_start[c]:class_start[c + 1]``. `joint_*` are the same classes with one record per
    owner, which has the items of all its records; empty if every owner has one record. On return, every combination
    of at most `m` nodes that a record, or the records of an owner together, have in a class is had by at least `k`
    owners of the class. At most `most` rare combinations are handled at a time.
    """
    n_classes = class_start.shape[0] - 1
    nodes = np.empty(items.shape[0], dtype=np.int64)
    lost = np.zeros(n_classes)
    at = np.full(parent.shape[0], DROPPED, dtype=np.int64)
    code = np.full(parent.shape[0], -1, dtype=np.int64)
    no_owner = np.arange(max(joint_start.shape[0], 1), dtype=np.int64)
    for c in range(n_classes):
        low, high = class_start[c], class_start[c + 1]
        first, end = start[low], start[high]
        leaves = np.unique(items[first:end])
        times = np.zeros(leaves.shape[0], dtype=np.int64)
        for rank in range(leaves.shape[0]):
            at[leaves[rank]] = leaves[rank]
            code[leaves[rank]] = rank
        for place in range(first, end):
            times[code[items[place]]] += 1
        size = int64(1)
        while size <= m:
            present = _present(leaves, at)
            for rank in range(present.shape[0]):
                code[present[rank]] = rank
            own_start, own_items = _coded(start[low : high + 1], items, at, code)
            rare = rare_combinations(own_start, own_items, owner[low:high], present.shape[0], k, size, most)
            if joint_class_start.shape[0] > 1:
                joint_low, joint_high = joint_class_start[c], joint_class_start[c + 1]
                own_start, own_items = _coded(joint_start[joint_low : joint_high + 1], joint_items, at, code)
                more = rare_combinations(own_start, own_items, no_owner, present.shape[0], k, size, most)
                rare = np.concatenate((rare, more))
            if rare.shape[0] == 0:
                size += 1
                continue
            chosen = _to_raise(rare, present, leaves, times, at, parent, cost, below)
            if _raise(chosen, leaves, times, at, parent, cost, below):
                size = int64(1)  # they bring combinations that did not occur before
        for place in range(first, end):
            node = at[items[place]]
            nodes[place] = node
            lost[c] += 1.0 if node == DROPPED else cost[node]
        for leaf in leaves:
            at[leaf] = DROPPED
    return nodes, lost


@jit
def _present(leaves: Ints, at: Ints) -> Ints:
    """Return the nodes that the class has now, increasing."""
    found = np.empty(leaves.shape[0], dtype=np.int64)
    n_found = 0
    for leaf in leaves:
        if at[leaf] != DROPPED:
            found[n_found] = at[leaf]
            n_found += 1
    return np.unique(found[:n_found])


@jit
def _coded(start: Ints, items: Ints, at: Ints, code: Ints) -> tuple[Ints, Ints]:
    """Return the records as rows of different codes of nodes, increasing."""
    n_records = start.shape[0] - 1
    own_start = np.zeros(n_records + 1, dtype=np.int64)
    own_items = np.empty(start[n_records] - start[0], dtype=np.int64)
    filled = 0
    for record in range(n_records):
        begun = filled
        for place in range(start[record], start[record + 1]):
            if at[items[place]] != DROPPED:
                own_items[filled] = code[at[items[place]]]
                filled += 1
        if filled > begun:
            own = np.sort(own_items[begun:filled])
            filled = begun
            for rank in range(own.shape[0]):
                if rank == 0 or own[rank] != own[rank - 1]:
                    own_items[filled] = own[rank]
                    filled += 1
        own_start[record + 1] = filled
    return own_start, own_items[:filled]


@jit
def _span(node: int, leaves: Ints, below: Ints) -> tuple[int, int]:
    """Return where the leaves below a node begin and end among the leaves of the class."""
    return np.searchsorted(leaves, below[node, 0]), np.searchsorted(leaves, below[node, 1], side="right")


@jit
def _next_up(node: int, leaves: Ints, at: Ints, parent: Ints, below: Ints) -> int:
    """Return the lowest node above `node` that joins it with another node of the class; -1 if there is none."""
    above = parent[node]
    while above != DROPPED:
        low, high = _span(above, leaves, below)
        for rank in range(low, high):
            if at[leaves[rank]] != DROPPED and at[leaves[rank]] != node:
                return int64(above)
        above = parent[above]
    return int64(DROPPED)


@jit
def _price(node: int, above: int, leaves: Ints, times: Ints, at: Ints, cost: Floats, below: Ints) -> float:
    """Return what is lost in addition if `node` is published as `above` with all that is below it, or dropped."""
    added = 0.0
    low, high = _span(node if above == DROPPED else above, leaves, below)
    for rank in range(low, high):
        held = at[leaves[rank]]
        if above != DROPPED:  # items below it that were dropped come back
            added += times[rank] * (cost[above] - (1.0 if held == DROPPED else cost[held]))
        elif held == node:
            added += times[rank] * (1.0 - cost[node])
    return added


@jit
def _to_raise(
    rare: Ints, present: Ints, leaves: Ints, times: Ints, at: Ints, parent: Ints, cost: Floats, below: Ints
) -> Ints:
    """Return nodes of the class of which every rare combination has at least one, chosen greedily by their price.

    None of them can be left out. Ties go to the node with the smaller number.
    """
    n_nodes, n_rare, size = present.shape[0], rare.shape[0], rare.shape[1]
    degree = np.zeros(n_nodes, dtype=np.int64)
    for row in range(n_rare):
        for place in range(size):
            degree[rare[row, place]] += 1
    begins = np.zeros(n_nodes + 1, dtype=np.int64)
    for node in range(n_nodes):
        begins[node + 1] = begins[node] + degree[node]
    fill = begins[:-1].copy()
    rows = np.empty(n_rare * size, dtype=np.int64)
    for row in range(n_rare):
        for place in range(size):
            rows[fill[rare[row, place]]] = row
            fill[rare[row, place]] += 1
    price = np.empty(n_nodes)
    for node in range(n_nodes):
        if degree[node] > 0:
            price[node] = _cheapest(present[node], leaves, times, at, parent, cost, below)[1]
    hits = np.zeros(n_rare, dtype=np.int64)
    chosen = np.empty(n_nodes, dtype=np.int64)
    n_chosen = 0
    left = n_rare
    while left > 0:
        best = int64(-1)
        for node in range(n_nodes):
            if degree[node] > 0 and (best < 0 or degree[node] * price[best] > degree[best] * price[node]):
                best = node
        chosen[n_chosen] = best
        n_chosen += 1
        for place in range(begins[best], begins[best + 1]):
            row = rows[place]
            hits[row] += 1
            if hits[row] == 1:
                left -= 1
                for other in range(size):
                    degree[rare[row, other]] -= 1
    for rank in np.argsort(-price[chosen[:n_chosen]], kind="mergesort"):
        node = chosen[rank]
        needed = False
        for place in range(begins[node], begins[node + 1]):
            if hits[rows[place]] == 1:
                needed = True
                break
        if not needed:
            for place in range(begins[node], begins[node + 1]):
                hits[rows[place]] -= 1
            chosen[rank] = -1
    kept = np.empty(n_chosen, dtype=np.int64)
    n_kept = 0
    for rank in range(n_chosen):
        if chosen[rank] >= 0:
            kept[n_kept] = present[chosen[rank]]
            n_kept += 1
    return kept[:n_kept]


@jit
def _cheapest(
    node: int, leaves: Ints, times: Ints, at: Ints, parent: Ints, cost: Floats, below: Ints
) -> tuple[int, float]:
    """Return what a node is best published as, -1 to drop it, and what is lost by that in addition."""
    dropped = _price(node, int64(DROPPED), leaves, times, at, cost, below)
    above = _next_up(node, leaves, at, parent, below)
    if above == DROPPED:
        return above, dropped
    raised = _price(node, above, leaves, times, at, cost, below)
    return (above, raised) if raised <= dropped else (int64(DROPPED), dropped)


@jit
def _raise(chosen: Ints, leaves: Ints, times: Ints, at: Ints, parent: Ints, cost: Floats, below: Ints) -> bool:
    """Publish the chosen nodes as what is cheapest, one after the other, as long as they are still there.

    Returns whether items that had been dropped are published again, as a node above them.
    """
    came_back = False
    for node in chosen:
        there = False
        low, high = _span(node, leaves, below)
        for rank in range(low, high):
            there = there or at[leaves[rank]] == node
        if not there:
            continue
        above = _cheapest(node, leaves, times, at, parent, cost, below)[0]
        if above != DROPPED:
            low, high = _span(above, leaves, below)
        for rank in range(low, high):
            if above != DROPPED or at[leaves[rank]] == node:
                came_back = came_back or (above != DROPPED and at[leaves[rank]] == DROPPED)
                at[leaves[rank]] = above
    return came_back
