"""The forest algorithm: trees of neighboring points are grown until each has k records, then cut into groups.

A point stands for `counts` records. docs/proofs/forest.md has the rules by which trees are grown and cut, and the
proof that every group has at least k records.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Ints = npt.NDArray[np.int64]


@inner
def _find(leader: Ints, point: int) -> int:
    """Return the root of the point's tree in the union-find structure `leader`, and halve the path to it."""
    while leader[point] != point:
        leader[point] = leader[leader[point]]
        point = leader[point]
    return point


@jit
def grow_forest(sources: Ints, targets: Ints, link: Ints, leader: Ints, size: Ints, k: int) -> None:
    """Add the edges, in the given order, whose source lies in a tree of fewer than k records and has no edge yet.

    link[p] becomes the target of the edge that p added, or stays -1; each point adds at most one edge. An edge that
    is rejected once would always be rejected, so one pass is enough. `leader` is a union-find structure, and size[r]
    is the number of records of the tree with root r. All three arrays are updated.
    """
    for edge in range(len(sources)):
        point = sources[edge]
        if link[point] >= 0:
            continue
        a = _find(leader, point)
        if size[a] >= k:
            continue
        b = _find(leader, targets[edge])
        if a == b:
            continue
        link[point] = targets[edge]
        if size[a] > size[b]:
            a, b = b, a
        leader[a] = b
        size[b] += size[a]


# Columns of the array of parcels. A parcel is a number of records of one point that go to the same group.
# Parcels and parts form linked lists that end with -1.
POINT, AMOUNT, GROUP, NEXT_PARCEL = 0, 1, 2, 3
# Columns of the array of parts. A part is the list of parcels that a point passes on to its neighbor; it has the
# number of that point.
SIZE, NEXT_PART, FIRST_PARCEL, LAST_PARCEL = 0, 1, 2, 3


@inner
def _put(parcels: Ints, n_parcels: int, point: int, amount: int, group: int) -> int:
    """Append a parcel unless `amount` is 0, and return the number of parcels."""
    if amount == 0:
        return n_parcels
    parcels[n_parcels, POINT], parcels[n_parcels, AMOUNT] = point, amount
    parcels[n_parcels, GROUP], parcels[n_parcels, NEXT_PARCEL] = group, -1
    return n_parcels + 1


@inner
def _give(parts: Ints, parcels: Ints, part: int, group: int) -> None:
    """Assign all parts of the list that starts with `part` to a group."""
    while part >= 0:
        parcel = parts[part, FIRST_PARCEL]
        while parcel >= 0:
            parcels[parcel, GROUP] = group
            parcel = parcels[parcel, NEXT_PARCEL]
        part = parts[part, NEXT_PART]


@inner
def _largest_first(parts: Ints, part: int, by_size: Ints) -> int:
    """Sort the list of parts that starts with `part` by size, largest first, and return its new head.

    `by_size` is work space for a bucket sort: it holds -1 everywhere before and after.
    """
    while part >= 0:
        after, size = parts[part, NEXT_PART], parts[part, SIZE]
        parts[part, NEXT_PART] = by_size[size]
        by_size[size] = part
        part = after
    head = -1
    for size in range(1, len(by_size)):
        part = by_size[size]
        by_size[size] = -1
        while part >= 0:
            after = parts[part, NEXT_PART]
            parts[part, NEXT_PART] = head
            head, part = part, after
    return head


@inner
def _group(
    parts: Ints,
    parcels: Ints,
    n_parcels: int,
    n_groups: int,
    part: int,
    point: int,
    units: int,
    is_last: bool,
    k: int,
    largest: int,
) -> tuple[int, int, int, int, int]:
    """Form groups from the list of parts that arrived at `point`, largest first, and its own `units` records.

    A group is closed as soon as its parts, filled up with the point's own records, have k records. At the last point
    of a tree (`is_last`) one of its own records is held back until the end: it completes a group or joins one, so
    that nothing remains. Returns the remaining parts, their size, the point's remaining records, and the new numbers
    of parcels and groups.
    """
    waiting, size = -1, 0  # the parts of the group being filled; the first, largest part is the last in the list
    biggest, closed, closed_size, closed_biggest = -1, -1, 0, -1
    units -= is_last
    while part >= 0:
        after = parts[part, NEXT_PART]
        if waiting < 0:
            biggest = part
        parts[part, NEXT_PART] = waiting
        waiting, size = part, size + parts[part, SIZE]
        if size + units >= k:
            _give(parts, parcels, waiting, n_groups)
            filled = max(0, k - size)
            n_parcels = _put(parcels, n_parcels, point, filled, n_groups)
            units -= filled
            closed, closed_size, closed_biggest = n_groups, size + filled, biggest
            n_groups += 1
            waiting, size = -1, 0
        part = after
    units += is_last
    target = -1
    if size + units >= k:
        target = n_groups
        n_groups += 1
    elif is_last:
        target = closed
        if closed_size + size + units > largest:
            # The largest part of that group has k - 1 records; with the record held back it is a group of its own.
            _give(parts, parcels, closed_biggest, n_groups)
            n_parcels = _put(parcels, n_parcels, point, units, n_groups)
            n_groups += 1
            units = 0
    if target >= 0:
        _give(parts, parcels, waiting, target)
        n_parcels = _put(parcels, n_parcels, point, units, target)
        waiting, size, units = -1, 0, 0
    return waiting, size, units, n_parcels, n_groups


