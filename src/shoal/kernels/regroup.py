"""Annealing of groups under a cost of size x extents: ranges of numbers, nodes of hierarchies, sets of labels.

A group's extents follow from its members in a few dozen operations: the ends of every line and tree axis, and for
labels the union of bit masks. So a proposal is evaluated by recomputing the two groups it touches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


class Records(NamedTuple):
    """Records split by kind of axis. Bits of one label axis lie within one word."""

    lines: Floats
    """(n, n_lines)"""
    ranks: Ints
    """(n, n_trees): leaves in depth-first order"""
    words: Words
    """(n, n_words): one bit per label"""
    trees: Ints
    """(n_trees, 3): number of levels, where the tree begins in `ancestors` and in `costs`"""
    ancestors: npt.NDArray[np.int32]
    costs: Floats
    label_word: Ints
    """(n_labels,): the word of each label axis"""
    label_mask: Words
    label_cost: Floats


class Rules(NamedTuple):
    """What groups should meet besides their size; a miss is priced, not forbidden."""

    codes: Ints
    """(n, n_rules): the value that a rule looks at"""
    at_least: Floats
    """(n_rules,): l"""
    shares: npt.NDArray[np.bool_]
    """(n_rules,): no value more often than one in l; otherwise l different values"""
    price: float
    """Of one value that is missing or one record too many."""


class Groups(NamedTuple):
    """`members[g, :size[g]]` are the records of group g, which costs size x extent + price x deficit."""

    label: Ints
    members: Ints
    size: Ints
    extent: Floats
    deficit: Floats


@inner
def random_below(state: Words, n: int) -> int:
    """The next of a xorshift64* stream, as an integer below n; state[0] must not be 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))


