"""Enumerating the cells of a table, and pricing them for a lower bound on the generalization cost.

A cell consists of all records below one hierarchy node, or inside one interval, per column.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]


@inner
def _copy_sorted(some: Ids, n: int, target: Ids, first: int, keys: Floats, row: int) -> None:
    """Copy some[:n] to target[first:], sorted by a row of `keys`. Shell sort: there are many, mostly short runs."""
    for i in range(n):
        target[first + i] = some[i]
    end, gap = first + n, int64(1)
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, end):
            record = target[i]
            j = i
            while j >= first + gap and keys[row, target[j - gap]] > keys[row, record]:
                target[j] = target[j - gap]
                j -= gap
            target[j] = record
        gap //= 3


@jit
def walk_cells(
    coordinates: Floats,
    trees: Ints,
    ancestors: Ids,
    node_cost: Floats,
    counts: Ints,
    k: int,
    limit: Floats,
    shrink: bool,
    most_work: int,
    most_members: int,
    members: Ids,
    starts: Ints,
    costs: Floats,
    numbers: Ids,
    some: Ids,
    state: Ints,
    price_of: Floats,
) -> tuple[int, int]:
    """Enumerate all cells of at least `k` records that cost less than the `limit` of one of their records.

    Returns the number of cells and the total number of their members, or (-1, 0) if more than `most_work` records
    were touched or more than `most_members` members found. Without `shrink`, cells are written to `members`, `starts`
    and `costs` as far as these have room. With `shrink`, the limit of each record is lowered to the cost of its
    cheapest cell instead, and costlier cells are skipped. A cell with the same records as a cheaper one may be
    omitted.

    `coordinates` (axes + 1, records) belong to different records, of which record i occurs counts[i] times; the last
    row has the `numbers` by which members are sorted. Row j of `trees` has the number of levels of axis j (0 for a
    line, -1 for a line of ranks) and where it begins in `ancestors` and `node_cost`. The other arrays are work space.

    The search goes axis by axis. The records that fit the choices on the earlier axes are sorted by the current axis,
    so that a hierarchy node or an interval holds a contiguous run of them. A run whose records have a common node one
    level lower is not a new cell. A run with too few records, or with a cost that reaches the limit of each of its
    records, contains no cell.
    """
    n_axes, n = coordinates.shape[0] - 1, coordinates.shape[1]
    n_cells, n_members, work, depth = int64(0), int64(0), int64(0), int64(0)
    first, last, end, level = state[0], state[1], state[2], state[3]
    cost, highest_limit = price_of[0], price_of[1]
    highest_limit[0] = 0.0
    for i in range(n):
        highest_limit[0] = max(highest_limit[0], limit[i])
    _copy_sorted(numbers, n, some[0], int64(0), coordinates, int64(0))
    end[0], level[0], first[0], last[0], cost[0] = n, 0, 0, 0, 0.0
    while depth >= 0:
        here, x = some[depth], coordinates[depth]
        n_levels, above, priced = trees[depth]
        # Find the next run, from `begin` to `stop`, and its cost.
        if n_levels > 0:
            begin = last[depth]
            if begin == end[depth]:
                begin = int64(0)
                level[depth] += 1
            h = level[depth]
            if h > n_levels:
                depth -= 1
                continue
            at, width = above + h, n_levels + 1
            node, stop = ancestors[at + int64(x[here[begin]]) * width], begin
            while stop < end[depth] and ancestors[at + int64(x[here[stop]]) * width] == node:
                stop += 1
            price = cost[depth] + node_cost[priced + h + int64(x[here[begin]]) * width]
        else:
            begin, stop = first[depth], last[depth]
            if stop < end[depth]:
                wide = x[here[stop]] - x[here[begin]]
                price = cost[depth] + (wide if n_levels == 0 else node_cost[priced + int64(wide)])
            if stop == end[depth] or price >= highest_limit[depth]:
                while begin < end[depth] and x[here[begin]] == x[here[first[depth]]]:
                    begin += 1
                if begin == end[depth]:
                    depth -= 1
                    continue
                first[depth], stop, price = begin, begin, cost[depth]
            edge = x[here[stop]]
            while stop < end[depth] and x[here[stop]] == edge:
                stop += 1
        last[depth] = stop
        size, most = int64(0), 0.0
        for i in range(begin, stop):
            size += counts[here[i]]
            most = max(most, limit[here[i]])
        work += stop - begin
        if work > most_work:
            return int64(-1), int64(0)
        if size < k or price >= most:
            continue
        if n_levels > 0 and h > 0:
            low, high = int64(x[here[begin]]), int64(x[here[stop - 1]])
            if ancestors[at - 1 + low * width] == ancestors[at - 1 + high * width]:
                continue
        if depth + 1 < n_axes:
            depth += 1
            _copy_sorted(here[begin:], stop - begin, some[depth], int64(0), coordinates, depth)
            end[depth], cost[depth], highest_limit[depth] = stop - begin, price, most
            level[depth] = first[depth] = last[depth] = 0
        elif shrink:
            for i in range(begin, stop):
                limit[here[i]] = min(limit[here[i]], price)
        else:
            found = n_members + stop - begin
            if found <= len(members) and n_cells < len(costs):
                _copy_sorted(here[begin:], stop - begin, members, n_members, coordinates, n_axes)
                costs[n_cells] = price
                starts[n_cells + 1] = found
            n_members = found
            n_cells += 1
            if n_members > most_members:
                return int64(-1), int64(0)
    return n_cells, n_members


@inner
def _largest_duals(
    members: Ids, first: int, end: int, counts: Ints, dual: Floats, most: Floats, k: int, who: Ints, times: Ints
) -> tuple[int, float]:
    """Find the k records of a cell with the largest duals; return the number of different ones and the sum of duals.

    The different records are written to `who`, and how often each is taken to `times`. Members are sorted by `most`,
    an upper bound on their duals, largest first, so that the search can end early.
    """
    n, have = int64(0), int64(0)
    for i in range(first, end):
        p = int64(members[i])
        if have >= k:
            if most[p] <= dual[who[n - 1]]:
                break
            if dual[p] <= dual[who[n - 1]]:
                continue
        place = n
        while place > 0 and dual[who[place - 1]] < dual[p]:
            who[place] = who[place - 1]
            place -= 1
        who[place] = p
        n += 1
        have += min(counts[p], k)
        while have - min(counts[who[n - 1]], k) >= k:
            have -= min(counts[who[n - 1]], k)
            n -= 1
    left, total = k, 0.0
    for place in range(n):
        times[place] = min(left, counts[who[place]])
        left -= times[place]
        total += times[place] * dual[who[place]]
    return n, total


@jit
def adjust_openings(
    members: Ids,
    starts: Ints,
    costs: Floats,
    begin: int,
    end: int,
    counts: Ints,
    k: int,
    dual: Floats,
    most: Floats,
    opened: Floats,
    step: float,
    risen: float,
    until: Floats,
    load: Floats,
) -> None:
    """Take one step of the subgradient method for the cells begin .. end - 1.

    The opening of a cell rises in proportion to how far the k largest duals among its records exceed k times its
    cost, and falls (down to 0) if they are below. `load` becomes the sum, for each record, of the openings of the
    cells in which it is one of those k. `risen` is the most that a dual can have risen since the first round: a cell
    with opening 0 is skipped while `risen` is below until[v], as its duals cannot yet pay for it.
    """
    who, times = np.empty((2, k + 1), np.int64)
    load[:] = 0.0
    for v in range(begin, end):
        if risen < until[v]:
            continue
        n, total = _largest_duals(members, starts[v], starts[v + 1], counts, dual, most, k, who, times)
        opened[v] = max(0.0, opened[v] + step * (total - k * costs[v]))
        if opened[v] == 0.0:
            until[v] = risen + (costs[v] - total / k)
        else:
            for place in range(n):
                load[who[place]] += opened[v] * times[place]


@jit
def feasible_shares(
    members: Ids, starts: Ints, costs: Floats, counts: Ints, k: int, dual: Floats, most: Floats, share: Floats
) -> None:
    """Write the `share` by which each dual must be scaled so that no k records of a cell exceed k times its cost."""
    who, times = np.empty((2, k + 1), np.int64)
    share[:] = 1.0
    for v in range(len(costs)):
        _, total = _largest_duals(members, starts[v], starts[v + 1], counts, dual, most, k, who, times)
        if total > k * costs[v]:
            for i in range(starts[v], starts[v + 1]):
                share[members[i]] = min(share[members[i]], k * costs[v] / total)


@jit
def take_cells(members: Ids, starts: Ints, order: Ints, counts: Ints, k: int, label: Ints, group: int) -> int:
    """Form groups from cells in the given order: the still ungrouped records of a cell, if they are at least k.

    Ungrouped records have the label -1. Groups are numbered from `group` on; returns the next unused number.
    """
    for v in order:
        size = int64(0)
        for i in range(starts[v], starts[v + 1]):
            if label[members[i]] < 0:
                size += counts[members[i]]
        if size >= k:
            for i in range(starts[v], starts[v + 1]):
                if label[members[i]] < 0:
                    label[members[i]] = group
            group += 1
    return group
