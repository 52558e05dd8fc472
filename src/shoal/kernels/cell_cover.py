"""The greedy cover of records by cells: again and again the cell that costs least per record it newly covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]


@inner
def _sink(heap: Ints, keys: Floats, size: int, place: int) -> None:
    """Move the cell at `place` down the heap until no cell below has a smaller key; ties go by the number."""
    cell = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and (
            keys[heap[child + 1]] < keys[heap[child]]
            or (keys[heap[child + 1]] == keys[heap[child]] and heap[child + 1] < heap[child])
        ):
            child += 1
        below = heap[child]
        if keys[below] > keys[cell] or (keys[below] == keys[cell] and below > cell):
            break
        heap[place] = below
        place = child
    heap[place] = cell


@inner
def _uncovered(members: Ids, starts: Ints, counts: Ints, group: Ints, v: int) -> int:
    """Return how many records of cell `v` have no group."""
    found = int64(0)
    for i in range(starts[v], starts[v + 1]):
        if group[members[i]] < 0:
            found += counts[members[i]]
    return found


@jit
def cover_by_cells(
    members: Ids,
    starts: Ints,
    costs: Floats,
    counts: Ints,
    k: int,
    limit: float,
    group: Ints,
    first: int,
    cell_of: Ints,
) -> int:
    """Cover records by the cells whose key is below `limit`, the least key first; return the next group.

    The key of a cell with u > 0 uncovered records is its cost times max(1, k / u): what each of them pays. They
    become group `first`, `first` + 1, ...: `group` has the group of each record (all of its copies), -1 for those
    without one, and `cell_of`, from 0, the cell of each new group. Keys only grow while records are covered, so a
    cell whose stored key is the least and still right is the next one.
    """
    n_cells = len(costs)
    keys, heap = np.empty(n_cells), np.empty(n_cells, np.int64)
    size, made = int64(0), int64(0)
    for v in range(n_cells):
        u = _uncovered(members, starts, counts, group, v)
        if u > 0:
            keys[v] = costs[v] * max(1.0, k / u)
            heap[size] = v
            size += 1
    for place in range(size // 2 - 1, -1, -1):
        _sink(heap, keys, size, place)
    while size > 0 and keys[heap[0]] < limit:
        v = heap[0]
        u = _uncovered(members, starts, counts, group, v)
        key = costs[v] * max(1.0, k / u) if u > 0 else np.inf
        if key > keys[v]:
            keys[v] = key
            if u == 0:
                size -= 1
                heap[0] = heap[size]
        else:
            for i in range(starts[v], starts[v + 1]):
                if group[members[i]] < 0:
                    group[members[i]] = first + made
            cell_of[made] = v
            made += 1
            size -= 1
            heap[0] = heap[size]
        if size > 0:
            _sink(heap, keys, size, int64(0))
    return first + made
