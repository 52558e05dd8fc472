"""The generalization cost of groups and their deficit under the rules, kept up to date while records move.

The cost of a group is its size times its extent: the sum, over columns, of the width of an interval, the cost of a
hierarchy node, or the cost of a set of labels.

Each group has a summary: on each line or hierarchy the two lowest and the two highest coordinates, the labels
present, and the labels that only one member has. With it, the extent after one record leaves and another joins takes
a few dozen operations, whatever the size of the group. A summary is computed again only when its group changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


class RecordArrays(NamedTuple):
    """Records, by kind of column: lines first, then hierarchies ("trees"), then sets of labels as bits."""

    spans: Floats
    """(n, n_lines + n_trees): coordinates; on a hierarchy, the rank of the leaf in depth-first order."""
    trees: Ints
    """(n_lines + n_trees, 2): where the column begins in `joints`, and its number of leaves; 0 leaves for a line, -1
    for a line of ranks."""
    joints: Floats
    """For range queries, per hierarchy, exponent e and leaf a: the cost of the lowest node above a .. a + 2^e. For a
    line of ranks, the cost of a difference of 0, 1, 2 ... ranks."""
    powers: Ints
    """powers[m] is the exponent of the largest power of two that is at most m."""
    words: Words
    """(n, n_words): the labels of each record, one bit per label."""
    part_word: Ints
    """(n_parts,): the word that holds this part of a column's labels."""
    part_mask: Words
    """(n_parts,): the bits of that word which belong to the part."""
    part_costs: Ints
    """(n_parts,): where the costs of the column's sets begin in `set_costs`; -1 if it continues with the next
    part."""
    set_costs: Floats
    """The cost of a set of 1, 2, 3 ... labels, column after column."""


class Rules(NamedTuple):
    """Requirements on groups besides their size. A violation is not forbidden but adds to the cost."""

    codes: Ints
    """(n, n_rules): the value of each record that the rule counts; negative for a record that it does not count."""
    at_least: Floats
    """(n_rules,): the rule's l."""
    shares: npt.NDArray[np.bool_]
    """(n_rules,): True if no value may have a share above 1 / l; False if l different values are required."""
    price: float
    """The cost of each missing value and of each record above the allowed share."""


class Groups(NamedTuple):
    """`members[g, :size[g]]` are the records of group g; its cost is size x extent + price x deficit."""

    label: Ints
    members: Ints
    size: Ints
    extent: Floats
    deficit: Floats
    ends: Floats
    """(n_groups, n_lines + n_trees, 4): lowest, second lowest, highest and second highest coordinate."""
    bits: Words
    """(n_groups, n_words, 2): the labels of any member, and the labels that exactly one member has."""


