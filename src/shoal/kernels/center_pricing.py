"""Groups whose duals exceed their loss around a center: an exact search over centers, by branch and bound.

A group loses what its records lose around its center: on labels a distance to the center's label, on a line the
squared or absolute distance to the center's number. So what a group's duals exceed its loss by is largest, over all
groups with one center, for the records that have the k largest differences of dual and loss around it. The search
starts with all centers and fixes them label by label and interval by interval. Around centers that are known in part,
a record loses at least what the known part says, and the k largest differences bound the excess of every group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]


class CenterArrays(NamedTuple):
    """Points, each of which stands for counts[p] records, on axes of labels and on lines.

    A record with label x on axis a loses far[first[a] + x * sizes[a] + c] around a center with label c. On a line it
    loses the distance to the center's number, squared where `squared`; nothing where its own is missing (NaN).
    """

    counts: Ints
    codes: Ids
    far: Floats
    first: Ints
    sizes: Ints
    numbers: Floats
    squared: Marks


@inner
def _taken(top: Floats, who: Ids, k: int, value: float, place: int, amount: int) -> None:
    """Insert `place`, `amount` times, among the k largest values, which are sorted, the largest first."""
    while amount > 0 and value > top[k - 1]:
        at = k - 1
        while at > 0 and top[at - 1] < value:
            top[at], who[at] = top[at - 1], who[at - 1]
            at -= 1
        top[at], who[at] = value, place
        amount -= 1


@inner
def _apart(value: float, low: float, high: float, squared: bool) -> float:
    """Return the least that a number loses around a center from low to high."""
    if np.isnan(value):
        return 0.0
    away = max(low - value, value - high, 0.0)
    return away * away if squared else away


@inner
def _from_middle(value: float, low: float, high: float) -> float:
    """Return the squared distance from the middle of low to high, less the square of half its width.

    Added up over a group whose mean is from low to high, this is at most the group's squared error; so it is for
    every number in the place of the middle, with the distance to the farther end, and rounding does no harm.
    """
    if np.isnan(value):
        return 0.0
    middle = 0.5 * low + 0.5 * high
    half = max(high - middle, middle - low)
    away = value - middle
    return away * away - half * half


@inner
def _label_loss(points: CenterArrays, axis: int, who: Ids, k: int) -> float:
    """Return what the points who[:k] lose on an axis of labels around the best label of one of them."""
    best = np.inf
    size, first = points.sizes[axis], points.first[axis]
    for a in range(k):
        c = points.codes[who[a], axis]
        total = 0.0
        for b in range(k):
            total += points.far[first + points.codes[who[b], axis] * size + c]
        best = min(best, total)
    return best


@inner
def _line_loss(points: CenterArrays, axis: int, who: Ids, k: int) -> float:
    """Return what the points who[:k] lose on a line around their mean or median."""
    if points.squared[axis]:
        present, mean, total = 0, 0.0, 0.0
        for a in range(k):
            value = points.numbers[who[a], axis]
            if not np.isnan(value):
                present += 1
                mean += value
        if present:
            mean /= present
        for a in range(k):
            value = points.numbers[who[a], axis]
            if not np.isnan(value):
                total += (value - mean) * (value - mean)
        return total
    best = np.inf
    for a in range(k):
        center = points.numbers[who[a], axis]
        if np.isnan(center):
            continue
        total = 0.0
        for b in range(k):
            value = points.numbers[who[b], axis]
            if not np.isnan(value):
                total += abs(value - center)
        best = min(best, total)
    return 0.0 if best == np.inf else best


@jit
def price_centers(
    points: CenterArrays, duals: Floats, k: int, least: float, close: float, limit: int, part_of: int, n_parts: int,
    found: Ids, lowered: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Find groups of k records whose duals exceed their loss by more than `least`, and bound what all exceed it by.

    `lowered` (n,) is raised, for every point, to what its dual must be lowered by so that no group exceeds its loss
    by more than `least`. `found` (m, k) receives groups, the last m of them. The search among some centers ends when
    the largest excess found there is within `close` of its bound; after the work `limit` it ends everywhere. Of the
    sets of centers on the second level only every n_parts-th is searched, from number `part_of` on; the largest
    `lowered` of all parts is that of the whole search. Returns the work, in candidates and in cells of the groups
    looked at, and the number of searches that did not end.
    """
    n, n_labels = points.codes.shape
    n_lines = points.numbers.shape[1]
    deepest = n_labels + 40 * n_lines + 2
    room = int64(4 * n + 64)
    who, part, score = np.empty(room, dtype=np.int32), np.empty(room), np.empty(room)
    begin, count = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    fixed = np.zeros((deepest, n_labels), dtype=np.bool_)
    low, high = np.empty((deepest, n_lines)), np.empty((deepest, n_lines))
    axis, child = np.empty(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    top, at_top, members = np.empty(k), np.empty(k, dtype=np.int32), np.empty(k, dtype=np.int32)
    middle = np.zeros(n_lines, dtype=np.bool_)
    n_found, work, n_open, second = int64(0), int64(0), int64(0), int64(0)
    largest = 0.0
    for p in range(n):
        who[p], part[p] = p, duals[p]
        largest = max(largest, duals[p])
    count[0] = n
    for b in range(n_lines):
        low[0, b], high[0, b] = -np.inf, np.inf
    depth, fresh = int64(0), True
    while depth >= 0:
        start = begin[depth]
        if fresh:
            # A new set of centers: its candidates stand from start on, with their duals less what labels cost.
            fresh = False
            m = count[depth]
            work += m + k * (n_labels + n_lines)
            alive = True
            for b in range(n_lines):
                least_value, most_value, missing = np.inf, -np.inf, False
                for s in range(start, start + m):
                    value = points.numbers[who[s], b]
                    if np.isnan(value):
                        missing = True
                    else:
                        least_value, most_value = min(least_value, value), max(most_value, value)
                low[depth, b], high[depth, b] = max(low[depth, b], least_value), min(high[depth, b], most_value)
                middle[b] = False
                if low[depth, b] > high[depth, b]:
                    # these candidates have no mean in the interval; those whose numbers are missing have no mean
                    low[depth, b], high[depth, b] = np.inf, -np.inf
                    alive = alive and missing
            again = True
            total = -np.inf
            while alive and again:
                again = False
                top[:] = -np.inf
                for s in range(start, start + m):
                    value = part[s]
                    for b in range(n_lines):
                        if low[depth, b] <= high[depth, b]:
                            x = points.numbers[who[s], b]
                            if middle[b]:
                                value -= _from_middle(x, low[depth, b], high[depth, b])
                            else:
                                value -= _apart(x, low[depth, b], high[depth, b], points.squared[b])
                    score[s] = value
                    _taken(top, at_top, k, value, s, points.counts[who[s]])
                total = 0.0
                for a in range(k):
                    total += top[a]
                if total <= least:
                    alive = False
                    break
                for b in range(n_lines):
                    half = 0.5 * high[depth, b] - 0.5 * low[depth, b]
                    if points.squared[b] and not middle[b] and 0.0 < half * half < k * largest:
                        one, two = 0.0, 0.0
                        for a in range(k):
                            x = points.numbers[who[at_top[a]], b]
                            one += _apart(x, low[depth, b], high[depth, b], True)
                            two += _from_middle(x, low[depth, b], high[depth, b])
                        if two > one:
                            middle[b] = again = True
            if not alive:
                depth -= 1
                continue
            for a in range(k):
                members[a] = who[at_top[a]]
            excess = 0.0
            for a in range(k):
                excess += duals[members[a]]
            chosen, most = int64(-1), 0.0
            for a in range(n_labels):
                lost = _label_loss(points, int64(a), members, k)
                excess -= lost
                if not fixed[depth, a] and lost > most:
                    chosen, most = int64(a), lost
            for b in range(n_lines):
                lost = _line_loss(points, int64(b), members, k)
                excess -= lost
                if low[depth, b] < high[depth, b]:
                    for a in range(k):
                        x = points.numbers[members[a], b]
                        if middle[b]:
                            lost -= _from_middle(x, low[depth, b], high[depth, b])
                        else:
                            lost -= _apart(x, low[depth, b], high[depth, b], points.squared[b])
                    if lost > most:
                        chosen, most = int64(n_labels + b), lost
            if excess > least:
                found[n_found % len(found)] = members
                n_found += 1
            # Keep the candidates that can be in a group of an excess above `least`.
            others = total - top[k - 1]
            ends = chosen < 0 or total - excess <= close
            if not ends and (work > limit or depth + 1 == deepest):
                ends = True
                n_open += 1
            kept = start
            for s in range(start, start + m):
                hope = total if score[s] >= top[k - 1] else others + score[s]
                if hope > least:
                    if ends:
                        lowered[who[s]] = max(lowered[who[s]], hope / k)
                    who[kept], part[kept], score[kept] = who[s], part[s], score[s]
                    kept += 1
            if ends:
                depth -= 1
                continue
            count[depth] = kept - start
            axis[depth], child[depth] = chosen, 0
            if start + 2 * (kept - start) + 64 > room:
                room = 2 * (start + 2 * (kept - start) + 64)
                who, part, score = _longer(who, room), _wider(part, room), _wider(score, room)
            continue
        # The next part of the centers of this depth.
        m, a, c = count[depth], axis[depth], child[depth]
        last = points.sizes[a] if a < n_labels else int64(2)
        if c == last:
            depth -= 1
            continue
        child[depth] += 1
        after = start + m
        for b in range(n_lines):
            low[depth + 1, b], high[depth + 1, b] = low[depth, b], high[depth, b]
        for b in range(n_labels):
            fixed[depth + 1, b] = fixed[depth, b]
        if a < n_labels:
            size, first = points.sizes[a], points.first[a]
            top[:] = -np.inf
            present = False
            work += m // 4
            for s in range(start, after):
                x = points.codes[who[s], a]
                present = present or x == c
                _taken(top, at_top, k, score[s] - points.far[first + x * size + c], s, points.counts[who[s]])
            total = 0.0
            for place in range(k):
                total += top[place]
            if not present or total <= least:
                continue
            others = total - top[k - 1]
            kept = after
            for s in range(start, after):
                away = points.far[first + points.codes[who[s], a] * size + c]
                if score[s] - away >= top[k - 1] or others + score[s] - away > least:
                    who[kept], part[kept] = who[s], part[s] - away
                    kept += 1
            fixed[depth + 1, a] = True
        else:
            b = a - n_labels
            half = 0.5 * low[depth, b] + 0.5 * high[depth, b]
            if c == 0:
                high[depth + 1, b] = half
            else:
                low[depth + 1, b] = half
            kept = after
            for s in range(start, after):
                who[kept], part[kept] = who[s], part[s]
                kept += 1
        if depth == 1:
            second += 1
            if second % n_parts != part_of:
                continue
        begin[depth + 1], count[depth + 1] = after, kept - after
        depth += 1
        fresh = True
    return work, n_open


@inner
def _longer(old: Ids, room: int) -> Ids:
    new = np.empty(room, dtype=np.int32)
    new[: len(old)] = old
    return new


@inner
def _wider(old: Floats, room: int) -> Floats:
    new = np.empty(room)
    new[: len(old)] = old
    return new
