"""Finding combinations of items that too few people have: single items, pairs and triples.

Records are rows of a sparse table: record r has the items ``items[start[r]:start[r + 1]]``, increasing. Records of
one owner are next to each other, and an owner counts once for a combination, however many of its records have it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def rare_combinations(start: Ints, items: Ints, owner: Ints, n_items: int, k: int, size: int, most: int) -> Ints:
    """Return combinations of `size` items (1, 2 or 3) that occur and that fewer than `k` owners have, one per row.

    Each has its items in increasing order. At most `most` of them are returned; if there are more, these are those
    with the smallest first items.
    """
    n_records = start.shape[0] - 1
    found = np.empty((16, size), dtype=np.int64)
    n_found = 0
    # the records of every item, in the order of records
    begins = np.zeros(n_items + 1, dtype=np.int64)
    for place in range(items.shape[0]):
        begins[items[place] + 1] += 1
    for item in range(n_items):
        begins[item + 1] += begins[item]
    fill = begins[:-1].copy()
    holders = np.empty(items.shape[0], dtype=np.int64)
    for record in range(n_records):
        for place in range(start[record], start[record + 1]):
            holders[fill[items[place]]] = record
            fill[items[place]] += 1
    count = np.zeros(n_items, dtype=np.int64)
    last = np.full(n_items, -1, dtype=np.int64)
    touched = np.empty(n_items, dtype=np.int64)
    count_third = np.zeros(n_items, dtype=np.int64)
    last_third = np.full(n_items, -1, dtype=np.int64)
    touched_third = np.empty(n_items, dtype=np.int64)
    for first in range(n_items):
        low, high = begins[first], begins[first + 1]
        if low == high:
            continue
        if size == 1:
            people = 0
            before = -1
            for place in range(low, high):
                if owner[holders[place]] != before:
                    before = owner[holders[place]]
                    people += 1
            if people < k:
                if n_found == found.shape[0]:
                    found = _grown(found)
                found[n_found, 0] = first
                n_found += 1
                if n_found == most:
                    return found[:n_found]
            continue
        n_touched = 0
        n_pairs = 0
        for place in range(low, high):
            record = holders[place]
            for other in range(start[record + 1] - 1, start[record] - 1, -1):
                second = items[other]
                if second <= first:
                    break
                if last[second] == -1:
                    touched[n_touched] = second
                    n_touched += 1
                n_pairs += 1
                if size == 3:
                    count[second] += 1  # records, for the index of pairs
                    last[second] = owner[record]
                elif last[second] != owner[record]:
                    last[second] = owner[record]
                    count[second] += 1
        if size == 2:
            chosen = np.sort(touched[:n_touched])
            for second in chosen:
                if count[second] < k and n_found < most:
                    if n_found == found.shape[0]:
                        found = _grown(found)
                    found[n_found, 0] = first
                    found[n_found, 1] = second
                    n_found += 1
                count[second] = 0
                last[second] = -1
            if n_found == most:
                return found[:n_found]
            continue
        # the records that have the first and each second item
        chosen = np.sort(touched[:n_touched])
        where = np.zeros(n_touched + 1, dtype=np.int64)
        for rank in range(n_touched):
            where[rank + 1] = where[rank] + count[chosen[rank]]
            count[chosen[rank]] = where[rank]  # from here on, where the next record of this pair goes
            last[chosen[rank]] = -1
        both = np.empty(n_pairs, dtype=np.int64)
        for place in range(low, high):
            record = holders[place]
            for other in range(start[record + 1] - 1, start[record] - 1, -1):
                second = items[other]
                if second <= first:
                    break
                both[count[second]] = record
                count[second] += 1
        for rank in range(n_touched):
            second = chosen[rank]
            count[second] = 0
            n_third = 0
            for place in range(where[rank], where[rank + 1]):
                record = both[place]
                for other in range(start[record + 1] - 1, start[record] - 1, -1):
                    third = items[other]
                    if third <= second:
                        break
                    if last_third[third] == -1:
                        touched_third[n_third] = third
                        n_third += 1
                    if last_third[third] != owner[record]:
                        last_third[third] = owner[record]
                        count_third[third] += 1
            last_chosen = np.sort(touched_third[:n_third])
            for third in last_chosen:
                if count_third[third] < k and n_found < most:
                    if n_found == found.shape[0]:
                        found = _grown(found)
                    found[n_found, 0] = first
                    found[n_found, 1] = second
                    found[n_found, 2] = third
                    n_found += 1
                count_third[third] = 0
                last_third[third] = -1
        if n_found == most:
            return found[:n_found]
    return found[:n_found]


@jit
def _grown(found: Ints) -> Ints:
    """Return the same rows in an array of twice the length."""
    larger = np.empty((2 * found.shape[0], found.shape[1]), dtype=np.int64)
    larger[: found.shape[0]] = found
    return larger


@jit
def fewest_owners(start: Ints, items: Ints, owner: Ints, n_items: int, size: int, fewest: Ints) -> None:
    """Lower `fewest` of every record to the least number of owners of one of its combinations of `size` items."""
    n_records = start.shape[0] - 1
    begins = np.zeros(n_items + 1, dtype=np.int64)
    for place in range(items.shape[0]):
        begins[items[place] + 1] += 1
    for item in range(n_items):
        begins[item + 1] += begins[item]
    fill = begins[:-1].copy()
    holders = np.empty(items.shape[0], dtype=np.int64)
    for record in range(n_records):
        for place in range(start[record], start[record + 1]):
            holders[fill[items[place]]] = record
            fill[items[place]] += 1
    for first in range(n_items):
        _lower(start, items, owner, holders[begins[first] : begins[first + 1]], first, size, n_items, fewest)


@jit
def _lower(
    start: Ints, items: Ints, owner: Ints, holders: Ints, item: int, size: int, n_items: int, fewest: Ints
) -> None:
    """Lower `fewest` of the records `holders` by their combinations of `size` items, `item` being the smallest."""
    if size == 1:
        people = 0
        before = -1
        for record in holders:
            if owner[record] != before:
                before = owner[record]
                people += 1
        for record in holders:
            fewest[record] = min(fewest[record], people)
        return
    n_pairs = 0
    for record in holders:
        n_pairs += start[record + 1] - start[record]
    other = np.empty(n_pairs, dtype=np.int64)
    having = np.empty(n_pairs, dtype=np.int64)
    n_pairs = 0
    for record in holders:
        for place in range(start[record + 1] - 1, start[record] - 1, -1):
            if items[place] <= item:
                break
            other[n_pairs] = items[place]
            having[n_pairs] = record
            n_pairs += 1
    order = np.argsort(other[:n_pairs], kind="mergesort")  # stable: the records of an owner stay together
    low = 0
    while low < n_pairs:
        high = low
        while high < n_pairs and other[order[high]] == other[order[low]]:
            high += 1
        _lower(start, items, owner, having[order[low:high]], other[order[low]], size - 1, n_items, fewest)
        low = high