@inner
def _ones(x: np.uint64) -> int:
    """Set bits of a 64-bit word."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def extent_of(records: Records, members: Ints, size: int, leaves: int, joins: int, union: Words) -> float:
    """Extents of members[:size], without record `leaves` and with record `joins` (-1: none); `union` is scratch."""
    lines, ranks, words, trees, ancestors, costs, label_word, label_mask, label_cost = records
    total = 0.0
    for axis in range(lines.shape[1]):
        low, high = np.inf, -np.inf
        for p in range(size):
            r = members[p]
            if r != leaves:
                low, high = min(low, lines[r, axis]), max(high, lines[r, axis])
        if joins >= 0:
            low, high = min(low, lines[joins, axis]), max(high, lines[joins, axis])
        total += high - low
    for axis in range(ranks.shape[1]):
        first, last = int64(1) << 60, int64(-1)
        for p in range(size):
            r = members[p]
            if r != leaves:
                first, last = min(first, ranks[r, axis]), max(last, ranks[r, axis])
        if joins >= 0:
            first, last = min(first, ranks[joins, axis]), max(last, ranks[joins, axis])
        if first != last:
            width = trees[axis, 0] + 1
            a, b = trees[axis, 1] + first * width, trees[axis, 1] + last * width
            level = 1
            while ancestors[a + level] != ancestors[b + level]:
                level += 1
            total += costs[trees[axis, 2] + level]
    for w in range(words.shape[1]):
        every = np.uint64(0)
        for p in range(size):
            r = members[p]
            if r != leaves:
                every |= words[r, w]
        if joins >= 0:
            every |= words[joins, w]
        union[w] = every
    for axis in range(len(label_word)):
        n_labels = _ones(union[label_word[axis]] & label_mask[axis])
        if n_labels > 1:
            total += n_labels * label_cost[axis]
    return total


@jit
def deficit_of(rules: Rules, members: Ints, size: int, leaves: int, joins: int) -> float:
    """How far members[:size], without `leaves` and with `joins`, are from meeting the rules."""
    codes, at_least, shares, _price = rules
    total = 0.0
    for rule in range(codes.shape[1]):
        different, most, n = 0, 0, 0
        for p in range(size + 1):
            r = members[p] if p < size else joins
            if r < 0 or (p < size and r == leaves):
                continue
            n += 1
            count, seen = 1, False
            for e in range(p):
                other = members[e]
                if other != leaves and codes[other, rule] == codes[r, rule]:
                    count += 1
                    seen = True
            different += not seen
            most = max(most, count)
        missing = most - n / at_least[rule] if shares[rule] else at_least[rule] - different
        total += max(0.0, missing)
    return total


@inner
def _leave(groups: Groups, record: int, group: int) -> None:
    last = groups.size[group] - 1
    for p in range(last + 1):
        if groups.members[group, p] == record:
            groups.members[group, p] = groups.members[group, last]
            break
    groups.size[group] = last


@inner
def _join(groups: Groups, record: int, group: int) -> None:
    groups.members[group, groups.size[group]] = record
    groups.size[group] += 1
    groups.label[record] = group


@jit
def measure_groups(records: Records, rules: Rules, groups: Groups) -> None:
    """Extent and deficit of every group, from its members."""
    nobody = int64(-1)
    union = np.zeros(max(1, records.words.shape[1]), np.uint64)
    for g in range(len(groups.size)):
        if groups.size[g] > 0:
            groups.extent[g] = extent_of(records, groups.members[g], groups.size[g], nobody, nobody, union)
            groups.deficit[g] = deficit_of(rules, groups.members[g], groups.size[g], nobody, nobody)


@jit
def exchange(
    records: Records,
    rules: Rules,
    groups: Groups,
    block: Ints,
    mine: int,
    active: Ints,
    point_of: Ints,
    near: Ints,
    copies_start: Ints,
    copies: Ints,
    k: int,
    n_proposals: int,
    hot: float,
    cold: float,
    state: Words,
) -> float:
    """Anneal by moving and swapping records between neighbouring groups of block `mine`; the change of the cost.

    A neighbour of record r is a copy of one of the points near[point_of[r]]. No group falls below `k` or outgrows the
    room in `members`. The temperature falls from `hot` to `cold`; `hot` 0 is plain descent.
    """
    label, members, size, extent, deficit = groups
    room, n_near = members.shape[1], near.shape[1]
    ruled = rules.codes.shape[1] > 0
    union = np.zeros(max(1, records.words.shape[1]), np.uint64)
    gained, heat = 0.0, hot
    cooling = (cold / hot) ** (64.0 / max(1, n_proposals)) if hot > 0.0 else 0.0
    for step in range(n_proposals):
        if step % 64 == 0 and step > 0:
            heat *= cooling
        r = active[random_below(state, len(active))]
        point = near[point_of[r], random_below(state, n_near)]
        first = copies_start[point]
        q = copies[first + random_below(state, copies_start[point + 1] - first)]
        g, h = label[r], label[q]
        if g == h or block[h] != mine:
            continue
        if extent[g] == 0.0 and extent[h] == 0.0 and deficit[g] == 0.0 and deficit[h] == 0.0:
            continue
        # `away` leaves g for h, `back` leaves h for g.
        away, back = int64(-1), int64(-1)
        kind = random_below(state, int64(4))
        if kind == 0 and size[g] > k and size[h] < room:
            away = r
        elif kind == 1 and size[h] > k and size[g] < room:
            back = q
        elif kind == 2:
            back = q
            away = members[g, random_below(state, size[g])]
            if away == r:
                continue
        else:
            away = r
            back = members[h, random_below(state, size[h])]
            if back == q:
                continue
        size_g = size[g] - (away >= 0) + (back >= 0)
        size_h = size[h] + (away >= 0) - (back >= 0)
        before = extent[g] * size[g] + extent[h] * size[h] + rules.price * (deficit[g] + deficit[h])
        limit = before
        if heat > 0.0:
            limit -= heat * np.log((random_below(state, int64(1 << 30)) + 1) / (1 << 30))
        extent_g = extent_of(records, members[g], size[g], away, back, union)
        if extent_g * size_g > limit:
            continue
        extent_h = extent_of(records, members[h], size[h], back, away, union)
        after = extent_g * size_g + extent_h * size_h
        if after > limit:
            continue
        deficit_g = deficit_h = 0.0
        if ruled:
            deficit_g = deficit_of(rules, members[g], size[g], away, back)
            deficit_h = deficit_of(rules, members[h], size[h], back, away)
            after += rules.price * (deficit_g + deficit_h)
            if after > limit:
                continue
        if away >= 0:
            _leave(groups, away, g)
        if back >= 0:
            _leave(groups, back, h)
            _join(groups, back, g)
        if away >= 0:
            _join(groups, away, h)
        extent[g], extent[h], deficit[g], deficit[h] = extent_g, extent_h, deficit_g, deficit_h
        gained += after - before
    return gained


@jit
def gather_nearest(
    records: Records,
    rules: Rules,
    groups: Groups,
    order: Ints,
    point_of: Ints,
    near: Ints,
    copies_start: Ints,
    copies: Ints,
    k: int,
) -> int:
    """Start: in the given order, a record takes the k - 1 free neighbours that widen its group least; groups made.

    Copies that cost nothing join at once. Records that find too few free neighbours keep the label -1.
    """
    label, members, size, extent, deficit = groups
    room = members.shape[1]
    nobody = int64(-1)
    union = np.zeros(max(1, records.words.shape[1]), np.uint64)
    free = np.empty(near.shape[1] * room, np.int64)
    n_groups = int64(0)
    for r in order:
        if label[r] >= 0:
            continue
        n_free = 0
        for place in range(near.shape[1]):
            point, taken = near[point_of[r], place], 0
            for c in range(copies_start[point], copies_start[point + 1]):
                if label[copies[c]] < 0 and copies[c] != r and taken < room - 1:
                    free[n_free] = copies[c]
                    n_free += 1
                    taken += 1
        if n_free < k - 1:
            continue
        g = n_groups
        n_groups += 1
        members[g, 0], size[g], label[r] = r, 1, g
        extent[g], deficit[g] = 0.0, deficit_of(rules, members[g], size[g], nobody, nobody)
        while size[g] < room and n_free > 0:
            best, best_cost = -1, np.inf
            for p in range(n_free):
                q = free[p]
                cost = extent_of(records, members[g], size[g], nobody, q, union) * (size[g] + 1)
                if cost >= best_cost:
                    continue
                cost += rules.price * deficit_of(rules, members[g], size[g], nobody, q)
                if cost < best_cost:
                    best, best_cost = p, cost
            q = free[best]
            wider = extent_of(records, members[g], size[g], nobody, q, union)
            short = deficit_of(rules, members[g], size[g], nobody, q)
            if size[g] >= k and (wider > extent[g] or (wider > 0.0 and short >= deficit[g])):
                break
            _join(groups, q, g)
            extent[g], deficit[g] = wider, short
            n_free -= 1
            free[best] = free[n_free]
    return int(n_groups)


@jit
def place_rest(
    records: Records,
    rules: Rules,
    groups: Groups,
    rest: Ints,
    point_of: Ints,
    near: Ints,
    copies_start: Ints,
    copies: Ints,
) -> int:
    """Give each record of `rest` to the neighbouring group that it makes least dearer; how many found none."""
    label, members, size, extent, deficit = groups
    room = members.shape[1]
    nobody = int64(-1)
    union = np.zeros(max(1, records.words.shape[1]), np.uint64)
    homeless = 0
    for r in rest:
        best, best_rise = nobody, np.inf
        for place in range(near.shape[1]):
            point = near[point_of[r], place]
            for c in range(copies_start[point], min(copies_start[point + 1], copies_start[point] + room)):
                g = label[copies[c]]
                if g < 0 or g == best or size[g] >= room:
                    continue
                wider = extent_of(records, members[g], size[g], nobody, r, union)
                rise = wider * (size[g] + 1) - extent[g] * size[g]
                if rise < best_rise:
                    best, best_rise = g, rise
        if best < 0:
            homeless += 1
            continue
        extent[best] = extent_of(records, members[best], size[best], nobody, r, union)
        deficit[best] = deficit_of(rules, members[best], size[best], nobody, r)
        _join(groups, r, best)
    return homeless
