"""Subset rows: three records of which at most one group has two or more. Which are violated, and whom they charge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]


class Charges(NamedTuple):
    """What groups pay for subset rows, by record: those of record i are first[i] to before first[i + 1].

    A group that has record i and exactly one of mates[c] pays price[c]; one that has both of them pays the part
    `whole` of it.
    """

    first: Ints
    mates: Ids
    """(n_charges, 2)"""
    price: Floats
    whole: float


@inner
def charge_of(charges: Charges, some: Ids, n_some: int) -> float:
    """Return what the group of the first `n_some` of `some` pays."""
    total = 0.0
    for place in range(n_some):
        i = some[place]
        for c in range(charges.first[i], charges.first[i + 1]):
            held = 0
            for other in range(n_some):
                held += some[other] == charges.mates[c, 0] or some[other] == charges.mates[c, 1]
            if held == 1:  # each of the two members comes here
                total += charges.price[c] / 2.0
            elif held == 2:  # each of the three
                total += charges.price[c] * charges.whole / 3.0
    return total


@inner
def sure_charge(charges: Charges, some: Ids, n_some: int, i: int) -> float:
    """Return by how much record i raises what `some` pay at least, whoever else joins."""
    total = 0.0
    for c in range(charges.first[i], charges.first[i + 1]):
        held = 0
        for other in range(n_some):
            held += some[other] == charges.mates[c, 0] or some[other] == charges.mates[c, 1]
        if held == 1:  # with two, it is paid already
            total += charges.price[c] * charges.whole
    return total


@jit
def violated_rows(
    members: Ids,
    starts: Ints,
    opened: Floats,
    holders: Ids,
    first: Ints,
    counts: Ints,
    whole: float,
    least: float,
    rows: Ids,
    excess: Floats,
) -> int:
    """Write the triples of which groups are chosen more than once, by `least` or more; return how many there are.

    Group g is chosen to the part opened[g] and has members[starts[g]:starts[g + 1]]; point p is in the groups
    holders[first[p]:first[p + 1]]. Only points of one record are looked at. A group with all three counts as `whole`.
    Those for which there is no room in `rows` are counted only.
    """
    n, found = len(counts), int64(0)
    with_i, with_a, with_both = np.zeros(n), np.zeros(n), np.zeros(n)
    near_i, near_a = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for i in range(n):
        if counts[i] != 1:
            continue
        n_i = int64(0)
        for at in range(first[i], first[i + 1]):
            g = holders[at]
            if opened[g] > 0.0:
                for other in range(starts[g], starts[g + 1]):
                    j = members[other]
                    if j > i and counts[j] == 1:
                        if with_i[j] == 0.0:
                            near_i[n_i] = j
                            n_i += 1
                        with_i[j] += opened[g]
        for place in range(n_i):
            a = near_i[place]
            n_a = int64(0)
            for at in range(first[a], first[a + 1]):
                g = holders[at]
                if opened[g] <= 0.0:
                    continue
                has_i = False
                for other in range(starts[g], starts[g + 1]):
                    has_i = has_i or members[other] == i
                for other in range(starts[g], starts[g + 1]):
                    b = members[other]
                    if b > a and with_i[b] > 0.0 and counts[b] == 1:
                        if with_a[b] == 0.0:
                            near_a[n_a] = b
                            n_a += 1
                        with_a[b] += opened[g]
                        if has_i:
                            with_both[b] += opened[g]
            for p in range(n_a):
                b = near_a[p]
                total = with_i[a] + with_i[b] + with_a[b] - (3.0 - whole) * with_both[b] - 1.0
                if total >= least:
                    if found < len(rows):
                        rows[found, 0], rows[found, 1], rows[found, 2] = i, a, b
                        excess[found] = total
                    found += 1
                with_a[b] = with_both[b] = 0.0
        for place in range(n_i):
            with_i[near_i[place]] = 0.0
    return int(found)


@jit
def rows_of_groups(members: Ids, starts: Ints, charges: Charges, row_of: Ints, found: Ints) -> int:
    """Write to `found` (m, 3) a group, a row of which it has two or three records, and how many it has.

    Returns how many there are; those for which there is no room are counted only. Entry c of `charges` belongs to the
    row row_of[c]. Groups come in their order.
    """
    n_found = int64(0)
    for g in range(len(starts) - 1):
        for place in range(starts[g], starts[g + 1]):
            i = members[place]
            for c in range(charges.first[i], charges.first[i + 1]):
                held, is_first = 1, True
                for other in range(starts[g], starts[g + 1]):
                    if members[other] == charges.mates[c, 0] or members[other] == charges.mates[c, 1]:
                        held += 1
                        is_first = is_first and other > place
                if held > 1 and is_first:
                    if n_found < len(found):
                        found[n_found, 0], found[n_found, 1], found[n_found, 2] = g, row_of[c], held
                    n_found += 1
    return int(n_found)
