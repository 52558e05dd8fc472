"""How far groups are from meeting limits on their sensitive values, counted per type of record.

A type is a combination of sensitive values; a group is a list of types with the number of its records of each. Every
limit is a convex function of these numbers that grows with the size of the group, 0 where the limit is met:

closeness   size x (distance from the whole table - t). Each ground distance is a weighted sum, over features, of the
            differences between the shares of the group and of the table: a feature is a value, a node of a
            hierarchy, or all values up to one.
frequency   records of the most frequent value beyond a share of 1 / l
entropy     size x (log l - entropy)
recursive   r1 - c (r_l + r_{l+1} + ...)
band        for every value, records beyond its highest share and records that its lowest share lacks
distinct    missing different values; this one is not convex
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLOSENESS, FREQUENCY, ENTROPY, RECURSIVE, DISTINCT, BAND = 0, 1, 2, 3, 4, 5
ROUNDING = 5e-10
"""A distance may exceed t by this much: half of what the requirement itself allows for rounding."""


class Limits(NamedTuple):
    """What every group must meet. Limit i has the kind `kind[i]` and the parameters `bound[i]` and `second[i]`."""

    kind: Ints
    bound: Floats
    """t, or l; not used by a band."""
    second: Floats
    """c of the recursive kind."""
    codes: Ints
    """(n_limits, n_types): the value of each type that a limit on values counts; -1 if it counts none."""
    lowest: Floats
    """(n_limits, n_values): for a band, the lowest share of each value among those that count."""
    highest: Floats
    """(n_limits, n_values): for a band, the highest share of each value."""
    feature_limit: Ints
    """(n_features,): the limit of closeness to which each feature belongs."""
    weights: Floats
    """(n_features,): the weight of each feature in the distance."""
    whole: Floats
    """(n_features,): the share of the whole table that has each feature."""
    start: Ints
    """(n_types + 1,): the features of type v are features[start[v]:start[v + 1]]."""
    features: Ints


@inner
def shortage(
    limits: Limits,
    types: Ints,
    counts: Floats,
    falling: float,
    small: float,
    scale: Floats,
    held: Floats,
    slope: Floats,
) -> float:
    """Return by how much a group misses the limits in all, and fill `slope` with its derivative by each count.

    The group has counts[i] records of type types[i]. While it has more than `small` records, t is multiplied by
    (small / size) ** falling: large groups that will be cut further must be closer. `scale` (features) and `held`
    (values) are work space; `held` must be 0 and is left so.
    """
    size = 0.0
    for i in range(len(types)):
        size += counts[i]
        slope[i] = 0.0
    if size == 0.0:
        return 0.0
    total = 0.0
    if len(limits.weights) > 0:
        total += _distances(limits, types, counts, size, falling, small, scale, slope)
    for one in range(len(limits.kind)):
        if limits.kind[one] == BAND:
            total += _outside(limits, one, types, counts, held, slope)
        elif limits.kind[one] != CLOSENESS:
            total += _too_alike(limits, one, types, counts, held, slope)
    return total


@inner
def _distances(
    limits: Limits,
    types: Ints,
    counts: Floats,
    size: float,
    falling: float,
    small: float,
    scale: Floats,
    slope: Floats,
) -> float:
    """Return the shortage under all limits of closeness, and add its derivative to `slope`."""
    n_features = len(limits.weights)
    scale[:n_features] = 0.0
    for i in range(len(types)):
        if counts[i] > 0.0:
            for at in range(limits.start[types[i]], limits.start[types[i] + 1]):
                scale[limits.features[at]] += counts[i]
    part = 1.0 if falling == 0.0 or size <= small else (small / size) ** falling
    total, shared, first = 0.0, 0.0, 0
    while first < n_features:  # the features of one limit are consecutive
        one = limits.feature_limit[first]
        far, end = 0.0, first
        while end < n_features and limits.feature_limit[end] == one:
            far += limits.weights[end] * abs(scale[end] - limits.whole[end] * size)
            end += 1
        missed = far - limits.bound[one] * part * size
        if missed > ROUNDING * size:
            total += missed
            shared -= limits.bound[one] * part
            for f in range(first, end):
                scale[f] = limits.weights[f] if scale[f] > limits.whole[f] * size else -limits.weights[f]
                shared -= scale[f] * limits.whole[f]
        else:
            scale[first:end] = 0.0
        first = end
    if total > 0.0:
        for i in range(len(types)):
            rise = shared
            for at in range(limits.start[types[i]], limits.start[types[i] + 1]):
                rise += scale[limits.features[at]]
            slope[i] += rise
    return total


@inner
def _outside(limits: Limits, one: int, types: Ints, counts: Floats, held: Floats, slope: Floats) -> float:
    """Return by how many records values lie outside their bands of shares, and add the derivative to `slope`."""
    codes, lowest, highest = limits.codes[one], limits.lowest[one], limits.highest[one]
    size = 0.0
    for i in range(len(types)):
        value = codes[types[i]]
        if value >= 0 and counts[i] > 0.0:
            held[value] += counts[i]
            size += counts[i]
    # `shared` is the derivative by the size; values that the group lacks are added first, and present ones taken out
    absent = 0.0
    for value in range(len(lowest)):
        absent += lowest[value]
    missed, shared = 0.0, 0.0
    for i in range(len(types)):
        value = codes[types[i]]
        if value < 0 or held[value] <= 0.0:  # each value once: below, what has been looked at is negative
            continue
        absent -= lowest[value]
        if held[value] - highest[value] * size > ROUNDING * size:
            missed += held[value] - highest[value] * size
            shared -= highest[value]
        elif lowest[value] * size - held[value] > ROUNDING * size:
            missed += lowest[value] * size - held[value]
            shared += lowest[value]
        held[value] = -held[value]
    if absent * size > 2.0 * ROUNDING * size * len(lowest):
        missed += absent * size
        shared += absent
    if missed > 0.0:
        for i in range(len(types)):
            value = codes[types[i]]
            if value < 0:
                continue
            own = abs(held[value])
            slope[i] += shared
            if own - highest[value] * size > ROUNDING * size:
                slope[i] += 1.0
            elif lowest[value] * size - own > ROUNDING * size:
                slope[i] -= 1.0
    for i in range(len(types)):
        if codes[types[i]] >= 0:
            held[codes[types[i]]] = 0.0
    return missed


@inner
def _too_alike(limits: Limits, one: int, types: Ints, counts: Floats, held: Floats, slope: Floats) -> float:
    """Return the shortage under one limit of diversity, and add its derivative to `slope`."""
    kind, bound, codes = limits.kind[one], limits.bound[one], limits.codes[one]
    size, different, most = 0.0, 0, 0.0
    for i in range(len(types)):
        value = codes[types[i]]
        if value >= 0 and counts[i] > 0.0:
            different += held[value] == 0.0
            held[value] += counts[i]
            size += counts[i]
            most = max(most, held[value])
    missed = 0.0
    if kind == DISTINCT:
        missed = max(0.0, bound - different)
    elif size == 0.0:
        missed = 1.0
    elif kind == FREQUENCY:
        missed = most - size / bound
    elif kind == ENTROPY:
        missed = size * np.log(bound / size)
        for i in range(len(types)):
            value = codes[types[i]]
            if value >= 0 and counts[i] > 0.0:  # a value of several types adds up to held x log(held)
                missed += counts[i] * np.log(held[value])
    else:
        missed = _recursive(limits, one, types, held, size, most)
    if missed <= ROUNDING * max(size, 1.0) and kind != RECURSIVE:
        missed = 0.0
    if missed > 0.0:
        for i in range(len(types)):
            value = codes[types[i]]
            if value < 0:
                continue
            if kind == FREQUENCY:
                slope[i] += (1.0 if held[value] == most else 0.0) - 1.0 / bound
            elif kind == ENTROPY:
                slope[i] += np.log(bound * max(held[value], 0.5) / max(size, 0.5))
            elif kind == RECURSIVE:
                slope[i] += (1.0 if held[value] == most else 0.0) - limits.second[one]
            elif held[value] == 0.0:
                slope[i] -= 1.0
    for i in range(len(types)):
        if codes[types[i]] >= 0:
            held[codes[types[i]]] = 0.0
    return max(missed, 0.0)


@inner
def _recursive(limits: Limits, one: int, types: Ints, held: Floats, size: float, most: float) -> float:
    """Return r1 - c (r_l + r_{l+1} + ...), where r1 is the most frequent value; above 0 where it is not smaller."""
    codes, found, n_found = limits.codes[one], np.empty(len(types)), 0
    for i in range(len(types)):
        value = codes[types[i]]
        if value >= 0 and held[value] > 0.0:
            found[n_found] = held[value]
            n_found += 1
            held[value] = -held[value]  # each value once
    falling = -np.sort(-found[:n_found])
    tail = size
    for place in range(min(n_found, int(np.ceil(limits.bound[one])) - 1)):
        tail -= falling[place]
    for i in range(len(types)):
        value = codes[types[i]]
        if value >= 0:
            held[value] = abs(held[value])
    missed = most - limits.second[one] * tail
    return missed + 1e-6 if missed > -2e-9 else 0.0  # equal sides must fail


@jit
def shortages(
    limits: Limits, labels: Ints, types: Ints, n_groups: int, order: Ints, scale: Floats, held: Floats
) -> Floats:
    """Return the shortage of every group; `order` lists the records of group 0, then those of group 1, and so on."""
    found, begin = np.zeros(n_groups), 0
    while begin < len(order):
        g, end = labels[order[begin]], begin
        while end < len(order) and labels[order[end]] == g:
            end += 1
        own = np.sort(types[order[begin:end]])
        kinds, counts, n_kinds = np.empty(len(own), np.int64), np.zeros(len(own)), 0
        for i in range(len(own)):
            if i == 0 or own[i] != own[i - 1]:
                kinds[n_kinds] = own[i]
                n_kinds += 1
            counts[n_kinds - 1] += 1.0
        found[g] = shortage(limits, kinds[:n_kinds], counts[:n_kinds], 0.0, 0.0, scale, held, np.empty(n_kinds))
        begin = end
    return found
