"""Annealing of groups under a cost of size x extents: ranges of numbers, nodes of hierarchies, sets of labels.

Every group keeps a summary: the two lowest and two highest coordinates on lines and trees, the labels it holds and
those that only one member holds. So the extents after one record leaves and another joins follow in a few dozen
operations, whatever the group's size; only groups that really change are summed up anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


MOST_TRIED = 10
"""Members of a group that a record may change places with, per proposal."""


class Records(NamedTuple):
    """Records by kind of axis: lines, then trees, then labels as bits."""

    spans: Floats
    """(n, n_lines + n_trees): coordinates; those of trees are leaves in depth-first order"""
    trees: Ints
    """(n_lines + n_trees, 2): where the axis begins in `joints`, and its number of leaves; 0 leaves on a line"""
    joints: Floats
    """Per tree and power of two: the cost of the node above so many neighbouring leaves and the next one"""
    powers: Ints
    """[m]: the exponent of the largest power of two that is at most m"""
    words: Words
    """(n, n_words): one bit per label"""
    part_word: Ints
    """(n_parts,): the word that holds this part of a column's labels"""
    part_mask: Words
    part_cost: Floats
    """Of one label; 0 where the column goes on with the next part"""


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
    ends: Floats
    """(n_groups, n_lines + n_trees, 4): lowest and second lowest, highest and second highest"""
    bits: Words
    """(n_groups, n_words, 2): labels that any member holds, and those that one alone holds"""


class Where(NamedTuple):
    """Neighbours of record r: copies[copies_start[p]:copies_start[p + 1]] for the points p of near[point_of[r]]."""

    point_of: Ints
    near: Ints
    copies_start: Ints
    copies: Ints


@inner
def random_below(state: Words, n: int) -> int:
    """The next of a xorshift64* stream, as an integer below n; state[0] must not be 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))


@inlined
def _ones(x: np.uint64) -> int:
    """Set bits of a 64-bit word."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def extent_with(records: Records, groups: Groups, g: int, leaves: int, joins: int) -> float:
    """Extents of group g without its record `leaves` and with record `joins` (-1: none)."""
    spans, trees, joints, powers, words, part_word, part_mask, part_cost = records
    ends, bits = groups.ends, groups.bits
    total = 0.0
    for axis in range(spans.shape[1]):
        low, high = ends[g, axis, 0], ends[g, axis, 2]
        if leaves >= 0:
            gone = spans[leaves, axis]
            if gone == low:
                low = ends[g, axis, 1]
            if gone == high:
                high = ends[g, axis, 3]
        if joins >= 0:
            low, high = min(low, spans[joins, axis]), max(high, spans[joins, axis])
        if trees[axis, 1] == 0:
            total += high - low
        elif high > low:
            first, last = int(low), int(high)
            power = powers[last - first]
            row = trees[axis, 0] + power * trees[axis, 1]
            total += max(joints[row + first], joints[row + last - (1 << power)])
    word, n_labels = int64(-1), 0
    held = np.uint64(0)
    for part in range(len(part_word)):
        if part_word[part] != word:
            word = part_word[part]
            held = bits[g, word, 0]
            if leaves >= 0:
                held &= ~(bits[g, word, 1] & words[leaves, word])
            if joins >= 0:
                held |= words[joins, word]
        n_labels += _ones(held & part_mask[part])
        if part_cost[part] > 0.0:
            if n_labels > 1:
                total += n_labels * part_cost[part]
            n_labels = 0
    return total


@inner
def deficit_of(rules: Rules, groups: Groups, g: int, leaves: int, joins: int) -> float:
    """How far group g, without its record `leaves` and with `joins` (-1: none), is from meeting the rules."""
    codes, at_least, shares, _price = rules
    members, size = groups.members[g], groups.size[g]
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
def sum_up(records: Records, rules: Rules, groups: Groups, g: int) -> None:
    """Summary, extent and deficit of group g from its members; an empty group costs nothing."""
    ends, bits = groups.ends, groups.bits
    nobody = int64(-1)
    groups.extent[g] = groups.deficit[g] = 0.0
    for axis in range(ends.shape[1]):
        low = next_low = np.inf
        high = next_high = -np.inf
        for p in range(groups.size[g]):
            x = records.spans[groups.members[g, p], axis]
            if x < low:
                low, next_low = x, low
            elif x < next_low:
                next_low = x
            if x > high:
                high, next_high = x, high
            elif x > next_high:
                next_high = x
        ends[g, axis, 0], ends[g, axis, 1], ends[g, axis, 2], ends[g, axis, 3] = low, next_low, high, next_high
    for word in range(bits.shape[1]):
        held = more = np.uint64(0)
        for p in range(groups.size[g]):
            x = records.words[groups.members[g, p], word]
            more |= held & x
            held |= x
        bits[g, word, 0], bits[g, word, 1] = held, held & ~more
    if groups.size[g] > 0:
        groups.extent[g] = extent_with(records, groups, g, nobody, nobody)
        groups.deficit[g] = deficit_of(rules, groups, g, nobody, nobody)