@inner
def _hand_over(parts: Ints, parcels: Ints, n_parcels: int, point: int, units: int, waiting: int, size: int) -> int:
    """Make the part that `point` passes on: its remaining records and the remaining parts that arrived there.

    Returns the number of parcels.
    """
    parts[point, SIZE] = size + units
    parts[point, FIRST_PARCEL] = parts[point, LAST_PARCEL] = n_parcels if units > 0 else -1
    n_parcels = _put(parcels, n_parcels, point, units, int64(-1))
    while waiting >= 0:
        if parts[point, FIRST_PARCEL] < 0:
            parts[point, FIRST_PARCEL] = parts[waiting, FIRST_PARCEL]
        else:
            parcels[parts[point, LAST_PARCEL], NEXT_PARCEL] = parts[waiting, FIRST_PARCEL]
        parts[point, LAST_PARCEL] = parts[waiting, LAST_PARCEL]
        waiting = parts[waiting, NEXT_PART]
    return n_parcels


@jit
def cut_forest(link: Ints, counts: Ints, k: int, largest: int) -> Ints:
    """Cut the trees into groups of k to `largest` records; returns parcels (point, number of records, group).

    Leaves are removed one after the other, those with fewer than k records first. When a point is removed and at
    least k records have arrived there, they are grouped. The rest, at most k - 1 records, is passed on to the point's
    only remaining neighbor.
    """
    n = len(counts)
    # Neighbors are stored as their count and the exclusive or of their numbers: for a leaf, its only neighbor.
    degree, neighbor, pool = np.zeros(n, np.int64), np.zeros(n, np.int64), counts.copy()
    for point in range(n):
        other = link[point]
        if other >= 0:
            degree[point] += 1
            degree[other] += 1
            neighbor[point] ^= other
            neighbor[other] ^= point
    # Two queues of leaves: 0 for those with fewer than k records, 1 for the others.
    queue, queued, taken = np.empty((2, n), np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for point in range(n):
        if degree[point] <= 1:
            enough = int(pool[point] >= k)
            queue[enough, queued[enough]] = point
            queued[enough] += 1
    parts, meeting = np.full((n, 4), -1, np.int64), np.full(n, -1, np.int64)
    parcels = np.empty((2 * n + counts.sum() // k + 1, 4), np.int64)
    by_size = np.full(k, -1, np.int64)
    n_parcels, n_groups = int64(0), int64(0)
    while taken[0] < queued[0] or taken[1] < queued[1]:
        enough = int(taken[0] == queued[0])
        point = queue[enough, taken[enough]]
        taken[enough] += 1
        waiting, units = meeting[point], counts[point]
        size = pool[point] - units
        if pool[point] >= k:
            waiting, size, units, n_parcels, n_groups = _group(
                parts,
                parcels,
                n_parcels,
                n_groups,
                _largest_first(parts, waiting, by_size),
                point,
                units,
                degree[point] == 0,
                k,
                largest,
            )
        if degree[point] == 0:
            continue
        n_parcels = _hand_over(parts, parcels, n_parcels, point, units, waiting, size)
        other = neighbor[point]
        neighbor[other] ^= point
        degree[other] -= 1
        if parts[point, SIZE] > 0:
            parts[point, NEXT_PART] = meeting[other]
            meeting[other] = point
            pool[other] += parts[point, SIZE]
        if degree[other] == 1:
            enough = int(pool[other] >= k)
            queue[enough, queued[enough]] = other
            queued[enough] += 1
    return parcels[:n_parcels, :NEXT_PARCEL].copy()
