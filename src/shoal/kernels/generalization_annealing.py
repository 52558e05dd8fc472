"""Simulated annealing under the generalization cost of `generalization_groups`.

Proposals move or swap records between groups, dissolve a group, or form a new one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.generalization_groups import (
    Groups,
    RecordArrays,
    Rules,
    Words,
    deficit_of,
    extent_if_joined,
    extent_joined,
    extent_with,
    group_cost,
    join_first,
    shift,
    sum_up,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROUNDED = 1 + 1e-12
"""Extents beyond a limit need not be computed to the end; the limit is raised by more than it is rounded."""
MOST_TRIED = 10
"""Members of the other group that a proposal tries as the partner of a swap; it bounds the work for large k."""


class NeighborLists(NamedTuple):
    """Neighbor lists of records. Points are the different records; copies are the records equal to a point.

    The neighbors of record r are copies[copies_start[p]:copies_start[p + 1]] for each point p in near[point_of[r]].
    """

    point_of: Ints
    near: Ints
    copies_start: Ints
    copies: Ints


@inner
def random_below(state: Words, n: int) -> int:
    """Return the next pseudo-random integer below n (xorshift64*); state[0] must not be 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))


@jit
def move_and_swap(
    records: RecordArrays,
    rules: Rules,
    groups: Groups,
    where: NeighborLists,
    block: Ints,
    mine: int,
    active: Ints,
    k: int,
    n_proposals: int,
    hot: float,
    cold: float,
    state: Words,
) -> None:
    """Run `n_proposals` proposals that move or swap records between neighboring groups of block `mine`.

    A proposal takes a random record of `active` and brings it into the group of one of its neighbors: either it moves
    there, or it is swapped with the first member for which the swap is accepted. Groups keep at least `k` records and
    one free place in `members`. The temperature falls geometrically from `hot` to `cold`; with `hot` 0, only changes
    that do not raise the cost are accepted.
    """
    label, members, size, extent, deficit, _ends, _bits = groups
    point_of, near, copies_start, copies = where
    room, n_near = members.shape[1] - 1, near.shape[1]
    has_rules = rules.codes.shape[1] > 0
    nobody = int64(-1)
    joined = np.empty((records.spans.shape[1], 7))
    temperature = hot
    cooling = (cold / hot) ** (64.0 / max(1, n_proposals)) if hot > 0.0 else 0.0
    for step in range(n_proposals):
        if step % 64 == 0 and step > 0:
            temperature *= cooling
        r = active[random_below(state, len(active))]
        # The nearest neighbors are the most promising: the product of two random numbers favors small positions.
        point = near[point_of[r], random_below(state, n_near) * random_below(state, n_near) // n_near]
        first = copies_start[point]
        q = copies[first + random_below(state, copies_start[point + 1] - first)]
        g, h = label[r], label[q]
        if g == h or block[h] != mine:
            continue
        if extent[g] == 0.0 and extent[h] == 0.0 and deficit[g] == 0.0 and deficit[h] == 0.0:
            continue
        chance = random_below(state, int64(1 << 30))
        if chance & 1:  # the neighbor q is brought into the group of r instead
            r, q, g, h = q, r, h, g
        limit = group_cost(rules, groups, g) + group_cost(rules, groups, h)
        if temperature > 0.0:
            limit -= temperature * np.log((chance + 1) / (1 << 30))
        without = extent_with(records, groups, g, r, nobody)
        # Place -1 stands for a move of r; the other places for a swap with a member of h.
        place = -1 if size[g] > k and size[h] < room else 0
        begin = (chance >> 1) % size[h]
        join_first(records, groups, h, r, joined)
        while place < min(size[h], MOST_TRIED):
            m = nobody
            if place >= 0:
                m = members[h, (begin + place) % size[h]]
            place += 1
            if m == q or (m >= 0 and point_of[m] == point_of[r]):
                continue
            size_g, size_h = size[g], size[h]
            if m < 0:
                size_g, size_h = size_g - 1, size_h + 1
            most = (limit - without * size_g) / size_h * ROUNDED
            extent_h = extent_joined(records, groups, h, m, r, joined, most)
            if extent_h * size_h + without * size_g > limit:
                continue
            after = extent_h * size_h
            after += (extent_with(records, groups, g, r, m) if m >= 0 else without) * size_g
            if has_rules and after <= limit:
                missed = deficit_of(rules, groups, g, r, m) + deficit_of(rules, groups, h, m, r)
                after += rules.price * missed
            if after <= limit:
                shift(records, rules, groups, r, h)
                if m >= 0:
                    shift(records, rules, groups, m, g)
                break


@inner
def _best_home(
    records: RecordArrays,
    rules: Rules,
    groups: Groups,
    where: NeighborLists,
    block: Ints,
    mine: int,
    r: int,
    most_rise: float,
    looked: Ints,
    look: int,
) -> tuple[int, float]:
    """Return the neighboring group of block `mine` whose cost rises least if record r joins, and by how much.

    -1 if none has room, or if the cost of each rises by `most_rise` or more. Groups that were looked at are marked
    with the number `look` in `looked`.
    """
    label, size = groups.label, groups.size
    room = groups.members.shape[1] - 1
    nobody = int64(-1)
    best, best_rise = nobody, most_rise
    for place in range(where.near.shape[1]):
        point = where.near[where.point_of[r], place]
        first = where.copies_start[point]
        for c in range(first, min(where.copies_start[point + 1], first + room)):
            g = label[where.copies[c]]
            if g < 0 or looked[g] == look:
                continue
            looked[g] = look
            if g == label[r] or size[g] >= room or block[g] != mine:
                continue
            before = groups.extent[g] * size[g]
            most = (best_rise + before) / (size[g] + 1) * ROUNDED
            rise = extent_if_joined(records, groups, g, r, most) * (size[g] + 1) - before
            if rise < best_rise and rules.codes.shape[1] > 0:
                rise += rules.price * (deficit_of(rules, groups, g, nobody, r) - groups.deficit[g])
            if rise < best_rise:
                best, best_rise = g, rise
    return best, best_rise


@inner
def _best_mate(
    records: RecordArrays,
    rules: Rules,
    groups: Groups,
    where: NeighborLists,
    block: Ints,
    mine: int,
    r: int,
    g: int,
    k: int,
) -> int:
    """Return the neighbor of r with which group g costs least; -1 if there is none.

    Only neighbors without a group, or in a group of block `mine` with more than k records, are considered.
    """
    label, size = groups.label, groups.size
    room = groups.members.shape[1] - 1
    has_rules = rules.codes.shape[1] > 0
    nobody = int64(-1)
    best, best_cost = nobody, np.inf
    for place in range(where.near.shape[1]):
        point, seen, alike = where.near[where.point_of[r], place], 0, 0.0
        for c in range(where.copies_start[point], where.copies_start[point + 1]):
            q = where.copies[c]
            h = label[q]
            if h >= 0 and (h == g or size[h] <= k or block[h] != mine):
                continue
            if seen == 0:
                most = best_cost / (size[g] + 1) * ROUNDED
                alike = extent_if_joined(records, groups, g, q, most) * (size[g] + 1)
            seen += 1
            # copies differ in what the rules count, and in nothing else
            if alike >= best_cost or seen > room:
                break
            cost = alike
            if has_rules:
                cost += rules.price * deficit_of(rules, groups, g, nobody, q)
            if cost < best_cost:
                best, best_cost = q, cost
    return best


@jit
def dissolve_and_form(
    records: RecordArrays,
    rules: Rules,
    groups: Groups,
    where: NeighborLists,
    block: Ints,
    mine: int,
    order: Ints,
    k: int,
    temperature: float,
    state: Words,
    moved: Ints,
    homes: Ints,
) -> None:
    """Dissolve groups of block `mine` into neighboring groups, and form new groups where others can spare records.

    For each record of `order` whose group has a positive cost, one of the two is chosen at random and tried. The
    change is undone if the cost rises by more than the temperature allows. `moved` and `homes` are work space for the
    records that changed groups and their former groups.
    """
    label, members, size = groups.label, groups.members, groups.size
    empty = int64(-1)
    looked, look = np.zeros(len(size), dtype=np.int64), 0
    for g in range(len(size)):
        if size[g] == 0 and block[g] == mine:
            empty = g
    for r in order:
        g = label[r]
        if group_cost(rules, groups, g) == 0.0:
            continue
        chance = random_below(state, int64(1 << 30))
        limit = -temperature * np.log((chance + 1) / (1 << 30))
        change, n_moved = 0.0, 0
        if chance & 1 and empty >= 0 and size[g] > k:
            moved[0], homes[0], n_moved = r, g, 1
            change += shift(records, rules, groups, r, empty)
            while size[empty] < k:
                q = _best_mate(records, rules, groups, where, block, mine, r, empty, k)
                if q < 0:
                    change = np.inf
                    break
                moved[n_moved], homes[n_moved] = q, label[q]
                n_moved += 1
                change += shift(records, rules, groups, q, empty)
        elif not chance & 1:
            # Rises beyond what g costs are not made up for. (Records that other groups miss may be; those are few.)
            most_rise = (limit + group_cost(rules, groups, g)) * ROUNDED
            while size[g] > 0:
                q = members[g, size[g] - 1]
                look += 1
                h, rise = _best_home(records, rules, groups, where, block, mine, q, most_rise, looked, look)
                most_rise -= rise
                if h < 0:
                    change = np.inf
                    break
                moved[n_moved], homes[n_moved] = q, g
                n_moved += 1
                change += shift(records, rules, groups, q, h)
        else:
            continue
        if change > limit:
            for undone in range(n_moved - 1, -1, -1):
                shift(records, rules, groups, moved[undone], homes[undone])
        elif not chance & 1:
            empty = g
        else:
            empty = -1
            for other in range(len(size)):
                if size[other] == 0 and block[other] == mine:
                    empty = other
                    break


@jit
def group_nearest(
    records: RecordArrays, rules: Rules, groups: Groups, where: NeighborLists, block: Ints, k: int
) -> int:
    """Make a first partition: each ungrouped record in turn forms a group with ungrouped neighbors.

    The neighbor with which the group costs least joins, until the group has k records; beyond k, records join only as
    long as that does not widen the group. A record with too few ungrouped neighbors keeps the label -1. Returns the
    number of groups.
    """
    label, size, extent = groups.label, groups.size, groups.extent
    room = groups.members.shape[1] - 1
    mine, n_groups = int64(0), int64(0)
    for r in range(len(label)):
        if label[r] >= 0 or n_groups == len(size):
            continue
        g = n_groups
        shift(records, rules, groups, r, g)
        while size[g] < room:
            q = _best_mate(records, rules, groups, where, block, mine, r, g, len(label))
            if q < 0:
                break
            before, missed = extent[g], groups.deficit[g]
            shift(records, rules, groups, q, g)
            if size[g] > k and (extent[g] > before or (extent[g] > 0.0 and groups.deficit[g] >= missed)):
                size[g] -= 1
                label[q] = -1
                sum_up(records, rules, groups, g)
                break
        if size[g] >= k:
            n_groups += 1
            continue
        for p in range(size[g]):
            label[groups.members[g, p]] = -1
        size[g] = 0
    return int(n_groups)


@jit
def place_rest(
    records: RecordArrays, rules: Rules, groups: Groups, where: NeighborLists, block: Ints, rest: Ints
) -> int:
    """Add each record of `rest` to the neighboring group whose cost rises least.

    Returns the number of records for which no neighboring group has room; they stay without a group.
    """
    unplaced = 0
    looked = np.full(len(groups.size), -1, dtype=np.int64)
    for look, r in enumerate(rest):
        best, _rise = _best_home(records, rules, groups, where, block, int64(0), r, np.inf, looked, look)
        if best < 0:
            unplaced += 1
        else:
            shift(records, rules, groups, r, best)
    return unplaced