@inner
def _cost(rules: Rules, groups: Groups, g: int) -> float:
    return float(groups.extent[g] * groups.size[g] + rules.price * groups.deficit[g])


@inner
def _shift(records: Records, rules: Rules, groups: Groups, r: int, h: int) -> float:
    """Record r leaves its group, if it has one, and joins group h; the change of the cost."""
    label, members, size = groups.label, groups.members, groups.size
    g = label[r]
    before = _cost(rules, groups, h)
    if g >= 0:
        before += _cost(rules, groups, g)
        size[g] -= 1
        for p in range(size[g]):
            if members[g, p] == r:
                members[g, p] = members[g, size[g]]
        sum_up(records, rules, groups, g)
        before -= _cost(rules, groups, g)
    members[h, size[h]] = r
    size[h] += 1
    label[r] = h
    sum_up(records, rules, groups, h)
    return _cost(rules, groups, h) - before


@jit
def measure_groups(records: Records, rules: Rules, groups: Groups) -> None:
    """Summary, extent and deficit of every group, from its members."""
    for g in range(len(groups.size)):
        sum_up(records, rules, groups, g)


@jit
def exchange(
    records: Records,
    rules: Rules,
    groups: Groups,
    where: Where,
    block: Ints,
    mine: int,
    active: Ints,
    k: int,
    n_proposals: int,
    hot: float,
    cold: float,
    state: Words,
) -> None:
    """Anneal by moving and swapping records between neighbouring groups of block `mine`.

    A proposal brings a record into the group of one of its neighbours: it moves there, or takes the place of the
    first member to make that acceptable. No group falls below `k` or grows beyond the room in `members` but one. The
    temperature falls from `hot` to `cold`; `hot` 0 is plain descent.
    """
    label, members, size, extent, deficit, _ends, _bits = groups
    point_of, near, copies_start, copies = where
    room, n_near = members.shape[1] - 1, near.shape[1]
    ruled = rules.codes.shape[1] > 0
    nobody = int64(-1)
    heat = hot
    cooling = (cold / hot) ** (64.0 / max(1, n_proposals)) if hot > 0.0 else 0.0
    for step in range(n_proposals):
        if step % 64 == 0 and step > 0:
            heat *= cooling
        r = active[random_below(state, len(active))]
        # Near neighbours are more promising: the place is a product of two random numbers.
        point = near[point_of[r], random_below(state, n_near) * random_below(state, n_near) // n_near]
        first = copies_start[point]
        q = copies[first + random_below(state, copies_start[point + 1] - first)]
        g, h = label[r], label[q]
        if g == h or block[h] != mine:
            continue
        if extent[g] == 0.0 and extent[h] == 0.0 and deficit[g] == 0.0 and deficit[h] == 0.0:
            continue
        chance = random_below(state, int64(1 << 30))
        if chance & 1:  # q comes to r's group
            r, q, g, h = q, r, h, g
        limit = _cost(rules, groups, g) + _cost(rules, groups, h)
        if heat > 0.0:
            limit -= heat * np.log((chance + 1) / (1 << 30))
        without = extent_with(records, groups, g, r, nobody)
        # Place -1: r moves. Otherwise it changes places with a member of h.
        place = -1 if size[g] > k and size[h] < room else 0
        begin = (chance >> 1) % size[h]
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
            extent_h = extent_with(records, groups, h, m, r)
            if extent_h * size_h + without * size_g > limit:
                continue
            after = extent_h * size_h
            after += (extent_with(records, groups, g, r, m) if m >= 0 else without) * size_g
            if ruled and after <= limit:
                missed = deficit_of(rules, groups, g, r, m) + deficit_of(rules, groups, h, m, r)
                after += rules.price * missed
            if after <= limit:
                _shift(records, rules, groups, r, h)
                if m >= 0:
                    _shift(records, rules, groups, m, g)
                break


@inner
def _best_home(records: Records, rules: Rules, groups: Groups, where: Where, block: Ints, mine: int, r: int) -> int:
    """The neighbouring group of block `mine` that record r makes least dearer; -1 where there is none."""
    label, size = groups.label, groups.size
    room = groups.members.shape[1] - 1
    nobody = int64(-1)
    best, best_rise = nobody, np.inf
    for place in range(where.near.shape[1]):
        point = where.near[where.point_of[r], place]
        first = where.copies_start[point]
        for c in range(first, min(where.copies_start[point + 1], first + room)):
            g = label[where.copies[c]]
            if g < 0 or g == best or g == label[r] or size[g] >= room or block[g] != mine:
                continue
            rise = extent_with(records, groups, g, nobody, r) * (size[g] + 1) - groups.extent[g] * size[g]
            if rise < best_rise and rules.codes.shape[1] > 0:
                rise += rules.price * (deficit_of(rules, groups, g, nobody, r) - groups.deficit[g])
            if rise < best_rise:
                best, best_rise = g, rise
    return best


@inner
def _best_mate(
    records: Records, rules: Rules, groups: Groups, where: Where, block: Ints, mine: int, r: int, g: int, k: int
) -> int:
    """The neighbour of r that makes group g least dear, of those that are free or in a group with more than k."""
    label, size = groups.label, groups.size
    room = groups.members.shape[1] - 1
    nobody = int64(-1)
    best, best_cost = nobody, np.inf
    for place in range(where.near.shape[1]):
        point, seen = where.near[where.point_of[r], place], 0
        for c in range(where.copies_start[point], where.copies_start[point + 1]):
            q = where.copies[c]
            h = label[q]
            if h >= 0 and (h == g or size[h] <= k or block[h] != mine):
                continue
            seen += 1
            if seen > room:
                break
            cost = extent_with(records, groups, g, nobody, q) * (size[g] + 1)
            if cost < best_cost and rules.codes.shape[1] > 0:
                cost += rules.price * deficit_of(rules, groups, g, nobody, q)
            if cost < best_cost:
                best, best_cost = q, cost
    return best


@jit
def reform(
    records: Records,
    rules: Rules,
    groups: Groups,
    where: Where,
    block: Ints,
    mine: int,
    order: Ints,
    k: int,
    heat: float,
    state: Words,
    moved: Ints,
    homes: Ints,
) -> None:
    """Dissolve groups of block `mine` into their neighbours, and found groups of records that others can spare.

    Of the records in `order`, those of groups that cost something are asked one by one; the change is taken back
    where the cost rises by more than the temperature allows. `moved` and `homes` are scratch for a group's records.
    """
    label, members, size = groups.label, groups.members, groups.size
    empty = int64(-1)
    for g in range(len(size)):
        if size[g] == 0 and block[g] == mine:
            empty = g
    for r in order:
        g = label[r]
        if _cost(rules, groups, g) == 0.0:
            continue
        chance = random_below(state, int64(1 << 30))
        limit = -heat * np.log((chance + 1) / (1 << 30))
        change, n_moved = 0.0, 0
        if chance & 1 and empty >= 0 and size[g] > k:
            moved[0], homes[0], n_moved = r, g, 1
            change += _shift(records, rules, groups, r, empty)
            while size[empty] < k:
                q = _best_mate(records, rules, groups, where, block, mine, r, empty, k)
                if q < 0:
                    change = np.inf
                    break
                moved[n_moved], homes[n_moved] = q, label[q]
                n_moved += 1
                change += _shift(records, rules, groups, q, empty)
        elif not chance & 1:
            while size[g] > 0:
                q = members[g, size[g] - 1]
                h = _best_home(records, rules, groups, where, block, mine, q)
                if h < 0:
                    change = np.inf
                    break
                moved[n_moved], homes[n_moved] = q, g
                n_moved += 1
                change += _shift(records, rules, groups, q, h)
        else:
            continue
        if change > limit:
            for undone in range(n_moved - 1, -1, -1):
                _shift(records, rules, groups, moved[undone], homes[undone])
        elif not chance & 1:
            empty = g
        else:
            empty = -1
            for other in range(len(size)):
                if size[other] == 0 and block[other] == mine:
                    empty = other
                    break


@jit
def gather_nearest(records: Records, rules: Rules, groups: Groups, where: Where, block: Ints, k: int) -> int:
    """Start: record after record takes the k - 1 free neighbours that widen its group least; groups made.

    Copies that cost nothing join at once. Records that find too few free neighbours keep the label -1.
    """
    label, size, extent = groups.label, groups.size, groups.extent
    room = groups.members.shape[1] - 1
    mine, n_groups = int64(0), int64(0)
    for r in range(len(label)):
        if label[r] >= 0 or n_groups == len(size):
            continue
        g = n_groups
        _shift(records, rules, groups, r, g)
        while size[g] < room:
            q = _best_mate(records, rules, groups, where, block, mine, r, g, len(label))
            if q < 0:
                break
            before, missed = extent[g], groups.deficit[g]
            _shift(records, rules, groups, q, g)
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
def place_rest(records: Records, rules: Rules, groups: Groups, where: Where, block: Ints, rest: Ints) -> int:
    """Give each record of `rest` to the neighbouring group that it makes least dearer; how many found none."""
    homeless = 0
    for r in rest:
        best = _best_home(records, rules, groups, where, block, int64(0), r)
        if best < 0:
            homeless += 1
        else:
            _shift(records, rules, groups, r, best)
    return homeless
