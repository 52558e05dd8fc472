"""The pricing problem of column generation: sets of points with the least reduced cost, by branch and bound.

The reduced cost of a set S of m points is its squared error minus the sum of its points' duals. The squared error is
W / m, where W is the sum of squared distances over all pairs in S. If the reduced cost is negative, S has a member,
the anchor, whose squared distances to S sum to less than 2m times its own dual. So around each possible anchor, sets
grow point by point. A lower bound on the cost of completing a set follows from the candidates' distances to the set
so far and to their nearest other candidates.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]

PAIRS = 256
"""Pairs of candidates per candidate that may be looked at; with more of them, no set is sought."""


@inner
def near_sums(square: Floats, nearest: Ids, listed: Marks, who: Ints, count: int, most: int, sums: Floats) -> None:
    """Write to sums[a, r], r = 0 .. most, half the sum of the r smallest squared distances from who[a] to the others.

    Only the points who[:count] are considered. Row i of `nearest` has the points nearest to i, nearest first; where
    it has too few of them, the others count as far as the last of the row. `listed` is False everywhere.
    """
    for a in range(count):
        listed[who[a]] = True
    for a in range(count):
        i, have, total = who[a], 0, 0.0
        sums[a, 0] = 0.0
        for j in nearest[i]:
            if have == most:
                break
            if listed[j] and j != i:
                have += 1
                total += 0.5 * square[i, j]
                sums[a, have] = total
        while have < most:
            have += 1
            total += 0.5 * square[i, nearest[i, -1]]
            sums[a, have] = total
    for a in range(count):
        listed[who[a]] = False


@inner
def candidates(
    square: Floats,
    nearest: Ids,
    listed: Marks,
    near: Floats,
    dual: Floats,
    anchor: int,
    m: int,
    best: float,
    who: Ints,
    sums: Floats,
) -> tuple[int, float]:
    """Write to `who` all points that can share a set of m points of reduced cost below `best` with `anchor`.

    Returns their number and a lower bound on the reduced cost of such a set. `sums` receives their `near_sums`.
    """
    q = m - 1
    room = 2.0 * m * dual[anchor] - 2.0 * near[anchor, q - 1]
    count = int64(0)
    for j in range(square.shape[0]):
        if j != anchor and square[anchor, j] < room:
            who[count] = j
            for r in range(q):
                sums[count, r] = near[j, r]
            count += 1
    least, scores = np.empty(q), np.empty(count)
    bound = np.inf
    local = False  # whether the sums are already over the candidates only, rather than over all points
    while count >= q:
        least[:] = np.inf
        for a in range(count):
            score = scores[a] = (square[anchor, who[a]] + sums[a, q - 1]) / m - dual[who[a]]
            if score < least[q - 1]:
                at = q - 1
                while at > 0 and least[at - 1] > score:
                    least[at] = least[at - 1]
                    at -= 1
                least[at] = score
        others = -dual[anchor]
        for at in range(q - 1):
            others += least[at]
        bound = others + least[q - 1]
        kept = int64(0)  # a candidate is kept if it could make up a set with the q - 1 best
        for a in range(count):
            if others + scores[a] < best:
                who[kept] = who[a]
                kept += 1
        if local and kept == count:
            break
        count, local = kept, True
        near_sums(square, nearest, listed, who, count, q - 1, sums)
    return count, bound


@inner
def cheapest(
    square: Floats,
    nearest: Ids,
    listed: Marks,
    near: Floats,
    dual: Floats,
    anchor: int,
    m: int,
    best: float,
    limit: int,
    found: Ints,
) -> tuple[float, float]:
    """Return the least reduced cost found for a set of m points around `anchor`, and a lower bound on the true one.

    Only sets of reduced cost below `best` are sought; if there is none, both numbers are `best`. Otherwise the set is
    written to `found`. Both numbers are equal unless the search ended early, after `limit` candidates.
    """
    n = square.shape[0]
    who = np.empty(n, dtype=np.int64)
    sums = np.empty((n, m - 1))
    reach = 2.0 * m * dual[anchor]
    count, root = candidates(square, nearest, listed, near, dual, anchor, m, best, who, sums)
    if count < m - 1 or root >= best:
        return best, best
    if count * count > PAIRS * limit:
        return best, root
    pair = np.empty((count, count))
    for a in range(count):
        for b in range(count):
            pair[a, b] = square[who[a], who[b]]
    order = np.empty((m, count), dtype=np.int64)
    score = np.empty((m, count))
    to_set = np.empty((m, count))
    size = np.zeros(m, dtype=np.int64)
    at = np.zeros(m, dtype=np.int64)
    base = np.empty(m)
    spread = np.zeros(m)
    chosen = np.empty(m, dtype=np.int64)
    base[0] = -dual[anchor]
    for a in range(count):
        apart = square[anchor, who[a]]
        insert(order[0], score[0], to_set[0], a, a, (apart + sums[a, m - 2]) / m - dual[who[a]], apart)
    size[0] = count
    depth, work = 0, 0
    while depth >= 0:
        q = m - 1 - depth
        t = at[depth]
        total = base[depth]
        if t + q <= size[depth]:
            for s in range(t, t + q):
                total += score[depth, s]
        if t + q > size[depth] or total >= best:
            depth -= 1
            continue
        at[depth] += 1
        a = order[depth, t]
        chosen[depth] = a
        apart = spread[depth] + square[anchor, who[a]]
        if apart >= reach:
            continue
        if q == 1:
            best = total
            write(found, who, chosen, anchor, m)
            continue
        work += size[depth] - t
        if work > limit:
            # Every set that was not examined has its first candidate at this position or a later one.
            total = base[0]
            for s in range(at[0] - 1, at[0] + m - 2):
                total += score[0, s]
            return best, min(best, total)
        inner = base[depth] + to_set[depth, t] / m - dual[who[a]]
        n_next = int64(0)
        for s in range(t + 1, size[depth]):
            b = order[depth, s]
            if apart + square[anchor, who[b]] >= reach:
                continue
            sum_b = to_set[depth, s] + pair[a, b]
            score_b = (sum_b + sums[b, q - 2]) / m - dual[who[b]]
            if q > 2:
                insert(order[depth + 1], score[depth + 1], to_set[depth + 1], n_next, b, score_b, sum_b)
                n_next += 1
            elif inner + score_b < best:
                best = inner + score_b
                chosen[depth + 1] = b
                write(found, who, chosen, anchor, m)
        if n_next >= q - 1 and q > 2:
            depth += 1
            base[depth], spread[depth], at[depth] = inner, apart, 0
            for s in range(q - 2):
                inner += score[depth, s]
            while n_next >= q - 1 and inner + score[depth, n_next - 1] >= best:
                n_next -= 1
            size[depth] = n_next
    return best, best


@inner
def insert(order: Ints, score: Floats, to_set: Floats, count: int, a: int, score_a: float, sum_a: float) -> None:
    """Insert candidate `a` into the first `count` entries, which are sorted by score."""
    at = count
    while at > 0 and score[at - 1] > score_a:
        order[at], score[at], to_set[at] = order[at - 1], score[at - 1], to_set[at - 1]
        at -= 1
    order[at], score[at], to_set[at] = a, score_a, sum_a


@inner
def write(found: Ints, who: Ints, chosen: Ints, anchor: int, m: int) -> None:
    """Write the anchor and the m - 1 chosen candidates to `found`, as numbers of points."""
    found[0] = anchor
    for s in range(m - 1):
        found[s + 1] = who[chosen[s]]


@jit
def price(
    square: Floats, nearest: Ids, near: Floats, dual: Floats, k: int, largest: int, tolerance: float, limit: int,
    anchors: Ints, start: int, stop: int, found: Ints, least: Floats, bound: Floats,
) -> None:  # fmt: skip
    """Find, around each of anchors[start:stop], the sets of k to `largest` points with the least reduced cost.

    Only sets of reduced cost below -tolerance count. `found` (n, largest - k + 1, largest) receives one set per size,
    if there is one. `least` (n,) receives the least reduced cost of these sets, and `bound` (n,) a lower bound on the
    reduced cost of every set around the anchor; both are -tolerance if there is no set.
    """
    listed = np.zeros(len(square), dtype=np.bool_)
    for anchor in anchors[start:stop]:
        least[anchor] = bound[anchor] = -tolerance
        for m in range(k, largest + 1):
            best, low = cheapest(
                square, nearest, listed, near, dual, anchor, m, -tolerance, limit, found[anchor, m - k]
            )
            least[anchor] = min(least[anchor], best)
            bound[anchor] = min(bound[anchor], low)
