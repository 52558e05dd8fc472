"""Distributing rows among overlapping classes, so that few rows are in a class that does not meet the requirements.

Every row goes to the narrowest class that contains it. If classes then do not meet the requirements, a maximum flow
gives every class k rows if possible; classes that cannot get k rows are closed, the emptiest first. For requirements
beyond k, classes that fail then take rows from classes with more rows than they need, and finally are closed, and
their rows go to the next class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from shoal.partition.result import Labels
from shoal.plans.column_cells import Column

BITS_AT_ONCE = 2**28
"""How many pairs of a record and a class are compared at a time, with one bit each, which bounds the memory."""
MOST = 32
"""The most classes per record, the narrowest ones, that the flow may use; it bounds the size of the graph."""
SHARING_ROUNDS = 4  # how often classes that fail take rows from others before they are closed
Broken = Callable[[Labels], npt.NDArray[np.bool_]]
"""Returns, for each group 0, 1, ... of some labels, whether it fails a requirement."""


def settle(
    records: Labels,
    columns: list[Column],
    table: Labels,
    chosen: Labels,
    record_of: Labels,
    broken: Broken,
    k: int,
    short: Callable[[Labels], Labels],
) -> Labels:
    """Return the class of every row (-1: none); `chosen` is the narrowest class of each different record.

    `short` returns, given the class of every row, classes that must be closed although none is `broken`.
    """
    by_record = np.argsort(record_of, kind="stable")
    begin = np.searchsorted(record_of[by_record], np.arange(len(records) + 1))
    rows = chosen[record_of]
    if len(_missed(rows, broken)):
        rows = _shared_out(records, columns, table, by_record, begin, k)
    for _ in range(SHARING_ROUNDS):
        missed = _missed(rows, broken)
        if not len(missed):
            break
        rows = _filled(rows, missed, records, columns, table, by_record, begin, k)
    open_ = np.ones(len(table), dtype=bool)
    while len(missed := np.union1d(_missed(rows, broken), short(rows))):
        size = np.bincount(rows[rows >= 0], minlength=len(table))[missed]
        closed = missed[np.lexsort((missed, size))[: (len(missed) + 1) // 2]]
        open_[closed] = False
        moving = np.flatnonzero(np.isin(rows, closed))
        left = np.append(np.flatnonzero(open_), -1)
        some, place = np.unique(record_of[moving], return_inverse=True)
        rows = rows.copy()
        rows[moving] = left[first_fit(records[some], columns, table[left[:-1]])][place]
    return rows


def _shared_out(
    records: Labels, columns: list[Column], table: Labels, by_record: Labels, begin: Labels, k: int
) -> Labels:
    """Return the class of every row, by a maximum flow of k rows to every class that can have them."""
    record, one = _pairs(records, columns, table)
    counts, sink = np.diff(begin), len(records) + len(table) + 1
    open_ = np.zeros(len(table), dtype=bool)
    open_[one] = True
    while True:
        kept = open_[one]
        some, into, used = record[kept], one[kept], np.flatnonzero(open_)
        tails = np.concatenate([np.zeros(len(records), dtype=np.int64), some + 1, used + len(records) + 1])
        heads = np.concatenate([np.arange(len(records)) + 1, into + len(records) + 1, np.full(len(used), sink)])
        room = np.concatenate([counts, counts[some], np.full(len(used), k)]).astype(np.int32)
        flow = maximum_flow(csr_array((room, (tails, heads)), shape=(sink + 1, sink + 1)), 0, sink).flow
        filled = flow[:, [sink]].toarray().ravel()[used + len(records) + 1]
        short = np.flatnonzero(filled < k)
        if not len(short):
            break
        emptiest = np.lexsort((used[short], filled[short]))[: (len(short) + 1) // 2]
        open_[used[short[emptiest]]] = False
    sent = flow[1 : len(records) + 1, len(records) + 1 : sink].tocoo()
    moved = sent.data > 0
    narrowest = np.full(len(records), -1, dtype=np.int64)
    narrowest[some[::-1]] = into[::-1]  # pairs are sorted, and the first, narrowest class of a record is written last
    rest = counts - np.bincount(sent.row[moved], weights=sent.data[moved], minlength=len(records)).astype(np.int64)
    owner = np.concatenate([sent.row[moved], np.arange(len(records))])
    target = np.concatenate([sent.col[moved], narrowest])
    amount = np.concatenate([sent.data[moved], rest]).astype(np.int64)
    order = np.lexsort((target, owner))
    rows = np.empty(len(by_record), dtype=np.int64)
    rows[by_record] = np.repeat(target[order], amount[order])
    return rows


def _pairs(records: Labels, columns: list[Column], table: Labels) -> tuple[Labels, Labels]:
    """Return pairs of a record and a class that contains it, at most the `MOST` narrowest classes per record."""
    found = []
    step = max(1, BITS_AT_ONCE // (8 * max(len(table), 1)))
    for start in range(0, len(records), step):
        some = records[start : start + step]
        fitting = np.unpackbits(_fitting(some, columns, table), axis=1, count=len(table)).astype(bool)
        fitting &= np.cumsum(fitting, axis=1) <= MOST
        row, one = np.nonzero(fitting)
        found.append((row + start, one))
    return (np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found]))


def _missed(rows: Labels, broken: Broken) -> Labels:
    """Return the classes that have rows and fail a requirement."""
    used = np.unique(rows[rows >= 0])
    if not len(used):
        return used
    return used[broken(np.where(rows < 0, -1, np.searchsorted(used, rows)))]


def _filled(
    rows: Labels,
    missed: Labels,
    records: Labels,
    columns: list[Column],
    table: Labels,
    by_record: Labels,
    begin: Labels,
    k: int,
) -> Labels:
    """Return the class of every row after moving rows into classes that fail a requirement.

    Rows are taken from classes that keep k rows; the classes that lack the fewest rows are filled first.
    """
    rows = rows.copy()
    size = np.bincount(rows[rows >= 0], minlength=len(table))
    spare = np.maximum(size - k, 0)
    spare[missed] = 0
    for one in missed[np.lexsort((missed, -size[missed]))].tolist():
        need = max(k - int(size[one]), 1)
        fits = np.logical_and.reduce([column.fits[table[one, j], records[:, j]] for j, column in enumerate(columns)])
        found = np.concatenate(
            [by_record[begin[r] : begin[r + 1]] for r in np.flatnonzero(fits).tolist()] or [by_record[:0]]
        )
        found = found[(rows[found] >= 0) & (rows[found] != one)]
        found = found[spare[rows[found]] > 0]
        found = found[np.lexsort((found, rows[found], -spare[rows[found]]))]
        home = rows[found]
        starts = np.flatnonzero(np.diff(home, prepend=-1))
        rank = np.arange(len(home)) - np.repeat(starts, np.diff(starts, append=len(home)))
        found = found[rank < spare[home]][:need]
        if len(found) < need:
            continue
        np.subtract.at(spare, rows[found], 1)
        rows[found] = one
    return rows


def first_fit(records: Labels, columns: list[Column], table: Labels) -> Labels:
    """Return the first class of `table` that contains each record, or -1."""
    first = np.full(len(records), -1, dtype=np.int64)
    if not len(table):
        return first
    step = max(1, BITS_AT_ONCE // len(table))
    for start in range(0, len(records), step):
        some = records[start : start + step]
        fitting = _fitting(some, columns, table)
        byte = (fitting != 0).argmax(axis=1)
        bits = fitting[np.arange(len(some)), byte]
        # the highest bit of a byte is its first class
        place = byte * 8 + 7 - np.floor(np.log2(np.maximum(bits, 1))).astype(np.int64)
        first[start : start + step] = np.where(bits > 0, place, -1)
    return first


def _fitting(records: Labels, columns: list[Column], table: Labels) -> npt.NDArray[np.uint8]:
    """Return one bit per record and class: whether the class contains the record."""
    fitting = np.full((len(records), (len(table) + 7) // 8), 255, dtype=np.uint8)
    for j, column in enumerate(columns):
        values, place = np.unique(records[:, j], return_inverse=True)
        fitting &= np.packbits(column.fits[:, values][table[:, j]].T, axis=1)[place.reshape(-1)]
    return fitting
