"""Which people share a set of sensitive values: signatures that stay for life, every value held equally often.

Problem     give every row a signature, a set of at least m values that has the row's own among them, the one that its
            person had before if there was one, so that all values of a signature are held by equally many rows.
Guarantee   the rows that are placed, with the counterfeits that are asked for, fill every signature evenly and with
            at least k rows; nobody's signature changes (SEQUENCE-2, docs/proofs/sequence.md).
Complexity  O(n + s v) for n rows, s signatures and v values.

Notes
-----
The phases are those of the paper: division by signature; balancing with new rows, as long as the others can still be
placed, and then with counterfeits where these are allowed, else by leaving rows out; assignment of the rest, to
signatures that are there and then to new ones. Where the paper makes groups of different values, a group here may
hold every value of its signature several times: k may be larger than the number of values.

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
"""Sizes of new signatures that are tried, from m on."""

Ints = npt.NDArray[np.int64]
Signature = tuple[int, ...]
"""Codes of values, increasing."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where every row goes: `signature[row]` is a number in `signatures`, or -1 for a row that is left out.

    `counterfeits` has (signature, value, how many) of rows to make up.
    """

    signatures: tuple[Signature, ...]
    signature: Ints
    counterfeits: tuple[tuple[int, int, int], ...] = ()


@dataclass(slots=True, eq=False)
class _Pool:
    """New rows that wait for a signature, by value, in the order of the table."""

    rows: dict[int, list[int]]
    m: int
    n: int = field(init=False)

    def __post_init__(self) -> None:
        self.n = sum(len(rows) for rows in self.rows.values())

    def held(self, value: int) -> int:
        return len(self.rows.get(value, ()))

    def spare(self, values: Signature) -> int:
        """How many rows of each of `values` can go, so that groups of m different values can be made of the rest.

        Such groups exist exactly if no value is held by more than one in m (Lemma 4 of Li, Yi and Zhang).
        """
        least = min(self.held(value) for value in values)
        if not least:
            return 0
        others = max((len(rows) for value, rows in self.rows.items() if value not in values), default=0)
        return spare(self.n, self.m, len(values), least, max(self.held(value) for value in values), others)

    def take(self, value: int, n: int) -> list[int]:
        """So many rows of a value (or all), from everywhere in the table, so that all values are spread alike."""
        rows = self.rows.get(value, [])
        n = min(n, len(rows))
        chosen = {(2 * place + 1) * len(rows) // (2 * n) for place in range(n)}
        self.rows[value] = [row for place, row in enumerate(rows) if place not in chosen]
        self.n -= n
        return [row for place, row in enumerate(rows) if place in chosen]


def spare(n: int, m: int, size: int, least: int, most: int, others: int) -> int:
    """How many rows of each of `size` values can go, so that no value is held by more than one in m of the rest.

    There are n rows; those values hold `least` to `most` of them each, and the others at most `others`.
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
    """A signature for every row. `values` are codes (-1: missing), `before` the numbers of signatures (-1: new)."""
    known = [tuple(sorted(one)) for one in signatures]
    placed = np.full(len(values), -1, dtype=np.int64)
    made_up: list[tuple[int, int, int]] = []
    waiting: dict[int, list[int]] = {}
    standing: dict[int, dict[int, list[int]]] = {}
    for row, (value, number) in enumerate(zip(values.tolist(), before.tolist(), strict=True)):
        if number >= 0 and value in known[number]:
            standing.setdefault(number, {}).setdefault(value, []).append(row)
        elif number < 0 <= value:  # a missing value hides nobody, and one outside the signature would show
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
    """Every value as often as every other; how often that is (0: too few, and all are left out)."""
    held = {value: len(rows.get(value, ())) for value in signature}
    least = math.ceil(k / len(signature))
    target = max(least, *held.values())
    if not counterfeits:
        reach = min(held[value] + pool.held(value) for value in signature)
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
    """New rows into signatures that are there: one of every value at a time; the `last`, whatever is then left."""
    for number, size in sizes.items():
        if not size:
            continue
        sets = min(map(pool.held, known[number])) if last else pool.spare(known[number])
        for value in known[number]:
            placed[pool.take(value, sets)] = number


def _found(known: list[Signature], pool: _Pool, placed: Ints, m: int, k: int) -> None:
    """The rest into new signatures of at least m values, or of a few more where fewer rows then wait.

    What would be fewer than k rows waits for a later release.
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
    """Signatures of the most frequent values first, and how many rows of each of their values they take.

    As many as leave groups of m different values of the rest; at the end, whatever can still be had.
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
    """Some sets of a signature take in values that are left over: a wider signature of at least k rows."""
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
    """How many of the most frequent values make the next signature, and how many rows of each it takes.

    The fewest values that make k rows and leave groups of the rest, else whatever makes the most rows.
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
