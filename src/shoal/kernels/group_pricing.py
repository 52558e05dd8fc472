"""Groups whose offers exceed their cost: an exact search around every record, for a lower bound on generalization.

The offers of a group exceed its cost if their sum is more than its size times the cost of its box. The search around
an anchor looks at the groups in which the anchor's offer is the largest. A box grows from the anchor: it is extended
by the member that costs most to add, so all other members cost no more, which bounds what the group can offer.
Members inside the box cost nothing more, so the best of them are taken.

Groups may also have to pay charges (`subset_rows`), which lower the excess. What a group offers at most is then
reckoned with the charges that its members pay whoever joins; the best of those inside the box are found by trying.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.generalization_groups import Floats, Ints, RecordArrays, Words
from shoal.kernels.record_boxes import box_cost
from shoal.kernels.subset_rows import Charges, charge_of, sure_charge

Ids = npt.NDArray[np.int32]


@inner
def _extended(records: RecordArrays, low: Floats, high: Floats, held: Words, depth: int, j: int) -> None:
    """Write the box of `depth` with record j as the box of the next depth."""
    for axis in range(low.shape[1]):
        low[depth + 1, axis] = min(low[depth, axis], records.spans[j, axis])
        high[depth + 1, axis] = max(high[depth, axis], records.spans[j, axis])
    for word in range(held.shape[1]):
        held[depth + 1, word] = held[depth, word] | records.words[j, word]


@inner
def _by_cost(who: Ids, cost: Floats, left: Ints, n: int) -> None:
    """Sort the first n candidates by cost and number (Shell sort)."""
    gap = int64(1)
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            w, c, m = who[i], cost[i], left[i]
            j = i
            while j >= gap and (cost[j - gap] > c or (cost[j - gap] == c and who[j - gap] > w)):
                who[j], cost[j], left[j] = who[j - gap], cost[j - gap], left[j - gap]
                j -= gap
            who[j], cost[j], left[j] = w, c, m
        gap //= 3


@inner
def _inserted(
    top: Floats, top_who: Ids, top_left: Ints, n_top: int, have: int, q: int, y: float, j: int, amount: int
) -> tuple[int, int]:
    """Insert record j, `amount` times, among the q records of the largest duals.

    Returns the number of different ones and of all.
    """
    if have >= q and y <= top[n_top - 1]:
        return n_top, have
    amount = min(amount, q)
    place = n_top
    while place > 0 and top[place - 1] < y:
        top[place], top_who[place], top_left[place] = top[place - 1], top_who[place - 1], top_left[place - 1]
        place -= 1
    top[place], top_who[place], top_left[place] = y, j, amount
    n_top += 1
    have += amount
    while have > q:
        last = n_top - 1
        off = min(have - q, top_left[last])
        top_left[last] -= off
        have -= off
        if top_left[last] == 0:
            n_top -= 1
    return n_top, have


@inner
def _sum_of(top: Floats, top_left: Ints, n_top: int, amount: int) -> float:
    """Return the sum of the `amount` largest duals of a list, or of all if it has fewer.

    It is added up anew every time: a running sum would keep the rounding errors of duals that have left the list, and
    these may be far larger than those that are in it.
    """
    total = 0.0
    for place in range(n_top):
        taken = min(amount, top_left[place])
        total += taken * top[place]
        amount -= taken
    return total


@inner
def _cut(
    cost: Floats, who: Ids, left: Ints, n: int, dual: Floats, offered: float, q: int, k: int, best: float
) -> int:
    """Keep the candidates that can be in a group of an excess above `best`, in their order; return their number.

    A group that has one of cost c costs k times c at least, and q candidates add at most the q largest duals.
    """
    top = np.empty(q + 1)
    while n > 0:
        size, total = int64(0), 0.0
        for t in range(n):
            y = dual[who[t]]
            for _ in range(min(left[t], q)):
                if size == q and y <= top[q - 1]:
                    break
                place = min(size, q - 1)
                while place > 0 and top[place - 1] < y:
                    top[place] = top[place - 1]
                    place -= 1
                top[place] = y
                size = min(size + 1, q)
        if size < q:
            return int64(0)
        for place in range(q):
            total += top[place]
        kept = int64(0)
        for t in range(n):
            if offered + total - k * cost[t] > best:
                who[kept], cost[kept], left[kept] = who[t], cost[t], left[t]
                kept += 1
        if kept == n:
            break
        n = kept
    return n


@inner
def _by_dual(who: Ids, n: int, dual: Floats, order: Ids) -> None:
    """Write the places of the first n candidates to `order`, the largest dual first (Shell sort).

    Not by rank: an offer that was lowered keeps its rank, and may then be below those of lower ranks.
    """
    for i in range(n):
        order[i] = i
    gap = int64(1)
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            place = order[i]
            y, w = dual[who[place]], who[place]
            j = i
            while j >= gap:
                other = who[order[j - gap]]
                if dual[other] > y or (dual[other] == y and other < w):
                    break
                order[j] = order[j - gap]
                j -= gap
            order[j] = place
        gap //= 3


@inner
def _best_inside(
    charges: Charges, dual: Floats, k: int, box: float, forced: Ids, depth: int, forced_sum: float, cand: Ids,
    left: Ints, n: int, lowest: float, best: float, limit: int, who: Ids, amount: Ints, place: Ints, sums: Floats,
    found: Ids,
) -> tuple[float, int]:  # fmt: skip
    """Complete the forced members by the best of the first n candidates, where groups pay charges.

    Returns the largest excess, or `best` if none is larger, and the work done; more than `limit` if the search ended
    early. A group of a larger excess is written to `found`. No candidate with a dual of `lowest` or less is in one.
    `forced` has room for k members; `who`, `amount`, `place` and `sums` are work space.
    """
    m = int64(0)
    for t in range(n):
        y = dual[cand[t]]
        if y <= lowest:
            continue
        at = m
        while at > 0 and dual[who[at - 1]] < y:
            who[at], amount[at] = who[at - 1], amount[at - 1]
            at -= 1
        who[at], amount[at] = cand[t], left[t]
        m += 1
    # Candidates are chosen in the order of their duals: place[d] is that of the one at forced[d].
    d, work = depth + 1, m // 4
    place[d], sums[d] = 0, forced_sum
    while d > depth:
        p = place[d]
        total, missing = sums[d], k - d
        more, skipped = p, int64(0)
        for before in range(depth + 1, d):
            skipped += place[before] == p
        while more < m and missing > 0:
            n_some = min(amount[more] - skipped, missing)
            total += n_some * dual[who[more]]
            missing -= n_some
            more += 1
            skipped = int64(0)
        work += 1
        if work > limit:
            break
        if missing > 0 or total - k * box <= best:  # those after p offer no more
            d -= 1
            place[d] += 1
            continue
        forced[d] = who[p]
        if d == k - 1:
            excess = -charge_of(charges, forced, k) - k * box
            for at in range(k):
                excess += dual[forced[at]]
            if excess > best:
                best = excess
                for at in range(k):
                    found[at] = forced[at]
            place[d] += 1
            continue
        sums[d + 1] = sums[d] + dual[who[p]] - sure_charge(charges, forced, d, int64(who[p]))
        used = int64(0)
        for before in range(depth + 1, d + 1):
            used += place[before] == p
        place[d + 1] = p if used < amount[p] else p + 1
        d += 1
    return best, work


@jit
def price_groups(
    records: RecordArrays, counts: Ints, k: int, dual: Floats, rank: Ints, reach: Floats, floor: Floats,
    charges: Charges, starts: Ints, who: Ids, apart: Floats, anchors: Ints, begin: int, end: int, least: float,
    limit: int, found: Ids, value: Floats, most: Floats, works: Ints,
) -> None:  # fmt: skip
    """Find, around each anchor begin .. end - 1, groups of k records whose offers exceed k times their box's cost.

    `value` receives the largest excess found, or `least` if none is above that; `most` an upper bound on the excess
    of every group in which the anchor has the last `rank`. `found` (n, m, k) receives the last m groups that were the
    best so far, -1 if there were fewer. Record j occurs counts[j] times. The neighbors of anchor i are
    who[starts[i]:starts[i + 1]], at the distances `apart`; they include all records of a lower rank nearer than
    reach[i], and neither the anchor nor a record of a lower rank has a dual above reach[i]. After `limit` candidates
    the search around an anchor ends, and `most` includes what has not been looked at. A box with record j costs
    floor[j] at least, whatever else is in it. Groups pay `charges` besides.
    """
    has_charges = len(charges.price) > 0
    longest = int64(1)
    for at in range(begin, end):
        longest = max(longest, starts[anchors[at] + 1] - starts[anchors[at]] + 1)
    n_spans, n_words = records.spans.shape[1], records.words.shape[1]
    low, high = np.empty((k + 1, n_spans)), np.empty((k + 1, n_spans))
    held = np.empty((k + 1, n_words), dtype=np.uint64)
    cand = np.empty((k + 1, longest), dtype=np.int32)
    cost = np.empty((k + 1, longest))
    left = np.empty((k + 1, longest), dtype=np.int64)
    hope = np.empty((k + 1, longest))
    order, position = np.empty(longest, dtype=np.int32), np.empty(longest, dtype=np.int32)
    offered = np.empty(longest)
    n_cand, box, forced_sum = np.zeros(k + 1, np.int64), np.zeros(k + 1), np.zeros(k + 1)
    room = longest if has_charges else int64(1)
    inner_who, inner_left = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
    places, sums = np.zeros(k + 1, dtype=np.int64), np.empty(k + 1)
    group = np.empty(k, dtype=np.int32)
    forced = np.empty(k + 1, dtype=np.int32)
    top, top_who, top_left = np.empty(k + 2), np.empty(k + 2, dtype=np.int32), np.empty(k + 2, dtype=np.int64)
    n_slots = found.shape[1]
    for turn in range(begin, end):
        anchor = anchors[turn]
        best, slot, work = least, int64(0), int64(0)
        value[anchor] = most[anchor] = least
        mine = dual[anchor]
        # The candidates of the first box, in the order of their distance.
        n = int64(0)
        if counts[anchor] > 1:
            cand[0, 0], cost[0, 0], left[0, 0] = anchor, floor[anchor], counts[anchor] - 1
            n = int64(1)
        for at in range(starts[anchor], starts[anchor + 1]):
            j = who[at]
            if apart[at] < reach[anchor] and rank[j] < rank[anchor]:
                price = max(apart[at], floor[anchor], floor[j])
                cand[0, n], cost[0, n], left[0, n] = j, price, counts[j]
                n += 1
        work += n // 4
        n = _cut(cost[0], cand[0], left[0], n, dual, mine, k - 1, k, best)
        _by_cost(cand[0], cost[0], left[0], n)
        if n == 0:
            works[anchor] = work
            continue
        _by_dual(cand[0], n, dual, order)
        for axis in range(n_spans):
            low[0, axis] = high[0, axis] = records.spans[anchor, axis]
        for word in range(n_words):
            held[0, word] = records.words[anchor, word]
        n_cand[0], box[0], forced_sum[0], forced[0] = n, floor[anchor], mine, anchor
        # What a group can offer at most if the largest dual besides the anchor's is at this place of `order`.
        for at in range(n):
            position[order[at]] = at
            total, have, more = 0.0, int64(0), at
            while more < n and have < k - 1:
                amount = min(left[0, order[more]], k - 1 - have)
                total += amount * dual[cand[0, order[more]]]
                have += amount
                more += 1
            offered[at] = mine + total if have == k - 1 else -np.inf
        depth, fresh, second = int64(0), False, int64(0)
        while True:
            if depth == 0:
                # Choose the largest dual of the other members, the nearest first; the rest come after it in `order`.
                if second == n:
                    break
                place, at = second, position[second]
                second += 1
                highest = (offered[at] - best) / k
                if cost[0, place] >= highest:
                    continue
                if work > limit:
                    for p in range(place, n):
                        most[anchor] = max(most[anchor], offered[position[p]] - k * cost[0, p])
                    break
                s = cand[0, place]
                _extended(records, low, high, held, int64(0), s)
                box[1], forced[1], forced_sum[1] = cost[0, place], s, mine + dual[s]
                if has_charges:
                    forced_sum[1] -= sure_charge(charges, forced, int64(1), int64(s))
                if k == 2:
                    excess = forced_sum[1] - k * box[1]
                    if excess > best:
                        best = excess
                        _write(found[anchor, slot % n_slots], forced, int64(1), top_who, top_left, int64(0), int64(0))
                        slot += 1
                    continue
                m = int64(0)
                if left[0, place] > 1:
                    cand[1, 0], cost[1, 0], left[1, 0] = s, box[1], left[0, place] - 1
                    m = int64(1)
                for later in range(at + 1, n):
                    p = order[later]
                    if cost[0, p] < highest:
                        work += 1
                        price = box_cost(records, low[1], high[1], held[1], int64(cand[0, p]), highest)
                        price = max(price, box[1], floor[cand[0, p]])
                        if price < highest:
                            cand[1, m], cost[1, m], left[1, m] = cand[0, p], price, left[0, p]
                            m += 1
                m = _cut(cost[1], cand[1], left[1], m, dual, forced_sum[1], k - 2, k, best)
                _by_cost(cand[1], cost[1], left[1], m)
                n_cand[1] = m
                depth, fresh = int64(1), True
                continue
            if fresh:
                # Look at the candidates in the order of their cost: with each, the best of those before it.
                fresh = False
                q = k - 1 - depth
                n_top, have = int64(0), int64(0)
                inside = True
                for t in range(n_cand[depth]):
                    j = cand[depth, t]
                    hope[depth, t] = -np.inf
                    if inside and cost[depth, t] > box[depth]:
                        inside = False
                        if have >= q:
                            excess = forced_sum[depth] + _sum_of(top, top_left, n_top, q) - k * box[depth]
                            if excess > best and has_charges:
                                lowest = top[n_top - 1] - (excess - best)
                                before = best
                                best, done = _best_inside(
                                    charges, dual, k, box[depth], forced, depth, forced_sum[depth], cand[depth],
                                    left[depth], t, lowest, best, limit - work, inner_who, inner_left, places, sums,
                                    group,
                                )  # fmt: skip
                                if work + done > limit:
                                    most[anchor] = max(most[anchor], excess)
                                work += done
                                if best > before:
                                    found[anchor, slot % n_slots] = group
                                    slot += 1
                            elif excess > best:
                                best = excess
                                _write(found[anchor, slot % n_slots], forced, depth, top_who, top_left, n_top, q)
                                slot += 1
                    y = dual[j]
                    if left[depth, t] > 1:
                        more = left[depth, t] - 1
                        n_top, have = _inserted(top, top_who, top_left, n_top, have, q, y, j, more)
                    if not inside and have >= q - 1:
                        others = _sum_of(top, top_left, n_top, q - 1)
                        excess = forced_sum[depth] + y + others - k * cost[depth, t]
                        if excess > best and has_charges:
                            if q == 1:
                                forced[depth + 1] = j
                                excess = -charge_of(charges, forced, k) - k * cost[depth, t]
                                for at in range(k):
                                    excess += dual[forced[at]]
                            else:
                                excess -= sure_charge(charges, forced, depth + 1, int64(j))
                        if excess > best:
                            if q == 1:
                                best = excess
                                forced[depth + 1] = j
                                _write(
                                    found[anchor, slot % n_slots],
                                    forced,
                                    depth + 1,
                                    top_who,
                                    top_left,
                                    n_top,
                                    int64(0),
                                )
                                slot += 1
                            else:
                                hope[depth, t] = excess
                    n_top, have = _inserted(top, top_who, top_left, n_top, have, q, y, j, int64(1))
                if inside and have >= q:
                    excess = forced_sum[depth] + _sum_of(top, top_left, n_top, q) - k * box[depth]
                    if excess > best and has_charges:
                        lowest = top[n_top - 1] - (excess - best)
                        before = best
                        best, done = _best_inside(
                            charges, dual, k, box[depth], forced, depth, forced_sum[depth], cand[depth], left[depth],
                            n_cand[depth], lowest, best, limit - work, inner_who, inner_left, places, sums, group,
                        )  # fmt: skip
                        if work + done > limit:
                            most[anchor] = max(most[anchor], excess)
                        work += done
                        if best > before:
                            found[anchor, slot % n_slots] = group
                            slot += 1
                    elif excess > best:
                        best = excess
                        _write(found[anchor, slot % n_slots], forced, depth, top_who, top_left, n_top, q)
                        slot += 1
            # Extend the box by the most promising candidate.
            chosen, highest = int64(-1), best
            for t in range(n_cand[depth]):
                if hope[depth, t] > highest:
                    highest = hope[depth, t]
                    chosen = t
            if chosen < 0:
                depth -= 1
                continue
            if work > limit:
                for d in range(1, depth + 1):
                    for t in range(n_cand[d]):
                        most[anchor] = max(most[anchor], hope[d, t])
                depth = int64(0)
                continue
            hope[depth, chosen] = -np.inf
            j = cand[depth, chosen]
            _extended(records, low, high, held, depth, int64(j))
            forced[depth + 1] = j
            forced_sum[depth + 1] = forced_sum[depth] + dual[j]
            if has_charges:
                forced_sum[depth + 1] -= sure_charge(charges, forced, depth + 1, int64(j))
            box[depth + 1] = cost[depth, chosen]
            costliest = box[depth + 1] + (highest - best) / k  # a costlier box cannot exceed the best
            m = int64(0)
            if left[depth, chosen] > 1:
                cand[depth + 1, 0], cost[depth + 1, 0], left[depth + 1, 0] = (
                    j,
                    box[depth + 1],
                    left[depth, chosen] - 1,
                )
                m = int64(1)
            for t in range(chosen):
                other = cand[depth, t]
                price = box_cost(records, low[depth + 1], high[depth + 1], held[depth + 1], int64(other), costliest)
                price = max(price, box[depth + 1], floor[other])
                if price < costliest:
                    cand[depth + 1, m], cost[depth + 1, m], left[depth + 1, m] = other, price, left[depth, t]
                    m += 1
            work += chosen + 1
            deeper, q = depth + 1, k - 2 - depth
            m = _cut(cost[deeper], cand[deeper], left[deeper], m, dual, forced_sum[deeper], q, k, best)
            _by_cost(cand[deeper], cost[deeper], left[deeper], m)
            n_cand[deeper] = m
            depth += 1
            fresh = True
        value[anchor] = best
        most[anchor] = max(most[anchor], best)
        works[anchor] = work


@inner
def _write(found: Ids, forced: Ids, depth: int, top_who: Ids, top_left: Ints, n_top: int, q: int) -> None:
    """Write the forced members and the q best others as a group."""
    for place in range(depth + 1):
        found[place] = forced[place]
    at = depth + 1
    for place in range(n_top):
        for _ in range(top_left[place]):
            if q > 0:
                found[at] = top_who[place]
                at += 1
                q -= 1
