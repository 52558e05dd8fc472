"""Cutting records into groups that keep limits on sensitive values: what a part has too many of stays behind.

A cut takes a part of a group's cells on one column (a range, the leaves of a node, some labels) and moves its records
to a group of their own: as many of each type as both groups can spare or take under the limits. Of a part that does
not meet them as a whole, some records stay with the rest, which keeps the cell of the whole group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.generalization_annealing import random_below
from shoal.kernels.group_limits import Limits, shortage

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

LINE, RANKS, TREE, SET = 0, 1, 2, 3
MOST_CUTS = 16
"""A line is cut at most at this many places, which divide the records of a group evenly."""
MOST_UNITS = 256
"""Values, nodes or labels of one column that are told apart in one group; those beyond are taken together."""
SHRINK = 0.9
"""If no single type that leaves a part brings it nearer to the limits, the part shrinks to this share of itself."""
MOST_STEPS = 2000


class Columns(NamedTuple):
    """The columns of the records, whose cells are ranges, nodes of hierarchies or sets of labels."""

    ranks: Ints
    """(n, d): the rank of each value in its column; on a hierarchy, of the leaf in depth-first order."""
    kind: Ints
    costs_at: Ints
    """(d,): where the column begins in `costs`: the values of a line, the costs of a range of 1, 2, ... ranks or of a
    set of 1, 2, ... labels, or those of the nodes above each leaf."""
    nodes_at: Ints
    """(d,): where a hierarchy begins in `nodes`."""
    n_levels: Ints
    """(d,): levels of a hierarchy, with leaves and root; 0 for other columns."""
    costs: Floats
    nodes: Ints


class Work(NamedTuple):
    """Work space of one thread: see `work_for`."""

    scale: Floats
    held: Floats
    place: Ints
    """(n_types,): the place of a type in the list of those of the current group; -1 if it is not there."""


@inner
def _line_cost(columns: Columns, axis: int, low: int, high: int) -> float:
    """Return what a range costs from rank `low` to rank `high`."""
    at = columns.costs_at[axis]
    if columns.kind[axis] == LINE:
        return float(columns.costs[at + high] - columns.costs[at + low])
    return float(columns.costs[at + high - low])


@inner
def _level(columns: Columns, axis: int, low: int, high: int) -> int:
    """Return the level of the lowest node above the leaves `low` and `high`."""
    at, width, level = columns.nodes_at[axis], columns.n_levels[axis], 0
    while columns.nodes[at + low * width + level] != columns.nodes[at + high * width + level]:
        level += 1
    return level


@inner
def _node_cost(columns: Columns, axis: int, low: int, high: int) -> float:
    """Return what the lowest node above the leaves `low` and `high` costs."""
    width = columns.n_levels[axis]
    return float(columns.costs[columns.costs_at[axis] + low * width + _level(columns, axis, low, high)])


@inner
def _units(columns: Columns, axis: int, rows: Ints, most: int, unit: Ints, low: Ints, high: Ints) -> int:
    """Divide the values of the rows into consecutive units, and return how many there are.

    `unit` is filled with that of each row, `low` and `high` with the first and last rank in each unit; on a set of
    labels, units go from the most frequent label to the rarest, and `high` has the number of labels.
    """
    own = np.empty(len(rows), np.int64)
    for p in range(len(rows)):
        own[p] = columns.ranks[rows[p], axis]
    ordered = np.sort(own)
    n, kind = len(rows), columns.kind[axis]
    n_units = int64(0)
    if kind in (LINE, RANKS):
        cuts = min(most, MOST_CUTS)
        low[0] = ordered[0]
        n_units = 1
        for c in range(1, cuts):
            x = ordered[c * n // cuts]
            if x > low[n_units - 1]:
                low[n_units] = x
                n_units += 1
        for p in range(n):
            unit[p] = np.searchsorted(low[:n_units], own[p], side="right") - 1
        u = n_units - 1
        high[u] = ordered[n - 1]
        for p in range(n - 1, -1, -1):
            if ordered[p] < low[u]:
                u -= 1
                high[u] = ordered[p]
        return n_units
    values, counts, n_values = np.empty(n, np.int64), np.zeros(n, np.int64), 0
    for p in range(n):
        if p == 0 or ordered[p] != ordered[p - 1]:
            values[n_values] = ordered[p]
            n_values += 1
        counts[n_values - 1] += 1
    values = values[:n_values]
    of_value = np.empty(n_values, np.int64)
    if kind == SET:
        order = np.argsort(-counts[:n_values], kind="mergesort")
        n_units = min(n_values, most)
        for i in range(n_values):
            u = min(i, n_units - 1)
            of_value[order[i]] = u
            high[u] = 1 if i == u else high[u] + 1
    else:
        at, width, level = columns.nodes_at[axis], columns.n_levels[axis], 0
        while True:  # the lowest level with few enough nodes
            n_units = 0
            for i in range(n_values):
                node = columns.nodes[at + values[i] * width + level]
                if i == 0 or node != columns.nodes[at + values[i - 1] * width + level]:
                    if n_units < most:
                        low[n_units] = values[i]
                    n_units += 1
                if n_units <= most:
                    of_value[i] = n_units - 1
                    high[n_units - 1] = values[i]
            if n_units <= most:
                break
            level += 1
    for p in range(n):
        unit[p] = of_value[np.searchsorted(values, own[p])]
    return n_units


@inner
def _parts(columns: Columns, axis: int, n_units: int, low: Ints, high: Ints, parts: Ints, costs: Floats) -> int:
    """List the parts of a column that may be cut off, as first and last unit, and return how many there are.

    costs[i] has the cost of a cell of the part, of the units outside it, and of all units.
    """
    kind, last, n_parts = columns.kind[axis], n_units - 1, 0
    if kind == SET:
        at, n_labels = columns.costs_at[axis], 0
        for u in range(n_units):
            n_labels += high[u]
        before, wait = 0, 0
        for u in range(last):
            before += high[u]
            if wait > 0:  # beyond the first few, only some numbers of labels are tried
                wait -= 1
                continue
            wait = u // 4
            inside, outside = columns.costs[at + before - 1], columns.costs[at + n_labels - before - 1]
            whole = columns.costs[at + n_labels - 1]
            parts[n_parts, 0], parts[n_parts, 1] = 0, u
            costs[n_parts, 0], costs[n_parts, 1], costs[n_parts, 2] = inside, outside, whole
            parts[n_parts + 1, 0], parts[n_parts + 1, 1] = u + 1, last
            costs[n_parts + 1, 0], costs[n_parts + 1, 1], costs[n_parts + 1, 2] = outside, inside, whole
            n_parts += 2
            if u > 0:
                parts[n_parts, 0], parts[n_parts, 1] = u, u
                costs[n_parts, 0], costs[n_parts, 2] = 0.0, whole
                costs[n_parts, 1] = columns.costs[at + n_labels - 2]
                n_parts += 1
        return n_parts
    if kind in (LINE, RANKS):
        whole = _line_cost(columns, axis, low[0], high[last])
        for u in range(last):
            below, above = (
                _line_cost(columns, axis, low[0], high[u]),
                _line_cost(columns, axis, low[u + 1], high[last]),
            )
            parts[n_parts, 0], parts[n_parts, 1] = 0, u
            costs[n_parts, 0], costs[n_parts, 1], costs[n_parts, 2] = below, above, whole
            parts[n_parts + 1, 0], parts[n_parts + 1, 1] = u + 1, last
            costs[n_parts + 1, 0], costs[n_parts + 1, 1], costs[n_parts + 1, 2] = above, below, whole
            n_parts += 2
        return n_parts
    whole, width, at = _node_cost(columns, axis, low[0], high[last]), columns.n_levels[axis], columns.nodes_at[axis]
    for level in range(_level(columns, axis, low[0], high[last])):
        first = 0
        for u in range(n_units):
            node = columns.nodes[at + low[u] * width + level]
            if u < last and columns.nodes[at + low[u + 1] * width + level] == node:
                continue
            same = (
                level > 0
                and columns.nodes[at + low[first] * width + level - 1]
                == (columns.nodes[at + high[u] * width + level - 1])
            )
            if not same:  # else the node below has the same leaves here
                begin, end = 0 if first > 0 else u + 1, last if u < last else first - 1
                parts[n_parts, 0], parts[n_parts, 1] = first, u
                costs[n_parts, 0] = _node_cost(columns, axis, low[first], high[u])
                costs[n_parts, 1] = _node_cost(columns, axis, low[begin], high[end])
                costs[n_parts, 2] = whole
                n_parts += 1
            first = u + 1
    return n_parts


@inner
def _spare(
    limits: Limits,
    types: Ints,
    part: Floats,
    rest: Floats,
    k: int,
    least: float,
    falling: float,
    small: float,
    work: Work,
    slopes: Floats,
    blocked: npt.NDArray[np.bool_],
) -> bool:
    """Take records out of `part` and into `rest` until both meet the limits; whether that leaves k in either.

    The type is taken by which the shortage of both falls fastest. It ends without success as soon as records were
    taken and no more than `least` are left.
    """
    near, far = slopes[0], slopes[1]
    size = whole = part.sum()
    blocked[:] = False
    short = shortage(limits, types, part, falling, small, work.scale, work.held, near)
    short += shortage(limits, types, rest, falling, small, work.scale, work.held, far)
    for _ in range(MOST_STEPS):
        if short <= 0.0 or size < k or (size <= least and size < whole):
            break
        best, steepest = int64(-1), 0.0
        for i in range(len(types)):
            if part[i] >= 1.0 and not blocked[i] and (best < 0 or far[i] - near[i] < steepest):
                best, steepest = i, far[i] - near[i]
        if best < 0:
            size = 0.0
            for i in range(len(types)):
                left = np.floor(SHRINK * part[i])
                rest[i] += part[i] - left
                part[i] = left
                size += left
            blocked[:] = False
            short = shortage(limits, types, part, falling, small, work.scale, work.held, near)
            short += shortage(limits, types, rest, falling, small, work.scale, work.held, far)
            continue
        amount = 1.0
        if steepest < -1e-9:
            amount = min(part[best], max(1.0, np.floor(-short / steepest)))
        while True:
            part[best] -= amount
            rest[best] += amount
            now = shortage(limits, types, part, falling, small, work.scale, work.held, near)
            now += shortage(limits, types, rest, falling, small, work.scale, work.held, far)
            if now < short - 1e-12:
                short, size = now, size - amount
                blocked[:] = False
                break
            part[best] += amount
            rest[best] -= amount
            if amount <= 1.0:
                blocked[best] = True
                shortage(limits, types, part, falling, small, work.scale, work.held, near)
                shortage(limits, types, rest, falling, small, work.scale, work.held, far)
                break
            amount = np.floor(amount / 2)
    return bool(short <= 0.0 and size >= k and (size == whole or size > least) and rest.sum() >= k)


@inner
def _cut(
    columns: Columns,
    limits: Limits,
    types_of: Ints,
    all_rows: Ints,
    places: Ints,
    k: int,
    falling: float,
    small: float,
    noise: float,
    state: Words,
    work: Work,
) -> int:
    """Sort `places` so that the records all_rows[places] that are cut off come first; return how many those are.

    It is 0 if no cut saves anything.
    """
    n, d = len(places), columns.ranks.shape[1]
    rows = all_rows[places]
    types, n_types = np.empty(n, np.int64), 0
    own = np.empty(n, np.int64)
    for p in range(n):
        v = types_of[rows[p]]
        if work.place[v] < 0:
            work.place[v] = n_types
            types[n_types] = v
            n_types += 1
        own[p] = work.place[v]
    types = types[:n_types]
    for i in range(n_types):
        work.place[types[i]] = -1
    whole = np.zeros(n_types)
    for p in range(n):
        whole[own[p]] += 1.0
    most = max(8, min(MOST_UNITS, (1 << 18) // n_types))
    unit, n_units = np.empty((d, n), np.int64), np.zeros(d, np.int64)
    low, high = np.zeros((2, most + 1), np.int64)
    room = 3 * most
    parts, costs = np.empty((d * room, 2), np.int64), np.empty((d * room, 3))
    axis_of, gain, n_parts = np.empty(d * room, np.int64), np.empty(d * room), 0
    factor = np.ones(d * room)
    running = np.zeros((d, min(most, n) + 1, n_types))
    for axis in range(d):
        n_units[axis] = _units(columns, axis, rows, most, unit[axis], low, high)
        if n_units[axis] < 2:
            continue
        for p in range(n):
            running[axis, unit[axis, p] + 1, own[p]] += 1.0
        for u in range(n_units[axis]):
            running[axis, u + 1] += running[axis, u]
        found = _parts(columns, axis, n_units[axis], low, high, parts[n_parts:], costs[n_parts:])
        kept = n_parts
        for i in range(n_parts, n_parts + found):
            size = 0.0
            for v in range(n_types):
                size += running[axis, parts[i, 1] + 1, v] - running[axis, parts[i, 0], v]
            best = size * (costs[i, 2] - costs[i, 0]) + (n - size) * (costs[i, 2] - costs[i, 1])
            if size < k or best <= 0.0:
                continue
            parts[kept], costs[kept], axis_of[kept] = parts[i], costs[i], axis
            if noise > 0.0:
                factor[kept] = 1.0 + noise * random_below(state, int64(1 << 30)) / (1 << 30)
            gain[kept] = best * factor[kept]
            kept += 1
        n_parts = kept
    order = np.argsort(-gain[:n_parts], kind="mergesort")
    best_gain, best = 1e-12, int64(-1)
    part, rest, taken = np.empty(n_types), np.empty(n_types), np.empty(n_types)
    slopes, blocked = np.empty((2, n_types)), np.empty(n_types, np.bool_)
    for i in order:
        if gain[i] <= best_gain:
            break
        axis, size = axis_of[i], 0.0
        for v in range(n_types):
            part[v] = running[axis, parts[i, 1] + 1, v] - running[axis, parts[i, 0], v]
            rest[v] = whole[v] - part[v]
            size += part[v]
        narrower = costs[i, 2] - costs[i, 0]
        least = best_gain / (factor[i] * narrower) if narrower > 0.0 else np.inf  # fewer save no more than the best
        if not _spare(limits, types, part, rest, k, least, falling, small, work, slopes, blocked):
            continue
        left = part.sum()
        saved = left * narrower
        if left == size:
            saved += (n - left) * (costs[i, 2] - costs[i, 1])
        if saved * factor[i] > best_gain:
            best_gain, best = saved * factor[i], i
            taken[:] = part
    if best < 0:
        return 0
    # Which records of a type leave is random: any rule would make later cuts on the same columns harder.
    axis, score = axis_of[best], np.zeros(n, np.int64)
    for p in range(n):
        if parts[best, 0] <= unit[axis, p] <= parts[best, 1]:
            score[p] = 1 + random_below(state, int64(1 << 30))
    former, front, back = places.copy(), 0, n - 1
    for p in np.argsort(-score, kind="mergesort"):
        if score[p] > 0 and taken[own[p]] >= 1.0:
            taken[own[p]] -= 1.0
            places[front] = former[p]
            front += 1
        else:
            places[back] = former[p]
            back -= 1
    return front


@jit
def cut_apart(
    columns: Columns,
    limits: Limits,
    types: Ints,
    rows: Ints,
    k: int,
    falling: float,
    small: float,
    noise: float,
    state: Words,
    work: Work,
) -> Ints:
    """Cut the records `rows`, which meet the limits together, into groups that do; return the group of each.

    A group is cut as long as that saves anything: first with the part of t that `falling` and `small` leave
    (`shortage`), then with all of it. With `noise`, what a cut saves is multiplied by a random number from 1 to 1 +
    noise before cuts are compared.
    """
    n = len(rows)
    places, found, n_groups = np.arange(n), np.empty(n, np.int64), 0
    begins, ends, depth = np.zeros(n + 2, np.int64), np.full(n + 2, n), 1
    fully = np.zeros(n + 2, np.bool_)
    while depth > 0:
        depth -= 1
        begin, end, full = begins[depth], ends[depth], fully[depth]
        cut = int64(0)
        if end - begin >= 2 * k:
            own = places[begin:end]
            if not full:
                cut = _cut(columns, limits, types, rows, own, k, falling, small, noise, state, work)
            if cut == 0 and (full or (falling > 0.0 and end - begin > small)):
                full = True
                cut = _cut(columns, limits, types, rows, own, k, 0.0, small, noise, state, work)
        if cut > 0:
            begins[depth], ends[depth], fully[depth] = begin, begin + cut, full
            begins[depth + 1], ends[depth + 1], fully[depth + 1] = begin + cut, end, full
            depth += 2
        else:
            for p in range(begin, end):
                found[places[p]] = n_groups
            n_groups += 1
    return found
