"""Assigning people to signatures: sets of sensitive values that a person keeps, with every value held equally often.

Problem     Give every row a signature, a set of at least m values that includes the row's own, and that is the
            person's earlier signature if there was one, so that all values of a signature are held by equally many
            rows.
Guarantee   The rows that are assigned, with the counterfeits that are added, fill every signature evenly and with at
            least k rows; nobody's signature changes (SEQUENCE-2, docs/proofs/sequence.md).
Complexity  O(n + s v) for n rows, s signatures and v values.

Notes
-----
The phases are those of the paper: division by signature; balancing with new rows, as long as the others can still be
assigned, and then with counterfeits if they are allowed, otherwise by suppressing rows; assignment of the rest, first
to existing signatures and then to new ones. Where the paper makes groups of different values, a group here may hold
every value of its signature several times, because k may be larger than the number of values.

References
----------
.. [1] X. Xiao and Y. Tao (2007). "m-invariance: toward privacy preserving re-publication of dynamic datasets."
   SIGMOD 2007, 689-700.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

WIDER = 4
"""How many sizes of new signatures are tried, from m on."""

Ints = npt.NDArray[np.int64]
Signature = tuple[int, ...]
"""The codes of its values, in increasing order."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The signature of every row: `signature[row]` is an index in `signatures`, or -1 for a suppressed row.

    `counterfeits` has (signature, value, number of rows) of the rows to add.
    """

    signatures: tuple[Signature, ...]
    signature: Ints
    counterfeits: tuple[tuple[int, int, int], ...] = ()


@dataclass(slots=True, eq=False)
class _Pool:
    """New rows without a signature, by value, in the order of the table."""

    rows: dict[int, list[int]]
    m: int
    n: int = field(init=False)

    def __post_init__(self) -> None:
        self.n = sum(len(rows) for rows in self.rows.values())

    def available(self, value: int) -> int:
        return len(self.rows.get(value, ()))

    def spare(self, values: Signature) -> int:
        """Return how many rows of each of `values` can be taken so that groups of m different values can be made of
        the rest.

        Such groups exist if and only if no value is held by more than one in m rows (Lemma 4 of Li, Yi and Zhang).
        """
        least = min(self.available(value) for value in values)
        if not least:
            return 0
        others = max((len(rows) for value, rows in self.rows.items() if value not in values), default=0)
        return spare(self.n, self.m, len(values), least, max(self.available(value) for value in values), others)

    def take(self, value: int, n: int) -> list[int]:
        """Take n rows of a value (or all), evenly spread over the table, so that all values are spread alike."""
        rows = self.rows.get(value, [])
        n = min(n, len(rows))
        chosen = {(2 * place + 1) * len(rows) // (2 * n) for place in range(n)}
        self.rows[value] = [row for place, row in enumerate(rows) if place not in chosen]
        self.n -= n
        return [row for place, row in enumerate(rows) if place in chosen]


def spare(n: int, m: int, size: int, least: int, most: int, others: int) -> int:
    """Return how many rows of each of `size` values can be taken so that no value is held by more than one in m of
    the rest.

    There are n rows; each of those values is held by `least` to `most` of them, and each other value by at most
    `others`.
    """
    if size * least == n:
        return least
    bound = min(least, (n - m * others) // size)
    if size > m:
        bound = min(bound, (n - m * most) // (size - m))
    return max(bound, 0)


def assign(
    values: Ints,
    before: Ints,
    signatures: Sequence[Signature],
    *,
    m: int,
    k: int,
    counterfeits: bool,
) -> Places:
    """Return a signature for every row: a person's earlier one, or one of at least m values.

    `values` are codes (-1: missing), `before` are indices of earlier signatures (-1: the person is new).
    """
    known = [tuple(sorted(one)) for one in signatures]
    placed = np.full(len(values), -1, dtype=np.int64)
    made_up: list[tuple[int, int, int]] = []
    waiting: dict[int, list[int]] = {}
    standing: dict[int, dict[int, list[int]]] = {}
    for row, (value, number) in enumerate(zip(values.tolist(), before.tolist(), strict=True)):
        if number >= 0 and value in known[number]:
            standing.setdefault(number, {}).setdefault(value, []).append(row)
        elif number < 0 <= value:  # missing values, and values outside the signature, are suppressed
            waiting.setdefault(value, []).append(row)
    pool = _Pool(waiting, m)
    sizes: dict[int, int] = {}
    for number in sorted(standing, key=lambda one: (-sum(map(len, standing[one].values())), one)):
        sizes[number] = _balance(number, known[number], standing[number], pool, placed, made_up, k, counterfeits)
    _join(known, sizes, pool, placed)
    _found(known, pool, placed, m, k)
    _join(known, sizes, pool, placed, last=True)
    return Places(tuple(known), placed, tuple(made_up))


def _balance(
    number: int,
    signature: Signature,
    rows: dict[int, list[int]],
    pool: _Pool,
    placed: Ints,
    made_up: list[tuple[int, int, int]],
    k: int,
    counterfeits: bool,
) -> int:
    """Make every value of a signature equally frequent; return that frequency (0: too few, and all rows are
    suppressed).
    """
    present = {value: len(rows.get(value, ())) for value in signature}
    least = math.ceil(k / len(signature))
    target = max(least, *present.values())
    if not counterfeits:
        reach = min(present[value] + pool.available(value) for value in signature)
        target = min(target, reach)
        if target < least:
            return 0
    for value in signature:
        own = rows.get(value, [])[:target]
        lacking = target - len(own)
        spare = min(lacking, pool.spare((value,))) if counterfeits else lacking
        own = own + pool.take(value, spare)
        placed[own] = number
        if len(own) < target:
            made_up.append((number, value, target - len(own)))
    return target


def _join(known: list[Signature], sizes: dict[int, int], pool: _Pool, placed: Ints, *, last: bool = False) -> None:
    """Assign new rows to existing signatures, one of every value at a time.

    With `last` every complete set is used, otherwise only as many as leave a rest that can be assigned.
    """
    for number, size in sizes.items():
        if not size:
            continue
        sets = min(map(pool.available, known[number])) if last else pool.spare(known[number])
        for value in known[number]:
            placed[pool.take(value, sets)] = number


def _found(known: list[Signature], pool: _Pool, placed: Ints, m: int, k: int) -> None:
    """Assign the rest to new signatures of at least m values, or of a few more if that leaves fewer rows over.

    What would be fewer than k rows is not published until a later release.
    """
    counts = {value: len(rows) for value, rows in pool.rows.items() if rows}
    best: tuple[int, list[tuple[Signature, int]]] | None = None
    for least in range(m, m + WIDER):
        found = _sets(dict(counts), least, k)
        waiting = pool.n - sum(len(signature) * sets for signature, sets in found)
        if best is None or waiting < best[0]:
            best = waiting, found
        if not waiting:
            break
    number_of = {signature: number for number, signature in enumerate(known)}
    for signature, sets in best[1] if best else ():
        number = number_of.setdefault(signature, len(known))
        if number == len(known):
            known.append(signature)
        for value in signature:
            placed[pool.take(value, sets)] = number


def _sets(counts: dict[int, int], m: int, k: int) -> list[tuple[Signature, int]]:
    """Return signatures, those of the most frequent values first, and the number of rows of each of their values.

    They take as many as leave groups of m different values of the rest, and at the end whatever complete sets are
    left.
    """
    found: dict[Signature, int] = {}
    n = sum(counts.values())
    while True:
        falling = sorted((value for value in counts if counts[value]), key=lambda value: (-counts[value], value))
        if len(falling) < m:
            break
        size, sets = _next([counts[value] for value in falling], n, m, k)
        signature = tuple(sorted(falling[:size]))
        if size * sets < k and signature not in found:
            break
        found[signature] = found.get(signature, 0) + sets
        n -= size * sets
        for value in signature:
            counts[value] -= sets
    for signature in found:
        more = min(counts[value] for value in signature)
        found[signature] += more
        for value in signature:
            counts[value] -= more
    while _widened(found, counts, k):
        pass
    return list(found.items())


def _widened(found: dict[Signature, int], counts: dict[int, int], k: int) -> bool:
    """Merge leftover values into some sets of a signature, making a wider one of at least k rows; return whether it
    did.
    """
    most = max(counts.values(), default=0)
    for sets in range(1, most + 1):
        for signature, have in list(found.items()):
            wider = [value for value in counts if counts[value] >= sets and value not in signature]
            rest = have - sets
            enough = sets * (len(signature) + len(wider)) >= k and (rest == 0 or rest * len(signature) >= k)
            if not wider or rest < 0 or not enough:
                continue
            del found[signature]
            if rest:
                found[signature] = rest
            union = tuple(sorted((*signature, *wider)))
            found[union] = found.get(union, 0) + sets
            for value in wider:
                counts[value] -= sets
            return True
    return False


def _next(falling: list[int], n: int, m: int, k: int) -> tuple[int, int]:
    """Return how many of the most frequent values make the next signature, and how many rows of each it takes.

    These are the fewest values that make k rows and leave groups of the rest, or else those that make the most rows.
    """
    best = (m, falling[m - 1])
    for size in range(m, len(falling) + 1):
        others = falling[size] if size < len(falling) else 0
        sets = spare(n, m, size, falling[size - 1], falling[0], others)
        if size * sets >= k:
            return size, sets
        if size * falling[size - 1] > best[0] * best[1]:
            best = (size, falling[size - 1])
    return best