@inlined
def _ones(x: np.uint64) -> int:
    """Return the number of bits set in a 64-bit word."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def _axis_extent(records: RecordArrays, axis: int, low: float, high: float) -> float:
    """Return what a group costs on a line or hierarchy on which it reaches from `low` to `high`."""
    trees, joints = records.trees, records.joints
    if trees[axis, 1] == 0:
        return float(high - low)
    if high <= low:
        return 0.0
    first, last = int(low), int(high)
    if trees[axis, 1] < 0:
        return float(joints[trees[axis, 0] + last - first])
    power = records.powers[last - first]
    row = trees[axis, 0] + power * trees[axis, 1]
    return float(max(joints[row + first], joints[row + last - (1 << power)]))


@inlined
def _with_sets(records: RecordArrays, groups: Groups, g: int, leaves: int, joins: int, total: float) -> float:
    """Return `total` and what the sets of labels cost once `leaves` has left and `joins` has joined."""
    words, bits = records.words, groups.bits
    word, n_labels = int64(-1), 0
    held = np.uint64(0)
    for part in range(len(records.part_word)):
        if records.part_word[part] != word:
            word = records.part_word[part]
            held = bits[g, word, 0]
            if leaves >= 0:
                held &= ~(bits[g, word, 1] & words[leaves, word])
            if joins >= 0:
                held |= words[joins, word]
        n_labels += _ones(held & records.part_mask[part])
        if records.part_costs[part] >= 0:
            if n_labels > 1:
                total += records.set_costs[records.part_costs[part] + n_labels - 1]
            n_labels = 0
    return total


@inner
def extent_with(records: RecordArrays, groups: Groups, g: int, leaves: int, joins: int) -> float:
    """Return the extent that group g has once its record `leaves` has left and `joins` has joined (-1: no record)."""
    spans, ends = records.spans, groups.ends
    total = 0.0
    for axis in range(spans.shape[1]):
        low, high = ends[g, axis, 0], ends[g, axis, 2]
        if leaves >= 0:
            leaving = spans[leaves, axis]
            if leaving == low:
                low = ends[g, axis, 1]
            if leaving == high:
                high = ends[g, axis, 3]
        if joins >= 0:
            low, high = min(low, spans[joins, axis]), max(high, spans[joins, axis])
        total += _axis_extent(records, axis, low, high)
    return _with_sets(records, groups, g, leaves, joins, total)


@inner
def extent_if_joined(records: RecordArrays, groups: Groups, g: int, joins: int, most: float) -> float:
    """Return the extent of group g once record `joins` has joined; if that is more than `most`, any such number."""
    total = 0.0
    for axis in range(records.spans.shape[1]):
        x = records.spans[joins, axis]
        total += _axis_extent(records, axis, min(groups.ends[g, axis, 0], x), max(groups.ends[g, axis, 2], x))
        if total > most:
            return total
    return _with_sets(records, groups, g, int64(-1), joins, total)


@inner
def join_first(records: RecordArrays, groups: Groups, g: int, joins: int, joined: Floats) -> None:
    """Write to `joined` what `extent_joined` needs to know of group g once record `joins` is in it.

    That is, for each line or hierarchy: the lowest coordinate of the group; with `joins`, the lowest, and the lowest
    if a record of the lowest leaves; the same for the highest; and the cost if nobody leaves.
    """
    ends = groups.ends
    for axis in range(ends.shape[1]):
        x = records.spans[joins, axis]
        joined[axis, 0], joined[axis, 3] = ends[g, axis, 0], ends[g, axis, 2]
        joined[axis, 1], joined[axis, 4] = min(ends[g, axis, 0], x), max(ends[g, axis, 2], x)
        joined[axis, 2], joined[axis, 5] = min(ends[g, axis, 1], x), max(ends[g, axis, 3], x)
        joined[axis, 6] = _axis_extent(records, axis, joined[axis, 1], joined[axis, 4])


@inner
def extent_joined(
    records: RecordArrays, groups: Groups, g: int, leaves: int, joins: int, joined: Floats, most: float
) -> float:
    """Return what `extent_with` returns; if that is more than `most`, any such number.

    `joined` is written by `join_first`: most records that leave change the extent on few axes, or on none.
    """
    total = 0.0
    for axis in range(joined.shape[0]):
        cost = joined[axis, 6]
        if leaves >= 0:
            x = records.spans[leaves, axis]
            low = joined[axis, 2] if x == joined[axis, 0] else joined[axis, 1]
            high = joined[axis, 5] if x == joined[axis, 3] else joined[axis, 4]
            if low != joined[axis, 1] or high != joined[axis, 4]:
                cost = _axis_extent(records, axis, low, high)
        total += cost
        if total > most:
            return float(total)
    return _with_sets(records, groups, g, leaves, joins, total)


@inner
def deficit_of(rules: Rules, groups: Groups, g: int, leaves: int, joins: int) -> float:
    """Return the deficit that group g has once `leaves` has left and `joins` has joined (-1: no record).

    The deficit is the number of missing different values, or of records above the allowed share, over all rules; it
    is 0 if the group meets every rule.
    """
    codes, at_least, shares, _price = rules
    members, size = groups.members[g], groups.size[g]
    total = 0.0
    for rule in range(codes.shape[1]):
        share, different, most, n = shares[rule], 0, 0, 0
        for p in range(size + 1):
            r = members[p] if p < size else joins
            if r < 0 or (p < size and r == leaves) or codes[r, rule] < 0:
                continue
            n += 1
            count = 1
            for e in range(p):
                other = members[e]
                if other != leaves and codes[other, rule] == codes[r, rule]:
                    count += 1
                    if not share:
                        break  # a value seen before; how often it was seen matters to shares only
            different += count == 1
            most = max(most, count)
            if not share and different >= at_least[rule]:
                break  # nothing is missing, whatever the other members have
        missing = most - n / at_least[rule] if share else at_least[rule] - different
        total += max(0.0, missing)
    return total


@inner
def sum_up(records: RecordArrays, rules: Rules, groups: Groups, g: int) -> None:
    """Compute the summary, the extent and the deficit of group g from its members; an empty group costs 0."""
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
def group_cost(rules: Rules, groups: Groups, g: int) -> float:
    """Return the cost of group g: size x extent + price x deficit."""
    return float(groups.extent[g] * groups.size[g] + rules.price * groups.deficit[g])


@inner
def shift(records: RecordArrays, rules: Rules, groups: Groups, r: int, h: int) -> float:
    """Move record r from its group, if it has one, to group h, and return the change of the total cost."""
    label, members, size = groups.label, groups.members, groups.size
    g = label[r]
    before = group_cost(rules, groups, h)
    if g >= 0:
        before += group_cost(rules, groups, g)
        size[g] -= 1
        for p in range(size[g]):
            if members[g, p] == r:
                members[g, p] = members[g, size[g]]
        sum_up(records, rules, groups, g)
        before -= group_cost(rules, groups, g)
    members[h, size[h]] = r
    size[h] += 1
    label[r] = h
    sum_up(records, rules, groups, h)
    return group_cost(rules, groups, h) - before


@jit
def measure_groups(records: RecordArrays, rules: Rules, groups: Groups) -> None:
    """Compute the summary, the extent and the deficit of every group from its members."""
    for g in range(len(groups.size)):
        sum_up(records, rules, groups, g)
