"""What records cost in one box, and which records are near one another by that cost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, int64, jit
from shoal.kernels.generalization_groups import Floats, Ints, RecordArrays, Words, _ones

Ids = npt.NDArray[np.int32]


@inlined
def cell_cost(records: RecordArrays, axis: int, a: float, b: float) -> float:
    """Return what a cell with the values a <= b costs on an axis of lines or hierarchies."""
    if records.trees[axis, 1] == 0:
        return float(b - a)
    if a == b:
        return 0.0
    first, last = int(a), int(b)
    if records.trees[axis, 1] < 0:
        return float(records.joints[records.trees[axis, 0] + last - first])
    power = records.powers[last - first]
    row = records.trees[axis, 0] + power * records.trees[axis, 1]
    return float(max(records.joints[row + first], records.joints[row + last - (1 << power)]))


@inlined
def sets_cost(records: RecordArrays, held: Words, j: int, total: float, stop: float) -> float:
    """Return `total` and what the sets of labels of `held` and of record j cost together.

    If that is `stop` or more, any such number is returned.
    """
    n_labels = 0
    for part in range(len(records.part_word)):
        word = records.part_word[part]
        n_labels += _ones((held[word] | records.words[j, word]) & records.part_mask[part])
        if records.part_costs[part] >= 0:
            if n_labels > 1:
                total += records.set_costs[records.part_costs[part] + n_labels - 1]
                if total >= stop:
                    return float(total)
            n_labels = 0
    return float(total)


@inlined
def box_cost(records: RecordArrays, low: Floats, high: Floats, held: Words, j: int, stop: float) -> float:
    """Return the cost of the box once record j is in it as well; if that is `stop` or more, any such number."""
    total = 0.0
    for axis in range(records.spans.shape[1]):
        x = records.spans[j, axis]
        total += cell_cost(records, axis, min(low[axis], x), max(high[axis], x))
        if total >= stop:
            return float(total)
    return sets_cost(records, held, j, total, stop)


@jit
def pair_costs(records: RecordArrays, begin: int, end: int, apart: Floats) -> None:
    """Write the cost of the box of any two records, row i of `apart` having those of record i and all others."""
    n = len(apart)
    n_spans, n_words = records.spans.shape[1], records.words.shape[1]
    low, held = np.empty(n_spans), np.empty(n_words, dtype=np.uint64)
    for i in range(begin, end):
        for axis in range(n_spans):
            low[axis] = records.spans[i, axis]
        for word in range(n_words):
            held[word] = records.words[i, word]
        for j in range(n):
            apart[i, j] = box_cost(records, low, low, held, j, np.inf)


@jit
def near_records(
    records: RecordArrays, ends: Ids, shared: Ids, begin: int, end: int, reach: Floats, who: Ids, apart: Floats,
    found: Ints,
) -> None:  # fmt: skip
    """Write the records nearer to record begin + r than reach[begin + r] to row r of `who`, and how far they are.

    `found` receives their number. If a row is full, the record's reach is lowered until some of them are beyond it.
    Records are sorted by their lines and hierarchies: those from j to before ends[j, axis] agree with j up to `axis`,
    and record j agrees with the one before it on the first shared[j] axes. So records that are too far on the first
    axes are skipped together.
    """
    n, room = len(records.spans), who.shape[1]
    n_spans, n_words = records.spans.shape[1], records.words.shape[1]
    held, part = np.empty(n_words, dtype=np.uint64), np.zeros(n_spans + 1)
    for i in range(begin, end):
        for word in range(n_words):
            held[word] = records.words[i, word]
        row, m, limit = i - begin, int64(0), reach[i]
        j, axis = int64(0), int64(0)
        while j < n:
            after = int64(-1)
            while axis < n_spans:
                x, y = records.spans[i, axis], records.spans[j, axis]
                part[axis + 1] = part[axis] + cell_cost(records, axis, min(x, y), max(x, y))
                if part[axis + 1] >= limit:
                    after = int64(ends[j, axis])
                    break
                axis += 1
            if after < 0:
                after = int64(ends[j, n_spans - 1]) if n_spans else n
                for near in range(j, after):
                    away = sets_cost(records, held, near, float(part[n_spans]), limit)
                    while away < limit and m == room:
                        limit *= 0.8
                        kept = int64(0)
                        for at in range(m):
                            if apart[row, at] < limit:
                                who[row, kept], apart[row, kept] = who[row, at], apart[row, at]
                                kept += 1
                        m = kept
                    if away < limit:
                        who[row, m], apart[row, m] = near, away
                        m += 1
            j = after
            if j < n:
                axis = int64(shared[j])
        reach[i], found[row] = limit, m
